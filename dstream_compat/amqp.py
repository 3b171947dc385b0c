"""``AMQPUtils``: the name. The connectors for it never reached Spark 3."""

from __future__ import annotations

from dstream_compat.gone import refusing

__all__ = ["AMQPUtils"]


class AMQPUtils:
    """Made streams of AMQP messages; its calls raise now."""

    createStream = refusing(
        "AMQPUtils.createStream",
        "the AMQP connectors for DStreams never reached Spark 3.",
        "With pika or python-qpid-proton, a consumer in a receiver does the same.",
    )
