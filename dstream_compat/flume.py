"""``pyspark.streaming.flume``: the name. Flume itself was retired in 2024."""

from __future__ import annotations

from dstream_compat.gone import refusing
from dstream_compat.stages.kafka_messages import utf8_decoder

__all__ = ["FlumeUtils", "utf8_decoder"]

_WHY = "Apache Flume is retired, and Spark's connector for it went with Spark 3."
_INSTEAD = "Let the agent write to Kafka (its Kafka sink) and use KafkaUtils.createDirectStream."


class FlumeUtils:
    """Made streams of Flume events; its calls raise now."""

    createStream = refusing("FlumeUtils.createStream", _WHY, _INSTEAD)
    createPollingStream = refusing("FlumeUtils.createPollingStream", _WHY, _INSTEAD)
