"""What an instance of a class of PySpark or of the API is."""

from __future__ import annotations

from migrator.model import api
from migrator.model.jobmodel import Kind

_SPARK = {
    "SparkContext": Kind.SPARK_CONTEXT,
    "SparkConf": Kind.SPARK_CONF,
    "SparkSession": Kind.SESSION,
    "SQLContext": Kind.SESSION,
    "HiveContext": Kind.SESSION,
    "RDD": Kind.RDD,
}
_STREAMING = {
    "StreamingContext": Kind.CONTEXT,
    "DStream": Kind.STREAM,
    "TransformedDStream": Kind.STREAM,
    "KafkaDStream": Kind.STREAM,
    "KafkaTransformedDStream": Kind.STREAM,
    "MapWithStateDStream": Kind.STREAM,
    "StateSpec": Kind.STATE_SPEC,
    "KafkaRDD": Kind.RDD,
}


def kind_of_class(dotted: str) -> Kind | None:
    """What an instance of a class of the API or of PySpark is.

    >>> kind_of_class("pyspark.streaming.dstream.DStream"), kind_of_class("collections.deque")
    (<Kind.STREAM: 'DStream'>, None)
    """
    module, _, name = dotted.rpartition(".")
    if api.submodule(module) is not None:
        return _STREAMING.get(name)
    if module.partition(".")[0] == "pyspark":
        return Kind.MODEL if name in api.STREAMING_MODELS else _SPARK.get(name)
    return None
