"""A streaming model of MLlib.

## Why

`trainOn`, `predictOn` and `predictOnValues` of `StreamingKMeans`,
`StreamingLinearRegressionWithSGD` and `StreamingLogisticRegressionWithSGD` check that they are
given a DStream *of pyspark*, and refuse a stream of `dstream_compat` with a `TypeError`. `trainOn`
is also an output operation, although it does not look like one.

## What to do

Run the job unedited with `python -m dstream_compat job.py`: there pyspark's DStream and ours are
the same class. Or write out what the methods do: `stream.foreachRDD(lambda rdd:
model.latestModel().update(rdd, decay, unit))` for `trainOn` of k-means, `stream.map(lambda v:
model.latestModel().predict(v))` for `predictOn`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS505",
    "mllib-streaming",
    "Streaming models of MLlib accept pyspark's DStreams only",
    Severity.ERROR,
    Readiness.DECIDE,
    message="{method} of MLlib's streaming models refuses streams of dstream_compat",
    help="run the job with `python -m dstream_compat job.py`, or use foreachRDD and map instead",
)

METHODS = ("trainOn", "predictOn", "predictOnValues")

VALID = [
    HEAD
    + """\
from pyspark.mllib.clustering import StreamingKMeans
model = StreamingKMeans(k=2).setRandomCenters(3, 1.0, 0)
lines.foreachRDD(lambda rdd: model.latestModel().update(rdd, 1.0, "batches"))
"""
]
INVALID = [
    Example(
        HEAD
        + """\
from pyspark.mllib.clustering import StreamingKMeans
model = StreamingKMeans(k=2).setRandomCenters(3, 1.0, 0)
model.trainOn(lines)
""",
        lines=(7,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.MODEL, *METHODS):
        yield RULE.at(module, call)
