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
from migrator.model.jobmodel import Kind, Module, Project, Role
from migrator.rules._examples import HEAD
from migrator.rules._notes import calls

RULE = Rule(
    "DS501",
    "no-output",
    "A job is started without an output operation",
    Severity.ERROR,
    Readiness.DECIDE,
    message="no output operation was found in this job, and start() fails without one",
    help="add pprint, foreachRDD or another output operation",
)

VALID = [
    HEAD + "pairs.pprint()\nssc.start()\n",
    HEAD + "helpers.write(pairs)\nssc.start()\n",
]
INVALID = [Example(HEAD + "ssc.start()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in project.first(module, calls(Kind.CONTEXT, "start")):
        if not any(_may_have_one(project, paths) for paths in project.jobs_of(module)):
            yield RULE.at(module, call, confidence=Confidence.LIKELY)


def _may_have_one(project: Project, paths: tuple[str, ...]) -> bool:
    """An output, or a place where code that we do not see might add one."""
    modules = project.modules_at(paths)
    if len(modules) < len(paths) or any(module.escapes for module in modules):
        return True
    if not any(module.has_calls(Kind.CONTEXT, "__init__") for module in modules):
        return True
    if any(not call.known for module in modules for call in module.calls):
        return True  # DS301 reports these
    streams = [stream for stream in project.streams if stream.path in paths]
    outputs = [stream for stream in streams if stream.role is Role.OUTPUT]
    frames = any(module.has_calls(Kind.STREAM, "toDF") for module in modules)
    return not streams or bool(outputs) or frames
