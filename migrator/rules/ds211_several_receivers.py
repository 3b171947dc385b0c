"""Several streams made in a loop and united.

## Why

A receiver read with one thread of one executor, so jobs made many of them on the same topic and
united them. Now a single Kafka stream reads all partitions in parallel; several with the same topic
and group share the partitions, so nothing is read twice. Streams from *different* hosts or topics
are another matter and must stay separate.

## What to do

Nothing. If all streams read the same topic, a single stream is enough, and faster.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import KAFKA

RULE = Rule(
    "DS211",
    "several-receivers",
    "Several receivers made in a loop and united",
    Severity.INFO,
    Readiness.READY,
    message="several streams are united here, which may all read the same topic",
    help="nothing to do; if they all read one topic, one stream reads all its partitions",
)

VALID = [
    KAFKA
    + """\
one = KafkaUtils.createStream(ssc, zookeeper, "group", {"events": 1})
two = KafkaUtils.createStream(ssc, zookeeper, "group", {"others": 1})
ssc.union(one, two).pprint()
"""
]
INVALID = [
    Example(
        KAFKA
        + """\
streams = [KafkaUtils.createStream(ssc, zookeeper, "group", {"events": 1}) for _ in range(4)]
ssc.union(*streams).pprint()
""",
        lines=(5,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.CONTEXT, "union"):
        if any(isinstance(argument, ast.Starred) for argument in call.node.args):
            yield RULE.at(module, call)
