"""``pyspark.streaming.kafka`` of Spark 2.4, on Structured Streaming's Kafka connector.

>>> from dstream_compat.kafka import KafkaUtils
>>> KafkaUtils.createDirectStream(  # doctest: +SKIP
...     ssc, ["clicks"], {"metadata.broker.list": "localhost:9092"}
... )
"""

from typing import Any

from dstream_compat.dstream import DStream as KafkaTransformedDStream  # what transform() gives
from dstream_compat.kafka.utils import KafkaDStream, KafkaUtils, add_connector
from dstream_compat.stages.kafka_messages import (
    Broker,
    KafkaMessageAndMetadata,
    OffsetRange,
    TopicAndPartition,
    utf8_decoder,
)

__all__ = [
    "Broker",
    "KafkaDStream",
    "KafkaMessageAndMetadata",
    "KafkaRDD",
    "KafkaTransformedDStream",
    "KafkaUtils",
    "OffsetRange",
    "TopicAndPartition",
    "add_connector",
    "utf8_decoder",
]


def __getattr__(name: str) -> Any:
    if name == "KafkaRDD":  # its module needs this one
        from dstream_compat.connectors.kafka.records import KafkaRDD

        return KafkaRDD
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
