"""Windows with an inverse function, and restarts.

## Why

After a restart from its checkpoint the legacy engine has lost the inverse function of
`reduceByKeyAndWindow`, `countByWindow` and their like. It reduces every window afresh, so keys
that had stayed with 0 or an empty list vanish at that moment. Here a window goes on as if nothing
had happened.

## What to do

Nothing. To be rid of keys whose values have all left, give `filterFunc`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, given, note

RULE = Rule(
    "DS307",
    "inverse-window-after-restart",
    "A restart no longer changes windows with an inverse function",
    Severity.INFO,
    Readiness.READY,
    differences=("D43",),
)

_ALWAYS = ("countByWindow", "countByValueAndWindow", "groupByKeyAndWindow")

VALID = [
    HEAD + "pairs.reduceByKeyAndWindow(f, None, 20, 2).pprint()\n",
    HEAD + "pairs.window(20, 2).pprint()\n",
]
INVALID = [
    Example(HEAD + "pairs.reduceByKeyAndWindow(f, inverse, 20, 2).pprint()\n", lines=(5,)),
    Example(HEAD + "lines.countByWindow(20, 2).pprint()\n", lines=(5,)),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _with_inverse,
        "{method} keeps its inverse function over a restart, which the legacy engine loses",
        "nothing to do; filterFunc drops keys whose values have all left",
    )


def _with_inverse(module: Module) -> Iterator[Call]:
    yield from module.calls_of(Kind.STREAM, *_ALWAYS)
    for call in module.calls_of(Kind.STREAM, "reduceByKeyAndWindow", "reduceByWindow"):
        if given(call, "invFunc") is not None or given(call, "invReduceFunc") is not None:
            yield call
