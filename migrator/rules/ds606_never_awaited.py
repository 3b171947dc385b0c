"""A job that nobody waits for.

## Why

`start()` returns at once. Where the script ends behind it, the process ends, and the streams with
it. In a notebook or a shell that is as it should be.

## What to do

Call `ssc.awaitTermination()` at the end of a script.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, at_most, jobs_of, method_of, once

RULE = Rule(
    "DS606",
    "never-awaited",
    "A context is started and nobody waits for its end",
    Severity.INFO,
    Readiness.READY,
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
    for call in once(module, project, _starts):
        job = [
            project.modules[path]
            for paths in jobs_of(module, project)
            for path in paths
            if path in project.modules
        ]
        if any(name in at.source.text for at in job for name in _WAITS):
            return  # by whatever name the context goes there
        yield RULE.finding(
            module.source,
            method_of(module, call),
            "nobody waits for this context, so its job ends with the script",
            "call awaitTermination() at the end of a script",
            confidence=at_most(call.confidence, Confidence.LIKELY),
        )


def _starts(module: Module) -> Iterator[Call]:
    return module.calls_of(Kind.CONTEXT, "start")
