"""A stream is put into a container and not followed further.

## Why

Streams in dictionaries, attributes of other libraries' objects and the like are lost from sight.
What is done with them later is not known.

## What to do

Nothing has to change for the move. Look through what is done with the streams that are taken out of
the container.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Escaping, Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS904",
    "stream-in-a-container",
    "A stream is put into a container and not followed further",
    Severity.INFO,
    Readiness.UNKNOWN,
    message="a {kind} is put into a container and not followed further",
    help="look through what is taken out of it",
)

VALID = [HEAD + "pairs.pprint()\n"]
INVALID: list[Example] = []
"""The analysis decides which containers are followed: see the tests."""


def check(module: Module, project: Project) -> Iterator[Finding]:
    for escape in module.escapes:
        if escape.how is Escaping.CONTAINER:
            yield RULE.at(module, escape)
