"""A slide of zero, or a window that is negative or empty.

## Why

The legacy engine accepts them and fails every batch with "/ by zero". Now they raise a `ValueError`
when the job is built. A window of length zero is always empty; outputs of one with an inverse
function are never called.

## What to do

For one window per batch, leave `slideDuration` out.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model import api
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._literals import milliseconds

RULE = Rule(
    "DS306",
    "zero-slide",
    "A slide of zero, or a window that is negative or empty",
    Severity.ERROR,
    Readiness.DECIDE,
    message="a {parameter} like this never worked, and now fails when the job is built",
    help="for one window per batch, leave the slide out",
    differences=("D47",),
)

VALID = [HEAD + "lines.window(6, None).pprint()\n"]
INVALID = [Example(HEAD + "lines.window(6, 0).pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, *api.WINDOWS):
        for parameter, least in (("windowDuration", 0), ("slideDuration", 1)):
            argument = call.given(parameter)
            duration = milliseconds(argument)
            if argument is None or duration is None:
                continue
            if duration < least:
                yield RULE.at(module, call, argument, parameter=parameter)
            elif duration == 0:
                yield RULE.at(
                    module,
                    call,
                    argument,
                    message="a window of length zero is always empty",
                    help="give the length you mean, or remove the output",
                    severity=Severity.WARNING,
                )
