"""A job without an output operation.

## Why

A context that is started without `pprint`, `foreachRDD` or another output fails: "No output
operations registered, so nothing to execute". Both engines do this.

## What to do

Add an output operation.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project, Role
from migrator.rules._support import HEAD, at_most, jobs_of, method_of, once

RULE = Rule(
    "DS501",
    "no-output",
    "A job is started without an output operation",
    Severity.ERROR,
    Readiness.DECIDE,
)

VALID = [
    HEAD + "pairs.pprint()\nssc.start()\n",
    HEAD + "helpers.write(pairs)\nssc.start()\n",
]
INVALID = [Example(HEAD + "ssc.start()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in once(module, project, _starts):
        if any(_may_have_one(project, paths) for paths in jobs_of(module, project)):
            return
        yield RULE.finding(
            module.source,
            method_of(module, call),
            "no output operation was found in this job, and start() fails without one",
            "add pprint, foreachRDD or another output operation",
            confidence=at_most(call.confidence, Confidence.LIKELY),
        )


def _may_have_one(project: Project, paths: tuple[str, ...]) -> bool:
    """An output, or a place where something that we do not see might add one."""
    modules = [project.modules[path] for path in paths if path in project.modules]
    if len(modules) < len(paths) or any(module.escapes for module in modules):
        return True
    if not any(True for module in modules for _ in module.calls_of(Kind.CONTEXT, "__init__")):
        return True
    if any(not call.known for module in modules for call in module.calls):
        return True  # DS301 has something to say about it
    streams = [stream for stream in project.streams if stream.path in paths]
    outputs = [stream for stream in streams if stream.role is Role.OUTPUT]
    frames = any(True for module in modules for _ in module.calls_of(Kind.STREAM, "toDF"))
    return not streams or bool(outputs) or frames


def _starts(module: Module) -> Iterator[Call]:
    return module.calls_of(Kind.CONTEXT, "start")
