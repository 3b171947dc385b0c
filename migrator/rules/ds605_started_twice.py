"""start() is called more than once.

## Why

A second `start()` of a running context does nothing; one after `stop()` fails with
"StreamingContext has already been stopped". Both engines do this.

## What to do

Remove the one that is too many. For another run after a stop make another context.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import HEAD, method_of

RULE = Rule(
    "DS605",
    "started-twice",
    "start() of one context is called more than once",
    Severity.INFO,
    Readiness.READY,
)

VALID = [HEAD + "pairs.pprint()\nssc.start()\n"]
INVALID = [Example(HEAD + "pairs.pprint()\nssc.start()\nssc.start()\n", lines=(7,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.CONTEXT, "start"):
        if call.after_start:
            yield RULE.finding(
                module.source,
                method_of(module, call),
                "start() is called for a context that has been started",
                "a second start() does nothing, and fails after stop(); remove one of them",
                confidence=call.confidence,
            )
