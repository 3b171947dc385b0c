"""Something is added to a job that has started.

## Why

Sources, windows and outputs cannot be added after `start()`: "Adding new inputs, transformations,
and output operations after starting a context is not supported". Both engines do this, also when
it is done by a thread or a signal handler, or in the function of a `foreachRDD` or `transform`:
that runs in a batch, and the batch fails.

## What to do

Build everything before `start()`, and switch inside the batch: `stream.foreachRDD(lambda rdd:
show(rdd) if wanted else None)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project, Role
from migrator.rules._support import HEAD, OUTPUTS, STATEFUL, TRANSFORMS, made_by, method_of

RULE = Rule(
    "DS502",
    "after-start",
    "A source, a window or an output is added after start()",
    Severity.ERROR,
    Readiness.BLOCKED,
)

VALID = [
    HEAD + "pairs.pprint()\nssc.start()\nssc.awaitTermination()\n",
    HEAD + "pairs.pprint()\nssc.start()\ncounts = pairs.map(f)\n",
]
INVALID = [Example(HEAD + "pairs.count().pprint()\nssc.start()\npairs.pprint()\n", lines=(7,))]

_REFUSED = OUTPUTS | STATEFUL | {"window", "union", "transformWith", "cache", "persist"}
_DRIVER_SIDE = TRANSFORMS | {"foreachRDD"}


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls:
        in_batch = call.in_batch in _DRIVER_SIDE and call.confidence is not Confidence.GUESS
        if not (in_batch or (call.after_start and not call.in_batch)) or not _adds(call, project):
            continue
        yield RULE.finding(
            module.source,
            method_of(module, call),
            f"{call.method} is called inside {call.in_batch}, after start(), which is refused"
            if in_batch
            else f"{call.method} is called after start(), which is refused",
            "build the whole job before start(), and decide inside the batch what it does",
            confidence=call.confidence,
        )


def _adds(call: Call, project: Project) -> bool:
    if call.on is Kind.STREAM:
        return call.method in _REFUSED
    if call.on is Kind.CONTEXT and call.method in ("union", "transform"):
        return True
    stream = made_by(project, call)
    return stream is not None and stream.role is Role.SOURCE
