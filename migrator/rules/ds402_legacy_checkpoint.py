"""A job that continues from a checkpoint of the legacy engine.

## Why

`getOrCreate` restores the job from its directory. What the legacy engine wrote there are pickled
Java objects of that engine, which nothing else can read. The moved job refuses such a directory
with an error that says so.

## What to do

Decide how the job begins. With a new directory it starts without state. If state must be carried
over, save it in the old job's last run (`state.foreachRDD(lambda rdd: rdd.saveAsPickleFile(…))`)
and pass it to `updateStateByKey(…, initialRDD=sc.pickleFile(…))`.

A direct Kafka stream kept its offsets in the old checkpoint as well: say where the moved job
begins, with `fromOffsets` or the setting `spark.dstream_compat.kafka.startingOffsets`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model import api
from migrator.model.jobmodel import Kind, Module, Project

RULE = Rule(
    "DS402",
    "legacy-checkpoint",
    "getOrCreate cannot continue from a checkpoint of the legacy engine",
    Severity.WARNING,
    Readiness.DECIDE,
    message="if the legacy engine left a checkpoint in this directory, it cannot be read",
    help="give the moved job a new directory, and carry state over with initialRDD",
    differences=("D30",),
)

VALID = [
    """\
from dstream_compat import StreamingContext
ssc = StreamingContext.getOrCreate(directory, set_up)
ssc.start()
"""
]
INVALID = [
    Example(
        """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext.getOrCreate(directory, set_up)
ssc.start()
""",
        lines=(2,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    if api.SHIM in module.source.text:
        return  # already moved: by now the directory is its own
    for call in module.calls_of(Kind.CONTEXT, *api.RESTORING):
        if call.method == "getOrCreate" or call.given("checkpointPath") is not None:
            yield RULE.at(module, call)
