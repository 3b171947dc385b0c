"""A job that ends with its script.

## Why

`start()` returns at once. If the script ends there, the process ends, and the streams with it. In a
notebook or a shell that is as it should be.

## What to do

Call `ssc.awaitTermination()` at the end of a script.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._notes import calls

RULE = Rule(
    "DS606",
    "never-awaited",
    "A context is started and never awaited",
    Severity.INFO,
    Readiness.READY,
    message="nothing waits for this context, so its job ends with the script",
    help="call awaitTermination() at the end of a script",
)

VALID = [
    HEAD + "pairs.pprint()\nssc.start()\nssc.awaitTermination()\n",
    HEAD + "pairs.pprint()\nssc.start()\ntime.sleep(60)\nssc.stop()\n",
]
INVALID = [Example(HEAD + "pairs.pprint()\nssc.start()\n", lines=(6,))]

_WAITS = ("awaitTermination", "awaitTerminationOrTimeout", "stop")


def check(module: Module, project: Project) -> Iterator[Finding]:
    if module.source.notebook:
        return
    for call in project.first(module, calls(Kind.CONTEXT, "start")):
        job = project.modules_with(module)
        # whatever the context is called there
        if not any(name in at.source.text for at in job for name in _WAITS):
            yield RULE.at(module, call, confidence=Confidence.LIKELY)
