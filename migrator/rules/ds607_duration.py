"""A batch duration that cannot be.

## Why

`StreamingContext(sc, 0)` is accepted by the legacy engine and never works. Here zero, a negative
number and anything under a millisecond is a `ValueError`, and text a `TypeError`, when the context
is made.

## What to do

Give the batch duration in seconds, as a number.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import given, number

RULE = Rule(
    "DS607",
    "batch-duration",
    "A batch duration of zero or less is refused",
    Severity.ERROR,
    Readiness.DECIDE,
    differences=("D36",),
)

_IMPORT = "from pyspark.streaming import StreamingContext\n"

VALID = [
    _IMPORT + "ssc = StreamingContext(sc, 0.5)\n",
    _IMPORT + "ssc = StreamingContext(sc, batchDuration=int(seconds))\n",
]
INVALID = [Example(_IMPORT + "ssc = StreamingContext(sc, 0)\n", lines=(2,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.CONTEXT, "__init__"):
        argument = given(call, "batchDuration")
        seconds = number(argument)
        if argument is not None and seconds is not None and int(seconds * 1000) < 1:
            yield RULE.finding(
                module.source,
                argument,
                "a batch duration like this never worked, and is refused",
                "give seconds, at least a thousandth",
                confidence=call.confidence,
            )
