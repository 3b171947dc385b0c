"""Kafka offsets that the job keeps by itself.

## Why

Jobs on the 0.8 connector often keep offsets in a table or in ZooKeeper and hand them back with
`fromOffsets` after a restart. That goes on to work. But with a checkpoint directory there are then
two memories of the same thing, and the checkpoint's counts after a restart: `fromOffsets` is the
starting point of a new checkpoint only.

## What to do

Decide which memory counts. Either keep the table and start without `getOrCreate`, or start once
with `fromOffsets` from the table, and let the checkpoint keep offsets and state together from then
on.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import given

RULE = Rule(
    "DS205",
    "kafka-offsets-by-hand",
    "Kafka offsets that the job keeps by itself",
    Severity.WARNING,
    Readiness.DECIDE,
)

_IMPORTS = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
"""

VALID = [_IMPORTS + 'KafkaUtils.createDirectStream(ssc, ["events"], params).pprint()\n']
INVALID = [
    Example(
        _IMPORTS
        + """\
start = {TopicAndPartition("events", 0): load_offset()}
KafkaUtils.createDirectStream(ssc, ["events"], params, fromOffsets=start).pprint()
""",
        lines=(5,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.UTILS, "createDirectStream"):
        offsets = given(call, "fromOffsets")
        if offsets is None:
            continue
        yield RULE.finding(
            module.source,
            offsets,
            "the job brings its own Kafka offsets, and a checkpoint would remember others",
            "keep one memory: these offsets without getOrCreate, or the checkpoint after a first "
            "start with them",
            confidence=call.confidence,
        )
