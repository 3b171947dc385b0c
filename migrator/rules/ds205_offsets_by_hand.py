"""The job keeps its Kafka offsets itself.

## Why

Jobs on the 0.8 connector often keep offsets in a table or in ZooKeeper and pass them back with
`fromOffsets` after a restart. That still works. But with a checkpoint directory there are two
records of the same thing, and after a restart the checkpoint's is the one that counts:
`fromOffsets` is only where a new checkpoint starts.

## What to do

Decide which record counts. Either keep the table and start without `getOrCreate`, or start once
with `fromOffsets` from the table and from then on let the checkpoint keep offsets and state
together.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import KAFKA

RULE = Rule(
    "DS205",
    "kafka-offsets-by-hand",
    "The job keeps its Kafka offsets itself",
    Severity.WARNING,
    Readiness.DECIDE,
    message="the job keeps its own Kafka offsets, and after a restart a checkpoint overrides them",
    help="keep one record: these offsets without getOrCreate, or the checkpoint after a first "
    "start with them",
)

VALID = [KAFKA + 'KafkaUtils.createDirectStream(ssc, ["events"], params).pprint()\n']
INVALID = [
    Example(
        KAFKA
        + """\
start = {TopicAndPartition("events", 0): load_offset()}
KafkaUtils.createDirectStream(ssc, ["events"], params, fromOffsets=start).pprint()
""",
        lines=(5,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.UTILS, "createDirectStream"):
        offsets = call.given("fromOffsets")
        if offsets is not None:
            yield RULE.at(module, call, offsets)
