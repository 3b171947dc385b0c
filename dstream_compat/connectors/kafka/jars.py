"""Spark's Kafka connector: whether it is installed, and how to get it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyspark
from pyspark import SparkConf

from dstream_compat.base.pyspark_internals import is_java_class, jvm

if TYPE_CHECKING:
    from pyspark import SparkContext

_SCALA = "2.13"
_PACKAGES = "spark.jars.packages"


def coordinate(version: str = pyspark.__version__) -> str:
    """The Maven coordinate of the connector for a version of Spark.

    >>> coordinate("4.2.0")
    'org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0'
    """
    return f"org.apache.spark:spark-sql-kafka-0-10_{_SCALA}:{version}"


def add_connector(conf: SparkConf | None = None) -> SparkConf:
    """A SparkConf with the connector among its packages, for a SparkContext yet to be created.

    >>> add_connector(SparkConf(False)).get("spark.jars.packages")  # doctest: +ELLIPSIS
    'org.apache.spark:spark-sql-kafka-0-10_2.13:...'
    """
    conf = SparkConf() if conf is None else conf
    known = [each for each in (conf.get(_PACKAGES, "") or "").split(",") if each.strip()]
    if not any("spark-sql-kafka-0-10" in each for each in known):
        conf.set(_PACKAGES, ",".join([*known, coordinate()]))
    return conf


def require_connector(sc: SparkContext) -> Any:
    """The JVM, if it has the connector; otherwise raises an error that says how to get it."""
    for name in (
        "org.apache.spark.sql.kafka010.KafkaSourceProvider",
        "org.apache.kafka.clients.admin.Admin",
    ):
        if not is_java_class(sc, name):
            raise RuntimeError(
                "Spark's Kafka connector is not on the class path. Start the job with\n"
                f"    spark-submit --packages {coordinate(sc.version)} …\n"
                f"or set {_PACKAGES} to {coordinate(sc.version)} before creating the "
                "SparkContext (dstream_compat.kafka.add_connector(conf) does that). Without access "
                "to Maven Central, add the jars to spark.jars"
            )
    return jvm(sc)
