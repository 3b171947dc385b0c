"""Looking back with slice.

## Why

`slice` gives the batches that are remembered. The legacy engine also *makes* others: it generates
future batches early, computes forgotten ones again, and takes the next RDD out of a queue for
that, which is then missing from the stream. Here such times give nothing. Streams with a window or
state behind them can be sliced where they have an output of their own.

## What to do

Ask `ssc.remember(seconds)` for as much of the past as you look back at.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import HEAD, method_of

RULE = Rule(
    "DS319",
    "slice-remembers-only",
    "slice gives remembered batches only",
    Severity.WARNING,
    Readiness.DECIDE,
    differences=("D25", "D48"),
)

VALID = [
    HEAD + "ssc.remember(60)\npairs.pprint()\n",
    HEAD + "lines.map(lambda line: line[slice(3)]).pprint()\n",
]
INVALID = [Example(HEAD + "pairs.pprint()\nrdds = pairs.slice(begin, end)\n", lines=(6,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, "slice"):
        yield RULE.finding(
            module.source,
            method_of(module, call),
            "slice gives remembered batches only, and no longer generates the others",
            "see that ssc.remember covers the time looked back at",
            confidence=call.confidence,
        )
