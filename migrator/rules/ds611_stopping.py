"""Graceful stop and getActive().

## Why

A graceful stop does not wait for what cannot come. On the legacy engine, if the last batch failed,
it waits for the whole `gracefulStopTimeout`. And `stop()` on one context no longer makes
`getActive()` forget another one that is running.

## What to do

Nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._literals import is_true
from migrator.rules._notes import Note


def _stops(module: Module, project: Project) -> Iterator[Call]:
    for call in module.calls_of(Kind.CONTEXT, "stop", "getActive", "getActiveOrCreate"):
        if call.method != "stop" or is_true(call.given("stopGraceFully")):
            yield call


RULE = Note(
    "DS611",
    "stopping",
    "Graceful stop and getActive() differ in two edge cases",
    on=_stops,
    message="{method} differs from the legacy engine in an edge case",
    help="nothing to do; `migrate explain DS611` describes it",
    differences=("D33", "D35"),
)

VALID = [HEAD + "ssc.stop()\n"]
INVALID = [Example(HEAD + "ssc.stop(stopSparkContext=True, stopGraceFully=True)\n", lines=(5,))]
