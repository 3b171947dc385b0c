"""Unions of unions.

## Why

Streams of any origin can be united; the legacy engine refused some unions and could not read
others. At batches where one input has no partition at all (an idle socket or directory), a union
of unions may have another number of partitions than there. The elements are the same.

## What to do

Nothing, unless something behind it counts partitions (`glom`, `mapPartitionsWithIndex`).
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, made_by, method_of, once

RULE = Rule(
    "DS314",
    "unions-of-unions",
    "A union of unions may have another number of partitions",
    Severity.INFO,
    Readiness.READY,
    differences=("D23", "D24"),
)

VALID = [HEAD + "lines.union(others).pprint()\n"]
INVALID = [Example(HEAD + "lines.union(lines).union(lines).pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    def nested(module: Module) -> Iterator[Call]:
        for call in module.calls:
            if call.on not in (Kind.STREAM, Kind.CONTEXT) or call.method not in ("union", "window"):
                continue
            stream = made_by(project, call)
            parents = () if stream is None else stream.parents
            if any(project.streams[number].operation == "union" for number in parents):
                yield call

    for call in once(module, project, nested):
        yield RULE.finding(
            module.source,
            method_of(module, call),
            f"this {call.method} over a union may have another number of partitions when an input "
            "is idle",
            "nothing to do, unless something behind it counts partitions",
            confidence=call.confidence,
        )
