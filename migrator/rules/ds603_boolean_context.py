"""A DStream is asked whether it is true.

## Why

A DStream is always true: it stands for all batches to come. `if stream:` does not ask whether
there is data, on either engine.

## What to do

Ask inside the batch: `stream.foreachRDD(lambda rdd: rdd.isEmpty() or …)`. To ask whether there is
a stream at all, write `stream is not None`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project

RULE = Rule(
    "DS603",
    "stream-in-boolean-context",
    "A DStream is always true, with and without data",
    Severity.WARNING,
    Readiness.DECIDE,
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
        yield RULE.finding(
            module.source,
            test.node,
            "a DStream is always true, so this does not ask for data",
            "ask for data inside the batch (rdd.isEmpty()), or write `is not None`",
            confidence=test.confidence,
        )
