"""The checkpoint directory of a moved job.

## Why

A job that calls `ssc.checkpoint(directory)` without `getOrCreate` starts from nothing each time,
on both engines. But a directory in which the legacy engine left its own files is refused when the
moved job starts, so that nothing is mixed up.

## What to do

Before the first start give another directory, or delete the old one: nothing in it would have been
used.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import given, note

RULE = Rule(
    "DS404",
    "checkpoint-directory",
    "A directory with files of the legacy engine is refused",
    Severity.INFO,
    Readiness.READY,
    differences=("D30",),
)

_HEAD = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
"""

VALID = [
    _HEAD + "ssc.checkpoint(None)\n",
    _HEAD.replace("pyspark.streaming", "dstream_compat") + "ssc.checkpoint(directory)\n",
]
INVALID = [Example(_HEAD + "ssc.checkpoint(directory)\n", lines=(3,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _directories,
        "if the legacy engine left files in this directory, the moved job refuses it",
        "give another directory, or delete the old one before the first start",
    )


def _directories(module: Module) -> Iterator[Call]:
    if "dstream_compat" not in module.source.text:
        for call in module.calls_of(Kind.CONTEXT, "checkpoint"):
            if given(call, "directory") is not None:
                yield call
