"""A job that goes on from a checkpoint of the legacy engine.

## Why

`getOrCreate` restores the job from its directory. What the legacy engine wrote there are pickled
Java objects of that engine, which nothing else can read. The moved job refuses such a directory
with a sentence.

## What to do

Decide how the job begins. Give it a directory of its own; then it starts with no state. Where
state must go on, save it with the old job's last run (`state.foreachRDD(lambda rdd:
rdd.saveAsPickleFile(…))`) and give it to `updateStateByKey(…, initialRDD=sc.pickleFile(…))`.

A direct Kafka stream kept its offsets in the old checkpoint as well: say where the moved job
begins, with `fromOffsets` or the setting `spark.dstream_compat.kafka.startingOffsets`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import given, method_of

RULE = Rule(
    "DS402",
    "legacy-checkpoint",
    "getOrCreate cannot go on from a checkpoint of the legacy engine",
    Severity.WARNING,
    Readiness.DECIDE,
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
    if "dstream_compat" in module.source.text:
        return  # already moved: its directory is its own by now
    for call in module.calls_of(Kind.CONTEXT, "getOrCreate", "getActiveOrCreate"):
        if call.method == "getActiveOrCreate" and given(call, "checkpointPath") is None:
            continue
        yield RULE.finding(
            module.source,
            method_of(module, call),
            "a checkpoint that the legacy engine left in this directory cannot be read",
            "give the moved job a directory of its own, and carry state over with initialRDD",
            confidence=call.confidence,
        )
