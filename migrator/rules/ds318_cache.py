"""cache and persist on a stream.

## Why

They are accepted and save nothing: a stream is computed once per batch anyway. Behind a
`transform` they do what they did.

## What to do

Nothing; the calls may stay.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, note

RULE = Rule(
    "DS318",
    "cache-saves-nothing",
    "cache and persist on a stream save nothing any more",
    Severity.INFO,
    Readiness.READY,
    differences=("D26",),
)

VALID = [HEAD + "pairs.foreachRDD(lambda rdd: rdd.cache().count())\n"]
INVALID = [Example(HEAD + "pairs.cache().pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _kept,
        "{method} is accepted and saves nothing, since a stream is computed once per batch",
        "nothing to do",
    )


def _kept(module: Module) -> Iterator[Call]:
    return module.calls_of(Kind.STREAM, "cache", "persist")
