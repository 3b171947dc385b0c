"""``ZeroMQUtils``: the name. Spark's connector for it moved out of Spark and was given up."""

from __future__ import annotations

from dstream_compat.gone import refusing

__all__ = ["ZeroMQUtils"]


class ZeroMQUtils:
    """Made streams of ZeroMQ messages; its call raises now."""

    createStream = refusing(
        "ZeroMQUtils.createStream",
        "Spark's ZeroMQ connector never reached Spark 3.",
        "With pyzmq, a SUB socket in a receiver does the same.",
    )
