"""Offset ranges asked of an RDD that has none.

## Why

`rdd.offsetRanges()` exists on the RDDs of the Kafka stream itself. After `map` or any other
operator the RDD no longer knows where its records came from; the call fails in every batch, on
both engines.

## What to do

Take the ranges first, in a `transform` that returns the RDD as it is, and map afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project, Role
from migrator.rules._support import made_by, positional

RULE = Rule(
    "DS206",
    "offset-ranges-too-late",
    "offsetRanges() is asked of an RDD behind an operator",
    Severity.ERROR,
    Readiness.BLOCKED,
)

_HEAD = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
stream = KafkaUtils.createDirectStream(ssc, ["events"], params)
"""

VALID = [_HEAD + "stream.foreachRDD(lambda rdd: print(rdd.offsetRanges()))\n"]
INVALID = [
    Example(
        _HEAD
        + """\
values = stream.map(lambda message: message[1])
values.foreachRDD(lambda rdd: print(rdd.offsetRanges()))
""",
        lines=(6,),
    )
]

_KEEPS = frozenset({"transform", "cache", "persist", "checkpoint"})


def check(module: Module, project: Project) -> Iterator[Finding]:
    if "offsetRanges" not in module.source.text:
        return
    for call in module.calls_of(Kind.STREAM, "foreachRDD", "transform"):
        asked = _asks(call, module.path)
        if asked is None or not _too_late(call, project):
            continue
        yield RULE.finding(
            module.source,
            asked,
            f"the RDD in this {call.method} is not that of the Kafka stream itself and has no "
            "offset ranges",
            "take them in a transform directly behind the Kafka stream",
            confidence=call.confidence,
        )


def _too_late(call: Call, project: Project) -> bool:
    stream = made_by(project, call)
    while stream is not None and len(stream.parents) == 1:
        stream = project.streams[stream.parents[0]]
        if stream.role is Role.SOURCE:
            return False
        if stream.operation not in _KEEPS:
            return True
    return False


def _asks(call: Call, path: str) -> ast.Call | None:
    for function in call.functions.values():
        parameters = set(positional(function.node))
        for node in ast.walk(function.node) if function.module == path else ():
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "offsetRanges"
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id in parameters
            ):
                return node
    return None
