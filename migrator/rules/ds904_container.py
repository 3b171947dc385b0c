"""A stream is put into a container and not followed further.

## Why

Streams in dictionaries, attributes of foreign objects and the like are lost from sight. What is
done with them later is not known.

## What to do

Nothing has to change for the move. Look through what is taken out of the container again.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Escaping, Module, Project
from migrator.rules._support import HEAD

RULE = Rule(
    "DS904",
    "stream-in-a-container",
    "A stream is put into a container and not followed further",
    Severity.INFO,
    Readiness.UNKNOWN,
)

VALID = [HEAD + "pairs.pprint()\n"]
INVALID: list[Example] = []
"""What containers are followed is a matter of the analysis: see the tests."""


def check(module: Module, project: Project) -> Iterator[Finding]:
    for escape in module.escapes:
        if escape.how is Escaping.CONTAINER:
            yield RULE.finding(
                module.source,
                escape.node,
                f"a {escape.kind} is put into a container and not followed further",
                "look through what is taken out of it again",
                confidence=Confidence.LIKELY,
            )
