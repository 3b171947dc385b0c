"""checkpoint on a stream.

## Why

`stream.checkpoint(interval)` said how often an RDD is cut off from its past. State is saved with
every batch here, so the interval has no effect, but for `mapWithState`, where it says how often
time-outs are looked for. It is still checked at start: at least the stream's slide, and a multiple
of it. On a plain `window` the call fails the start, as it always did.

## What to do

Nothing; the call may stay, but on a plain `window`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, note

RULE = Rule(
    "DS407",
    "stream-checkpoint",
    "The checkpoint interval of a stream has no effect",
    Severity.INFO,
    Readiness.READY,
    differences=("D27",),
)

VALID = [HEAD + "ssc.checkpoint(directory)\npairs.pprint()\n"]
INVALID = [Example(HEAD + "pairs.checkpoint(10)\npairs.pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _checkpoints,
        "the checkpoint interval of a stream has no effect but on the time-outs of mapWithState",
        "nothing to do",
    )


def _checkpoints(module: Module) -> Iterator[Call]:
    return module.calls_of(Kind.STREAM, "checkpoint")
