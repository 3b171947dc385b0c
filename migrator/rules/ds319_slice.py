"""Looking back with slice.

## Why

`slice` gives the batches that are remembered. The legacy engine also *makes* others: it generates
future batches early, computes forgotten ones again, and for that takes the next RDD out of a queue,
which is then missing from the stream. Now such times give nothing. A stream with a window or state
downstream can be sliced if it has its own output.

## What to do

Call `ssc.remember(seconds)` with the time you want to look back.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS319",
    "slice-remembers-only",
    "slice gives remembered batches only",
    Severity.WARNING,
    Readiness.DECIDE,
    message="slice gives remembered batches only, and no longer generates the others",
    help="check that ssc.remember covers the time you look back",
    differences=("D25", "D48"),
)

VALID = [
    HEAD + "ssc.remember(60)\npairs.pprint()\n",
    HEAD + "lines.map(lambda line: line[slice(3)]).pprint()\n",
]
INVALID = [Example(HEAD + "pairs.pprint()\nrdds = pairs.slice(begin, end)\n", lines=(6,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, "slice"):
        yield RULE.at(module, call)
