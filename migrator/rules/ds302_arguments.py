"""Arguments that do not fit the signature.

## Why

The call fails with a `TypeError` when the job is built, on both engines: an argument is missing,
there are too many, or the method has no such keyword.

## What to do

Look up the signature. The names are those of `pyspark.streaming`, and several differ from Scala's
(`stopGraceFully`, `windowDuration`).
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS302",
    "arguments-do-not-fit",
    "Arguments that do not fit the method's signature",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="the arguments do not fit {name}: {mismatch}",
    help="call {name} with the arguments of its signature",
)

VALID = [
    HEAD + "lines.window(4, slideDuration=2).pprint()\n",
    HEAD + "lines.window(*durations).pprint()\n",
]
INVALID = [
    Example(HEAD + "lines.window(4, slide=2).pprint()\n", lines=(5,)),
    Example(HEAD + "pairs.groupByKeyAndWindow().pprint()\n", lines=(5,)),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls:
        if call.mismatch is not None and call.known:
            name = call.owner if call.method == "__init__" else f"{call.owner}.{call.method}"
            yield RULE.at(module, call, name=name)
