"""An impossible batch duration.

## Why

`StreamingContext(sc, 0)` is accepted by the legacy engine and never works. Now zero, a negative
number and anything under a millisecond raise a `ValueError`, and text a `TypeError`, when the
context is made.

## What to do

Give the batch duration in seconds, as a number.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._literals import milliseconds

RULE = Rule(
    "DS607",
    "batch-duration",
    "A batch duration of zero or less is refused",
    Severity.ERROR,
    Readiness.DECIDE,
    message="a batch duration like this never worked, and is now refused",
    help="give seconds, 0.001 or more",
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
        argument = call.given("batchDuration")
        duration = milliseconds(argument)
        if argument is not None and duration is not None and duration < 1:
            yield RULE.at(module, call, argument)
