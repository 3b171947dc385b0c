"""Stopping gracefully, and contexts that are active.

## Why

A graceful stop does not wait for what cannot come: on the legacy engine it waits the whole
`gracefulStopTimeout` when the last batch failed. And `stop()` on one context no longer makes
`getActive()` forget another one that runs.

## What to do

Nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, given, is_true, note

RULE = Rule(
    "DS611",
    "stopping",
    "A graceful stop does not wait in vain, and getActive is not confused by other contexts",
    Severity.INFO,
    Readiness.READY,
    differences=("D33", "D35"),
)

VALID = [HEAD + "ssc.stop()\n"]
INVALID = [Example(HEAD + "ssc.stop(stopSparkContext=True, stopGraceFully=True)\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _stops,
        "{method} does without two accidents of the legacy engine",
        "nothing to do; `migrate explain DS611` says which",
    )


def _stops(module: Module) -> Iterator[Call]:
    for call in module.calls_of(Kind.CONTEXT, "stop", "getActive", "getActiveOrCreate"):
        if call.method != "stop" or is_true(given(call, "stopGraceFully")):
            yield call
