"""A DStream is tested for truth.

## Why

A DStream is always true: it stands for all batches to come. `if stream:` does not test whether
there is data, on either engine.

## What to do

Test inside the batch: `stream.foreachRDD(lambda rdd: rdd.isEmpty() or …)`. To test whether there is
a stream at all, write `stream is not None`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project

RULE = Rule(
    "DS603",
    "stream-in-boolean-context",
    "A DStream is always true, with or without data",
    Severity.WARNING,
    Readiness.DECIDE,
    message="a DStream is always true, so this does not test for data",
    help="test for data inside the batch (rdd.isEmpty()), or write `is not None`",
)

_HEAD = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 1)
lines = ssc.socketTextStream("localhost", 9999)
"""

VALID = [_HEAD + "if lines is not None:\n    lines.pprint()\n"]
INVALID = [Example(_HEAD + "if lines:\n    lines.pprint()\n", lines=(4,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for test in module.tests:
        yield RULE.at(module, test)
