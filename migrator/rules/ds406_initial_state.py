"""Initial state passes the driver.

## Why

`initialRDD` and `StateSpec.initialState` are collected when the context starts or at its first
batch, and kept with the checkpoint, so that a crash cannot lose them. A job that has one can be
restarted at any time; on the legacy engine not before its state was checkpointed for the first
time.

## What to do

Nothing for state that fits the driver's memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, given, note

RULE = Rule(
    "DS406",
    "initial-state",
    "Initial state is collected in the driver",
    Severity.INFO,
    Readiness.READY,
    differences=("D46", "D61"),
)

VALID = [HEAD + "ssc.checkpoint(directory)\npairs.updateStateByKey(f).pprint()\n"]
INVALID = [
    Example(
        HEAD + "ssc.checkpoint(directory)\npairs.updateStateByKey(f, initialRDD=before).pprint()\n",
        lines=(6,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _initial,
        "the initial state is collected in the driver once",
        "nothing to do where it fits the driver's memory",
    )


def _initial(module: Module) -> Iterator[Call]:
    yield from module.calls_of(Kind.STATE_SPEC, "initialState")
    for call in module.calls_of(Kind.STREAM, "updateStateByKey"):
        if given(call, "initialRDD") is not None:
            yield call
