"""start() is called more than once.

## Why

A second `start()` of a running context does nothing; one after `stop()` fails with
"StreamingContext has already been stopped". Both engines do this.

## What to do

Remove the extra call. To run again after a stop, make a new context.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS605",
    "started-twice",
    "start() of one context is called more than once",
    Severity.INFO,
    Readiness.READY,
    message="start() is called for a context that has been started",
    help="a second start() does nothing, and fails after stop(); remove one of them",
)

VALID = [HEAD + "pairs.pprint()\nssc.start()\n"]
INVALID = [Example(HEAD + "pairs.pprint()\nssc.start()\nssc.start()\n", lines=(7,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.CONTEXT, "start"):
        if call.after_start:
            yield RULE.at(module, call)
