"""Something is added to a job that has started.

## Why

Sources, windows and outputs cannot be added after `start()`: "Adding new inputs, transformations,
and output operations after starting a context is not supported". Both engines do this, even if a
thread or a signal handler adds them, or the function of a `foreachRDD` or `transform`: that runs in
a batch, and the batch fails.

## What to do

Build everything before `start()`, and switch inside the batch: `stream.foreachRDD(lambda rdd:
show(rdd) if wanted else None)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model import api
from migrator.model.jobmodel import Call, Kind, Module, Project, Role
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS502",
    "after-start",
    "A source, a window or an output is added after start()",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="{method} is called {where}, and the call fails",
    help="build the whole job before start(), and decide inside the batch what it does",
)

VALID = [
    HEAD + "pairs.pprint()\nssc.start()\nssc.awaitTermination()\n",
    HEAD + "pairs.pprint()\nssc.start()\ncounts = pairs.map(f)\n",
]
INVALID = [Example(HEAD + "pairs.count().pprint()\nssc.start()\npairs.pprint()\n", lines=(7,))]

_REFUSED = api.OUTPUTS | api.STATEFUL | {"window", "union", "transformWith", "cache", "persist"}
_DRIVER_SIDE = api.TRANSFORMS | {"foreachRDD"}


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls:
        where = _where(call)
        if where is not None and _adds(call, project):
            yield RULE.at(module, call, where=where)


def _adds(call: Call, project: Project) -> bool:
    if call.on is Kind.STREAM:
        return call.method in _REFUSED
    if call.on is Kind.CONTEXT and call.method in ("union", "transform"):
        return True
    stream = project.stream_of(call)
    return stream is not None and stream.role is Role.SOURCE


def _where(call: Call) -> str | None:
    """How it comes after ``start()``."""
    if call.in_batch in _DRIVER_SIDE and call.confidence is not Confidence.GUESS:
        return f"inside {call.in_batch}, after start()"
    return "after start()" if call.after_start and not call.in_batch else None
