"""``migrate verify``: a user's own job on both engines, fed the same batches, compared.

``python -m dstream_parity.verify`` takes a
:class:`~dstream_parity.verify.coordinator.request.Request` as JSON on its standard input. The
process that reads it coordinates: the untouched job runs in a child
process on the legacy engine, twice, the rewritten one in another child on this engine.
"""
