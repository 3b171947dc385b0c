"""A filterFunc that is never called.

## Why

`reduceByKeyAndWindow` applies `filterFunc` only where there is an inverse function. Without one it
is ignored, on both engines.

## What to do

Filter behind the window: `.reduceByKeyAndWindow(f, None, 20, 2).filter(g)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import HEAD, given, is_none

RULE = Rule(
    "DS308",
    "filter-without-inverse",
    "filterFunc without an inverse function is ignored",
    Severity.INFO,
    Readiness.READY,
)

VALID = [HEAD + "pairs.reduceByKeyAndWindow(f, inverse, 20, 2, filterFunc=g).pprint()\n"]
INVALID = [
    Example(
        HEAD + "pairs.reduceByKeyAndWindow(f, None, 20, 2, filterFunc=g).pprint()\n", lines=(5,)
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, "reduceByKeyAndWindow"):
        function = given(call, "filterFunc")
        if function is not None and is_none((call.arguments or {}).get("invFunc")):
            yield RULE.finding(
                module.source,
                function,
                "filterFunc is ignored where there is no inverse function, as it always was",
                "filter behind the window instead",
                confidence=call.confidence,
            )
