"""binaryRecordsStream with a length that cannot be.

## Why

The length is checked at once and belongs to its own stream. On the legacy engine a length that is
no positive int failed when the first file came, and two streams with different lengths broke each
other.

## What to do

Give a positive int.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import given, number

RULE = Rule(
    "DS212",
    "record-length",
    "The record length of binaryRecordsStream is no positive int",
    Severity.ERROR,
    Readiness.DECIDE,
    differences=("D17",),
)

_HEAD = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
"""

VALID = [_HEAD + "ssc.binaryRecordsStream(directory, 16).pprint()\n"]
INVALID = [Example(_HEAD + "ssc.binaryRecordsStream(directory, 0).pprint()\n", lines=(3,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.CONTEXT, "binaryRecordsStream"):
        length = given(call, "recordLength")
        value = number(length)
        literal = isinstance(length, ast.Constant) and value is None
        if length is None or not (literal or (value is not None and not _fits(value, length))):
            continue
        yield RULE.finding(
            module.source,
            length,
            "recordLength is no positive int and is refused at once",
            "give the length of a record in bytes",
            confidence=call.confidence,
        )


def _fits(value: float, node: ast.expr) -> bool:
    return value > 0 and isinstance(node, ast.Constant) and isinstance(node.value, int)
