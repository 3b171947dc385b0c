"""A filterFunc that is never called.

## Why

`reduceByKeyAndWindow` applies `filterFunc` only if there is an inverse function. Without one it is
ignored, on both engines.

## What to do

Filter after the window: `.reduceByKeyAndWindow(f, None, 20, 2).filter(g)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._literals import is_none

RULE = Rule(
    "DS308",
    "filter-without-inverse",
    "filterFunc without an inverse function is ignored",
    Severity.INFO,
    Readiness.READY,
    message="filterFunc is ignored without an inverse function, as it always was",
    help="filter after the window instead",
)

VALID = [HEAD + "pairs.reduceByKeyAndWindow(f, inverse, 20, 2, filterFunc=g).pprint()\n"]
INVALID = [
    Example(
        HEAD + "pairs.reduceByKeyAndWindow(f, None, 20, 2, filterFunc=g).pprint()\n", lines=(5,)
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, "reduceByKeyAndWindow"):
        function = call.given("filterFunc")
        if function is not None and is_none(call.argument("invFunc")):
            yield RULE.at(module, call, function)
