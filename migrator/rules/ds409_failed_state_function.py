"""When a state function fails.

## Why

If the function of `updateStateByKey` raises, the legacy engine computes that batch's state again
for every later batch, so all of them fail, also after a restart. Here the batch fails, the state
of the partition it happened in stays as it was, and later batches go on. The data of the failed
batch is not in that state.

## What to do

If no data may be missing from the state, set `spark.dstream_compat.stopOnError`: the first error
stops the job.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, note

RULE = Rule(
    "DS409",
    "failed-state-function",
    "A state function that fails no longer fails all later batches",
    Severity.INFO,
    Readiness.READY,
    differences=("D44",),
)

VALID = [HEAD + "pairs.reduceByKey(f).pprint()\n"]
INVALID = [Example(HEAD + "pairs.updateStateByKey(f).pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _states,
        "if the function of {method} fails, later batches go on without that batch's data",
        "set spark.dstream_compat.stopOnError where no data may be missing from the state",
    )


def _states(module: Module) -> Iterator[Call]:
    return module.calls_of(Kind.STREAM, "updateStateByKey")
