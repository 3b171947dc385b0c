"""Several streams made in a loop and united.

## Why

A receiver read with one thread of one executor, so jobs made many of them on the same topic and
united them. A single Kafka stream reads all partitions in parallel now; several on one topic and
group share them, so nothing comes twice. Streams from *different* hosts or topics are something
else and must stay separate.

## What to do

Nothing has to be done. Where all streams read the same topic, one stream does, and is faster.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import method_of

RULE = Rule(
    "DS211",
    "several-receivers",
    "Several receivers made in a loop and united",
    Severity.INFO,
    Readiness.READY,
)

_HEAD = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
"""

VALID = [
    _HEAD
    + """\
one = KafkaUtils.createStream(ssc, zookeeper, "group", {"events": 1})
two = KafkaUtils.createStream(ssc, zookeeper, "group", {"others": 1})
ssc.union(one, two).pprint()
"""
]
INVALID = [
    Example(
        _HEAD
        + """\
streams = [KafkaUtils.createStream(ssc, zookeeper, "group", {"events": 1}) for _ in range(4)]
ssc.union(*streams).pprint()
""",
        lines=(5,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.CONTEXT, "union"):
        if not any(isinstance(argument, ast.Starred) for argument in call.node.args):
            continue
        yield RULE.finding(
            module.source,
            method_of(module, call),
            "streams that all read one topic are united here, or streams of different origins",
            "nothing to do; where they all read one topic, one stream reads all its partitions",
            confidence=call.confidence,
        )
