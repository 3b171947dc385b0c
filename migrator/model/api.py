"""The legacy API and the shim's, as data: names, signatures, and what a call makes.

The migrator imports neither; `tests/migrator/model/test_api.py` compares this page with the real
classes.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

LEGACY = "pyspark.streaming"
SHIM = "dstream_compat"


class Makes(enum.Enum):
    """What the result of a call is."""

    NOTHING = "nothing"
    """Or something of no interest here."""
    SOURCE = "source"
    STREAM = "stream"
    SAME = "same"
    """The receiver itself: ``cache``, ``persist``."""
    OUTPUT = "output"
    CONTEXT = "context"
    RDD = "rdd"
    RDDS = "rdds"
    SPARK_CONTEXT = "spark"
    SPEC = "spec"

    __hash__ = object.__hash__  # an enum's own is slow


@dataclass(frozen=True)
class Parameter:
    name: str
    required: bool
    star: bool = False
    """Takes all remaining positional arguments."""


@dataclass(frozen=True)
class Method:
    """A function of the API; ``self`` is not among its parameters."""

    name: str
    parameters: tuple[Parameter, ...]
    makes: Makes
    shim_only: bool = False
    bare: bool = False
    """A property, not a method."""


def _parameter(text: str) -> Parameter:
    name = text.strip().rstrip("=").lstrip("*")
    return Parameter(name, required="=" not in text and "*" not in text, star="*" in text)


def _methods(table: str) -> Mapping[str, Method]:
    """One method per line: ``name(required, optional=, *rest) makes``, ``+name`` for shim only."""
    found = {}
    for line in table.strip().splitlines():
        head, _, rest = line.strip().partition("(")
        inside, _, makes = rest.partition(")")
        name = head.lstrip("+@")
        found[name] = Method(
            name,
            tuple(_parameter(part) for part in inside.split(",") if part.strip()),
            Makes(makes.strip() or "nothing"),
            shim_only="+" in head,
            bare="@" in head,
        )
    return MappingProxyType(found)


DSTREAM = _methods(
    """
    __init__(jdstream, ssc, jrdd_deserializer) source
    cache() same
    checkpoint(interval) same
    cogroup(other, numPartitions=) stream
    combineByKey(createCombiner, mergeValue, mergeCombiners, numPartitions=) stream
    context() context
    count() stream
    countByValue() stream
    countByValueAndWindow(windowDuration, slideDuration, numPartitions=) stream
    countByWindow(windowDuration, slideDuration) stream
    filter(f) stream
    flatMap(f, preservesPartitioning=) stream
    flatMapValues(f) stream
    foreachRDD(func) output
    fullOuterJoin(other, numPartitions=) stream
    glom() stream
    groupByKey(numPartitions=) stream
    groupByKeyAndWindow(windowDuration, slideDuration, numPartitions=) stream
    join(other, numPartitions=) stream
    leftOuterJoin(other, numPartitions=) stream
    map(f, preservesPartitioning=) stream
    mapPartitions(f, preservesPartitioning=) stream
    mapPartitionsWithIndex(f, preservesPartitioning=) stream
    mapValues(f) stream
    +mapWithState(stateSpec) stream
    +named(name) same
    partitionBy(numPartitions, partitionFunc=) stream
    persist(storageLevel) same
    pprint(num=) output
    reduce(func) stream
    reduceByKey(func, numPartitions=) stream
    reduceByKeyAndWindow(func, invFunc, windowDuration, slideDuration=, numPartitions=, \
filterFunc=) stream
    reduceByWindow(reduceFunc, invReduceFunc, windowDuration, slideDuration) stream
    repartition(numPartitions) stream
    rightOuterJoin(other, numPartitions=) stream
    +saveAsPickleFiles(prefix, suffix=) output
    saveAsTextFiles(prefix, suffix=) output
    slice(begin, end) rdds
    +stateSnapshots() stream
    +toDF(schema) output
    transform(func) stream
    transformWith(func, other, keepSerializer=) stream
    union(other) stream
    updateStateByKey(updateFunc, numPartitions=, initialRDD=) stream
    window(windowDuration, slideDuration=) stream
    """
)

_TRANSFORMED = MappingProxyType({**DSTREAM, **_methods("__init__(prev, func) source")})

STREAMING_CONTEXT = _methods(
    """
    __init__(sparkContext, batchDuration=, jssc=) context
    addStreamingListener(streamingListener)
    awaitTermination(timeout=)
    awaitTerminationOrTimeout(timeout)
    binaryRecordsStream(directory, recordLength) source
    checkpoint(directory)
    +dataFrameStream(df) source
    getActive() context
    getActiveOrCreate(checkpointPath, setupFunc) context
    getOrCreate(checkpointPath, setupFunc, rebuild=) context
    queueStream(rdds, oneAtATime=, default=) source
    +receiverStream(receiver) source
    remember(duration)
    socketTextStream(hostname, port, storageLevel=) source
    @sparkContext() spark
    start()
    +state_metrics()
    stop(stopSparkContext=, stopGraceFully=)
    textFileStream(directory) source
    transform(dstreams, transformFunc) stream
    union(*dstreams) stream
    """
)

STATE_SPEC = _methods(
    """
    +__init__(function) spec
    +function(mappingFunction) spec
    +initialState(rdd) spec
    +numPartitions(numPartitions) spec
    +timeout(idleDuration) spec
    """
)

KAFKA_UTILS = _methods(
    """
    createStream(ssc, zkQuorum, groupId, topics, kafkaParams=, storageLevel=, keyDecoder=, \
valueDecoder=) source
    createDirectStream(ssc, topics, kafkaParams, fromOffsets=, keyDecoder=, valueDecoder=, \
messageHandler=) source
    createRDD(sc, kafkaParams, offsetRanges, leaders=, keyDecoder=, valueDecoder=, \
messageHandler=) rdd
    """
)
KINESIS_UTILS = _methods(
    "createStream(ssc, kinesisAppName, streamName, endpointUrl, regionName, "
    "initialPositionInStream, checkpointInterval, metricsLevel=, storageLevel=, awsAccessKeyId=, "
    "awsSecretKey=, decoder=, stsAssumeRoleArn=, stsSessionName=, stsExternalId=) source"
)
FLUME_UTILS = _methods(
    """
    createStream(ssc, hostname, port, storageLevel=, enableDecompression=, bodyDecoder=) source
    createPollingStream(ssc, addresses, storageLevel=, maxBatchSize=, parallelism=, \
bodyDecoder=) source
    """
)
MQTT_UTILS = _methods("createStream(ssc, brokerUrl, topic, storageLevel=) source")

_STREAMING_MODEL = _methods(
    """
    trainOn(dstream) output
    predictOn(dstream) stream
    predictOnValues(dstream) stream
    """
)

CLASSES: Mapping[str, Mapping[str, Method]] = MappingProxyType(
    {
        "DStream": DSTREAM,
        "TransformedDStream": _TRANSFORMED,
        "KafkaDStream": DSTREAM,
        "KafkaTransformedDStream": _TRANSFORMED,
        "MapWithStateDStream": DSTREAM,
        "StreamingContext": STREAMING_CONTEXT,
        "StateSpec": STATE_SPEC,
        "KafkaUtils": KAFKA_UTILS,
        "KinesisUtils": KINESIS_UTILS,
        "FlumeUtils": FLUME_UTILS,
        "MQTTUtils": MQTT_UTILS,
        "Broker": _methods("__init__(host, port)"),
        "OffsetRange": _methods("__init__(topic, partition, fromOffset, untilOffset)"),
        "TopicAndPartition": _methods("__init__(topic, partition)"),
        "KafkaMessageAndMetadata": _methods("__init__(topic, partition, offset, key, message)"),
        "KafkaRDD": _methods("offsetRanges()"),
    }
)
"""Classes of the API and their methods. KinesisUtils is that of Spark 3 and 4."""

STREAMING_MODELS: Mapping[str, Mapping[str, Method]] = MappingProxyType(
    dict.fromkeys(
        (
            "StreamingKMeans",
            "StreamingLinearRegressionWithSGD",
            "StreamingLogisticRegressionWithSGD",
        ),
        _STREAMING_MODEL,
    )
)
"""MLlib's models that learn from a DStream."""

MODULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "": ("StreamingContext", "DStream", "StreamingListener"),
        ".context": ("StreamingContext",),
        ".dstream": ("DStream", "TransformedDStream"),
        ".listener": ("StreamingListener",),
        ".util": ("TransformFunction", "TransformFunctionSerializer", "rddToFileName"),
        ".kafka": (
            "Broker",
            "KafkaDStream",
            "KafkaMessageAndMetadata",
            "KafkaRDD",
            "KafkaTransformedDStream",
            "KafkaUtils",
            "OffsetRange",
            "TopicAndPartition",
            "utf8_decoder",
        ),
        ".kinesis": ("KinesisUtils", "InitialPositionInStream", "MetricsLevel", "utf8_decoder"),
        ".flume": ("FlumeUtils", "utf8_decoder"),
        ".mqtt": ("MQTTUtils",),
    }
)
"""Modules below ``pyspark.streaming``, Spark 2.4's included, and what is imported from them."""

SHIM_NAMES = ("DStream", "Receiver", "State", "StateSpec", "StreamingContext", "StreamingListener")
"""What ``dstream_compat`` itself exports."""

PYSPARK_NAMES = (
    "SparkConf",
    "SparkContext",
    "SparkFiles",
    "RDD",
    "StorageLevel",
    "Broadcast",
    "Accumulator",
    "AccumulatorParam",
    "TaskContext",
)
"""What ``from pyspark import *`` imports, as far as it matters here."""

