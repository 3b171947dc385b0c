"""Spark's artefacts on Maven: the old Kafka connectors, and the one that moved jobs need.

The only place that knows which version of Spark a moved job runs on.
"""

from __future__ import annotations

import re

SPARK = "4.3.0"
"""The version of pyspark that the shim is developed on; its connectors have the same."""
SCALA = "2.13"
KAFKA = f"org.apache.spark:spark-sql-kafka-0-10_{SCALA}:{SPARK}"
"""What `--packages` needs for a Kafka source."""

# org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.0, also -assembly, without -0-8 (Spark 1.x),
# and the Structured Streaming connector for a Scala that no Spark 4 has, or of a Spark below 4.2.
OLD_KAFKA = re.compile(
    r"org\.apache\.spark:(?:spark-streaming-kafka(?:-0-8|-0-10)?(?:-assembly)?_2\.\d+"
    r"|spark-sql-kafka-0-10_2\.(?:10|11|12|13(?=:(?:[0-3]|4\.[01])(?!\d)))):"
    r"(?P<version>[0-9][\w.-]*)?"
)
OLD_KAFKA_NAME = re.compile(r"spark-streaming-kafka(?:-0-8|-0-10)?(?:-assembly)?(?=_2|\b)")
OLD_KAFKA_JAR = re.compile(r"spark-streaming-kafka[\w.-]*\.jar")
