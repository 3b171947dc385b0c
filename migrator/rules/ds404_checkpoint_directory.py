"""The checkpoint directory of a moved job.

## Why

A job that calls `ssc.checkpoint(directory)` without `getOrCreate` starts from nothing each time, on
both engines. But if the legacy engine left files in the directory, the moved job refuses it at its
start, so that nothing gets mixed up.

## What to do

Before the first start, give another directory or delete the old one: nothing in it would have been
used.
"""

from __future__ import annotations

from collections.abc import Iterable

from migrator.core import Example
from migrator.model import api
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._examples import CONTEXT
from migrator.rules._notes import Note, calls


def _directories(module: Module, project: Project) -> Iterable[Call]:
    return () if api.SHIM in module.source.text else _given(module, project)


_given = calls(Kind.CONTEXT, "checkpoint", given=("directory",))

RULE = Note(
    "DS404",
    "checkpoint-directory",
    "A directory with files of the legacy engine is refused",
    on=_directories,
    message="if the legacy engine left files in this directory, the moved job refuses it",
    help="give another directory, or delete the old one before the first start",
    differences=("D30",),
)

VALID = [
    CONTEXT + "ssc.checkpoint(None)\n",
    CONTEXT.replace("pyspark.streaming", "dstream_compat") + "ssc.checkpoint(directory)\n",
]
INVALID = [Example(CONTEXT + "ssc.checkpoint(directory)\n", lines=(3,))]
