"""Kafka parameters of version 0.8.

## Why

Kafka renamed or dropped many settings since 0.8. The names that jobs use are translated
(`metadata.broker.list`, `auto.offset.reset` with `smallest` and `largest`), ZooKeeper's are of no
use any more and are dropped.

## What to do

Nothing now. When you touch the job, use the names of today: `bootstrap.servers`,
`auto.offset.reset` with `earliest` and `latest`, `max.partition.fetch.bytes`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._dicts import seen
from migrator.rules._support import given, text

RULE = Rule(
    "DS204",
    "kafka-old-parameters",
    "Kafka parameters with names or values of version 0.8",
    Severity.INFO,
    Readiness.READY,
)

_RENAMED = {
    "metadata.broker.list": "bootstrap.servers",
    "fetch.message.max.bytes": "max.partition.fetch.bytes",
    "fetch.wait.max.ms": "fetch.max.wait.ms",
    "socket.receive.buffer.bytes": "receive.buffer.bytes",
    "socket.timeout.ms": "request.timeout.ms",
    "auto.commit.enable": "enable.auto.commit",
}
_DROPPED = frozenset(
    {
        "auto.commit.interval.ms",
        "consumer.id",
        "consumer.timeout.ms",
        "dual.commit.enabled",
        "num.consumer.fetchers",
        "offsets.storage",
        "partition.assignment.strategy",
        "queued.max.message.chunks",
        "rebalance.backoff.ms",
        "rebalance.max.retries",
        "refresh.leader.backoff.ms",
        "serializer.class",
    }
)
_OLD_VALUES = frozenset({"smallest", "largest"})

_IMPORTS = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
"""

VALID = [
    _IMPORTS
    + 'KafkaUtils.createDirectStream(ssc, ["events"], {"bootstrap.servers": brokers}).pprint()\n'
]
INVALID = [
    Example(
        _IMPORTS
        + """\
KafkaUtils.createDirectStream(
    ssc,
    ["events"],
    {"metadata.broker.list": brokers, "auto.offset.reset": "smallest"},
).pprint()
""",
        lines=(7, 7),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    told: set[ast.expr] = set()
    for call in module.calls_of(Kind.UTILS):
        params = given(call, "kafkaParams") if call.owner == "KafkaUtils" else None
        if params is None:
            continue
        for key, name, value in seen(module.source, params).items:
            if key in told:
                continue
            told.add(key)
            if name in _RENAMED:
                help = f"nothing to do; its name of today is {_RENAMED[name]}"
            elif name.startswith("zookeeper.") or name in _DROPPED:
                help = "nothing to do; it has no meaning any more and is dropped"
            elif name == "auto.offset.reset" and text(value) in _OLD_VALUES:
                help = "nothing to do; the values of today are earliest and latest"
            else:
                continue
            yield RULE.finding(
                module.source,
                key,
                f"the Kafka parameter {name} is given as Kafka 0.8 had it",
                help,
                confidence=call.confidence,
            )
