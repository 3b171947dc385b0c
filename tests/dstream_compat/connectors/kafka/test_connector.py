"""Spark's Kafka connector: named exactly where it is missing, added where it is asked for."""

from __future__ import annotations

from typing import Any

import pyspark
import pytest
from pyspark import SparkConf

from dstream_compat.connectors.kafka.jars import require_connector
from dstream_compat.kafka import add_connector


class JavaPackage:
    """What py4j gives for a class that is not there: yet another package."""

    def __getattr__(self, name: str) -> JavaPackage:
        return JavaPackage()


class Context:
    version = "4.2.0"
    _jvm = JavaPackage()


def test_a_missing_connector_is_named_with_its_coordinate_and_setting() -> None:
    context: Any = Context()
    with pytest.raises(RuntimeError, match="is not on the class path") as error:
        require_connector(context)
    text = str(error.value)
    assert "--packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0" in text
    assert "spark.jars.packages" in text
    assert "spark.jars" in text


def test_the_connector_is_added_to_the_packages_once() -> None:
    ours = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{pyspark.__version__}"
    conf = SparkConf(False).set("spark.jars.packages", "a:b:1")
    assert add_connector(conf).get("spark.jars.packages") == f"a:b:1,{ours}"
    assert add_connector(conf).get("spark.jars.packages") == f"a:b:1,{ours}"
    own = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0"
    conf = SparkConf(False).set("spark.jars.packages", own)
    assert add_connector(conf).get("spark.jars.packages") == own
