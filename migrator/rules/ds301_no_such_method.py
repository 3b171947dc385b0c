"""A method that DStreams do not have.

## Why

`collect`, `sortByKey`, `distinct` and many others are methods of RDDs and DataFrames. A DStream
stands for all batches to come and has none of them, so the call fails when the job is built, on
both engines.

## What to do

Methods that give another RDD go into `transform`: `stream.transform(lambda rdd: rdd.sortByKey())`.
Methods that give a result go into `foreachRDD`: `stream.foreachRDD(lambda rdd:
print(rdd.collect()))`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS301",
    "no-such-method",
    "A method that DStreams do not have",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="a {on} has no method {method}",
    help="{instead}",
)

_GIVE_RDDS = frozenset(
    [
        "aggregateByKey",
        "cartesian",
        "coalesce",
        "combineByKeyWithClassTag",
        "distinct",
        "dropDuplicates",
        "foldByKey",
        "groupBy",
        "intersection",
        "keyBy",
        "keys",
        "mapPartitionsWithSplit",
        "pipe",
        "randomSplit",
        "repartitionAndSortWithinPartitions",
        "sample",
        "sampleByKey",
        "sortBy",
        "sortByKey",
        "subtract",
        "subtractByKey",
        "values",
        "zip",
        "zipWithIndex",
        "zipWithUniqueId",
    ]
)
_GIVE_RESULTS = frozenset(
    [
        "aggregate",
        "collect",
        "collectAsMap",
        "countByKey",
        "countApprox",
        "first",
        "fold",
        "foreach",
        "foreachPartition",
        "getNumPartitions",
        "isEmpty",
        "lookup",
        "max",
        "mean",
        "min",
        "stats",
        "stdev",
        "sum",
        "take",
        "takeOrdered",
        "takeSample",
        "toLocalIterator",
        "top",
        "treeReduce",
        "saveAsTextFile",
        "saveAsPickleFile",
        "saveAsSequenceFile",
        "saveAsHadoopFile",
        "saveAsNewAPIHadoopFile",
        "saveAsHadoopDataset",
        "saveAsNewAPIHadoopDataset",
    ]
)
_OTHER = {
    "print": "the name in Python is pprint()",
    "show": "print batches with pprint(), or make a DataFrame of the RDD in foreachRDD",
    "foreachBatch": "that is Structured Streaming; a DStream has foreachRDD",
    "writeStream": "that is Structured Streaming; use stream.toDF(schema).writeStream",
    "foreachRdd": "the name in Python is foreachRDD",
    "forEachRDD": "the name in Python is foreachRDD",
    "saveAsTextFile": "the name on a stream is saveAsTextFiles(prefix)",
    "saveAsObjectFiles": "Python has saveAsPickleFiles(prefix) in dstream_compat",
    "saveAsHadoopFiles": "save the RDD in foreachRDD",
    "saveAsNewAPIHadoopFiles": "save the RDD in foreachRDD",
    "saveToCassandra": "the package adds it to pyspark's DStream only; save in foreachRDD",
    "reduceByKeyAndWindowWithInverse": "reduceByKeyAndWindow takes the inverse function",
    "select": "a DStream has no columns; make a DataFrame of the RDD in foreachRDD",
    "createOrReplaceTempView": "make a DataFrame of the RDD in foreachRDD",
    "registerTempTable": "make a DataFrame of the RDD in foreachRDD",
}

VALID = [
    HEAD + "pairs.transform(lambda rdd: rdd.sortByKey()).pprint()\n",
    "rdd = sc.parallelize([1])\nrdd.collect()\n",
]
INVALID = [
    Example(HEAD + "pairs.sortByKey().pprint()\n", lines=(5,)),
    Example(HEAD + "print(pairs.collect())\n", lines=(5,)),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls:
        if call.known or call.on not in (Kind.STREAM, Kind.CONTEXT):
            continue
        if not call.method.startswith("_"):  # DS601 reports private names
            yield RULE.at(module, call, instead=_instead(call.on, call.method))


def _instead(kind: Kind, method: str) -> str:
    if kind is Kind.STREAM:
        if method in _OTHER:
            return _OTHER[method]
        if method in _GIVE_RDDS:
            return f"call it on the RDD of each batch: transform(lambda rdd: rdd.{method}(…))"
        if method in _GIVE_RESULTS:
            return f"call it on the RDD of each batch: foreachRDD(lambda rdd: … rdd.{method}(…))"
        return "do it on the RDD of each batch, in transform or foreachRDD"
    if method in ("fileStream", "receiverStream", "actorStream", "rawSocketStream"):
        return (
            "Python has textFileStream, binaryRecordsStream and, in dstream_compat, receiverStream"
        )
    return "docs/operators.md lists the methods of a StreamingContext"
