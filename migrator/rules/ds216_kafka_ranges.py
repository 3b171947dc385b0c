"""A Kafka stream is read in ranges of offsets, and its group is a Kafka group.

## Why

Every batch of `createDirectStream` and `createStream` is a range of offsets per partition, in the
checkpoint before it is processed: every record comes once. `createStream` has no receiver any more
and keeps its group in Kafka, not in ZooKeeper. Partitions that are added to a topic are read from
their beginning, brokers that do not answer are waited for, and a parameter that Kafka does not know
is refused when the stream is made. Where retention has deleted the first records of a range, the
batch has the rest, and `awaitTermination` raises.

## What to do

Nothing, unless a second process shared the group of a `createStream`: it reads all partitions now.
See [Kafka](../kafka.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import method_of, once

RULE = Rule(
    "DS216",
    "kafka-ranges",
    "Kafka streams are read in ranges of offsets, without receivers",
    Severity.INFO,
    Readiness.READY,
    differences=("D49", "D50", "D51", "D52", "D64"),
)

_HEAD = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
"""

VALID = [_HEAD + "KafkaUtils.createRDD(sc, params, ranges).count()\n"]
INVALID = [
    Example(_HEAD + 'KafkaUtils.createDirectStream(ssc, ["events"], params).pprint()\n', lines=(4,))
]

_STREAMS = frozenset({"createStream", "createDirectStream"})


def check(module: Module, project: Project) -> Iterator[Finding]:
    def streams(module: Module) -> Iterator[Call]:
        return (
            call for call in module.calls_of(Kind.UTILS, *_STREAMS) if call.owner == "KafkaUtils"
        )

    for call in once(module, project, streams):
        yield RULE.finding(
            module.source,
            method_of(module, call),
            "Kafka is read in ranges of offsets here, without a receiver",
            "nothing to do, unless another process shares the group",
            confidence=call.confidence,
        )
