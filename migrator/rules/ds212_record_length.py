"""binaryRecordsStream with an impossible record length.

## Why

The length is checked at once and applies to its own stream only. The legacy engine failed only when
the first file came, and two streams with different lengths broke each other.

## What to do

Give a positive int.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import CONTEXT
from migrator.rules._literals import number

RULE = Rule(
    "DS212",
    "record-length",
    "The record length of binaryRecordsStream is not a positive int",
    Severity.ERROR,
    Readiness.DECIDE,
    message="recordLength is not a positive int, so the call fails",
    help="give the length of a record in bytes",
    differences=("D17",),
)

VALID = [CONTEXT + "ssc.binaryRecordsStream(directory, 16).pprint()\n"]
INVALID = [Example(CONTEXT + "ssc.binaryRecordsStream(directory, 0).pprint()\n", lines=(3,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.CONTEXT, "binaryRecordsStream"):
        length = call.given("recordLength")
        value = number(length)
        literal = isinstance(length, ast.Constant) and value is None
        if length is not None and (literal or (value is not None and not _fits(value, length))):
            yield RULE.at(module, call, length)


def _fits(value: float, node: ast.expr) -> bool:
    return value > 0 and isinstance(node, ast.Constant) and isinstance(node.value, int)
