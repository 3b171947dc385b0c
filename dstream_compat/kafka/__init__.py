"""``pyspark.streaming.kafka`` of Spark 2.4, on the Kafka connector of today's Spark.

>>> from dstream_compat.kafka import KafkaUtils
>>> KafkaUtils.createDirectStream(  # doctest: +SKIP
...     ssc, ["clicks"], {"metadata.broker.list": "localhost:9092"}
... )
"""

from dstream_compat.kafka.messages import (
    Broker,
    KafkaMessageAndMetadata,
    OffsetRange,
    TopicAndPartition,
    utf8_decoder,
)
from dstream_compat.kafka.utils import KafkaDStream, KafkaUtils, add_connector

__all__ = [
    "Broker",
    "KafkaDStream",
    "KafkaMessageAndMetadata",
    "KafkaUtils",
    "OffsetRange",
    "TopicAndPartition",
    "add_connector",
    "utf8_decoder",
]
