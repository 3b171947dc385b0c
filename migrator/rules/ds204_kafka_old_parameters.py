"""Kafka parameters of version 0.8.

## Why

Kafka has renamed or dropped many settings since 0.8. The names that jobs use are translated
(`metadata.broker.list`, `auto.offset.reset` with `smallest` and `largest`). ZooKeeper's settings
have lost their meaning and are dropped.

## What to do

Nothing now. When you edit the job, use today's names: `bootstrap.servers`, `auto.offset.reset` with
`earliest` and `latest`, `max.partition.fetch.bytes`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._dicts import known_dict
from migrator.rules._examples import KAFKA
from migrator.rules._literals import text

RULE = Rule(
    "DS204",
    "kafka-old-parameters",
    "Kafka parameters with names or values of version 0.8",
    Severity.INFO,
    Readiness.READY,
    message="the Kafka parameter {name} is written as in Kafka 0.8",
    help="nothing to do; {today}",
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

VALID = [
    KAFKA
    + 'KafkaUtils.createDirectStream(ssc, ["events"], {"bootstrap.servers": brokers}).pprint()\n'
]
INVALID = [
    Example(
        KAFKA
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
        params = call.given("kafkaParams") if call.owner == "KafkaUtils" else None
        if params is None:
            continue
        for key, name, value in known_dict(module.source, params).items:
            today = None if key in told else _today(name, value)
            if today is not None:
                told.add(key)
                yield RULE.at(module, call, key, name=name, today=today)


def _today(name: str, value: ast.expr) -> str | None:
    """What became of a parameter of Kafka 0.8."""
    if name in _RENAMED:
        return f"its name today is {_RENAMED[name]}"
    if name.startswith("zookeeper.") or name in _DROPPED:
        return "it has lost its meaning and is dropped"
    if name == "auto.offset.reset" and text(value) in _OLD_VALUES:
        return "today's values are earliest and latest"
    return None
