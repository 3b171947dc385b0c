"""Unions of unions.

## Why

Streams of any origin can be united; the legacy engine refused some unions and could not read
others. In batches where one input has no partition at all (an idle socket or directory), a union of
unions may have another number of partitions than on the legacy engine. The elements are the same.

## What to do

Nothing, unless something downstream counts partitions (`glom`, `mapPartitionsWithIndex`).
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._notes import Note


def _nested(module: Module, project: Project) -> Iterator[Call]:
    for call in module.calls:
        if call.on not in (Kind.STREAM, Kind.CONTEXT) or call.method not in ("union", "window"):
            continue
        stream = project.stream_of(call)
        parents = () if stream is None else stream.parents
        if any(project.streams[number].operation == "union" for number in parents):
            yield call


RULE = Note(
    "DS314",
    "unions-of-unions",
    "A union of unions may have another number of partitions",
    on=_nested,
    message="this {method} of a union may have another number of partitions when an input is idle",
    help="nothing to do, unless something downstream counts partitions",
    differences=("D23", "D24"),
)

VALID = [HEAD + "lines.union(others).pprint()\n"]
INVALID = [Example(HEAD + "lines.union(lines).union(lines).pprint()\n", lines=(5,))]
