"""Offset ranges are read from an RDD that has none.

## Why

`rdd.offsetRanges()` exists on the RDDs of the Kafka stream itself. After `map` or any other
operator the RDD no longer knows where its records came from, and the call fails in every batch, on
both engines.

## What to do

Read the ranges first, in a `transform` that returns the RDD unchanged, and map afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project, Role
from migrator.rules._examples import KAFKA
from migrator.rules._functions import positional

RULE = Rule(
    "DS206",
    "offset-ranges-too-late",
    "offsetRanges() is called on an RDD that an operator has changed",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="the RDD in this {method} does not come straight from the Kafka stream, so it has no "
    "offset ranges",
    help="read them in a transform directly on the Kafka stream",
)

_HEAD = KAFKA + 'stream = KafkaUtils.createDirectStream(ssc, ["events"], params)\n'

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
        if asked is not None and _too_late(call, project):
            yield RULE.at(module, call, asked)


def _too_late(call: Call, project: Project) -> bool:
    stream = project.stream_of(call)
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
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="offsetRanges")):
                    if name in parameters:
                        return node
    return None