HOMES: Mapping[str, str] = MappingProxyType(
    {
        name: LEGACY + module
        for module in (".mqtt", ".flume", ".kinesis", ".kafka", ".dstream", ".context", "")
        for name in MODULES[module]
        if name not in ("utf8_decoder",)
    }
)
"""The module that a name of the legacy API should be imported from."""

TRANSFORMS = frozenset({"transform", "transformWith"})
WINDOWS = frozenset(
    {
        "countByValueAndWindow",
        "countByWindow",
        "groupByKeyAndWindow",
        "reduceByKeyAndWindow",
        "reduceByWindow",
        "window",
    }
)
STATEFUL = (WINDOWS - {"window"}) | {"mapWithState", "updateStateByKey"}
"""Methods of a DStream whose result depends on earlier batches as well, but for a plain window."""
OUTPUTS = frozenset({"foreachRDD", "pprint", "saveAsPickleFiles", "saveAsTextFiles"})
RESTORING = ("getOrCreate", "getActiveOrCreate")
"""Methods of a StreamingContext that restore it from a checkpoint."""

ONLY_STREAMS = frozenset(
    {
        "countByValueAndWindow",
        "countByWindow",
        "foreachRDD",
        "groupByKeyAndWindow",
        "mapWithState",
        "reduceByKeyAndWindow",
        "reduceByWindow",
        "saveAsTextFiles",
        "transformWith",
        "updateStateByKey",
    }
)
"""Methods that only a DStream has."""

ONLY_CONTEXTS = frozenset(
    {
        "addStreamingListener",
        "awaitTerminationOrTimeout",
        "binaryRecordsStream",
        "queueStream",
        "socketTextStream",
        "textFileStream",
    }
)
"""Methods that only a StreamingContext has."""

RDD_TO_RDD = frozenset(
    [
        "aggregateByKey",
        "barrier",
        "cache",
        "cartesian",
        "coalesce",
        "cogroup",
        "combineByKey",
        "distinct",
        "filter",
        "flatMap",
        "flatMapValues",
        "foldByKey",
        "fullOuterJoin",
        "glom",
        "groupBy",
        "groupByKey",
        "groupWith",
        "intersection",
        "join",
        "keyBy",
        "keys",
        "leftOuterJoin",
        "map",
        "mapPartitions",
        "mapPartitionsWithIndex",
        "mapValues",
        "partitionBy",
        "persist",
        "pipe",
        "reduceByKey",
        "repartition",
        "repartitionAndSortWithinPartitions",
        "rightOuterJoin",
        "sample",
        "sampleByKey",
        "setName",
        "sortBy",
        "sortByKey",
        "subtract",
        "subtractByKey",
        "transform",
        "union",
        "unpersist",
        "values",
        "withResources",
        "zip",
        "zipWithIndex",
        "zipWithUniqueId",
    ]
)
"""Methods of an RDD that return an RDD."""


@lru_cache(maxsize=4096)
def submodule(dotted: str) -> str | None:
    """``.kafka`` for ``pyspark.streaming.kafka`` and for ``dstream_compat.kafka``, "" for the
    packages themselves, None for anything else.

    >>> submodule("dstream_compat.kafka"), submodule("pyspark.streaming"), submodule("os.path")
    ('.kafka', '', None)
    """
    for root in (LEGACY, SHIM):
        if dotted == root or dotted.startswith(root + "."):
            return dotted[len(root) :]
    return None
