"""What listeners see.

## Why

Listeners get the same events in the same order. But outputs are named by their line (`pprint at
job.py:12`), receivers run on `driver`, and in jobs with a `transform` `onBatchSubmitted` comes
together with `onBatchStarted`.

## What to do

Look at what the listener compares: names of outputs and the executor of receivers are others.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, note

RULE = Rule(
    "DS610",
    "listeners",
    "Listeners see other names of outputs",
    Severity.INFO,
    Readiness.READY,
    differences=("D40", "D41"),
)

VALID = [HEAD + "pairs.pprint()\nssc.start()\n"]
INVALID = [Example(HEAD + "ssc.addStreamingListener(listener)\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _listeners,
        "listeners see outputs under the name of their line, and receivers on the driver",
        "see what the listener compares",
    )


def _listeners(module: Module) -> Iterator[Call]:
    return module.calls_of(Kind.CONTEXT, "addStreamingListener")
