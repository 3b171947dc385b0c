"""``migrate verify``: runs a user's job on both engines, with the same batches, and compares.

``python -m dstream_parity.verify`` reads a
:class:`~dstream_parity.verify.coordinator.request.Request` as JSON from standard input and
coordinates: the untouched job runs twice in a child process on the legacy engine, the rewritten job
in another child process on this engine.
"""
