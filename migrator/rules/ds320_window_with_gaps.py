"""A window that is shorter than its slide, next to another one.

## Why

An input is read only when an output needs it, on both engines: what arrives between one window and
the next waits. But if a longer window on the same input needs what is in between, and nothing needs
every batch, the legacy engine reads the batches in the order in which the outputs were registered,
and the shorter window gets data of earlier batches. Now every batch is read at its own time.

## What to do

Make the window as long as its slide, or compare the results of both windows with `migrate verify`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model import api
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._literals import number

RULE = Rule(
    "DS320",
    "window-with-gaps",
    "A window that is shorter than its slide, next to another one",
    Severity.WARNING,
    Readiness.DECIDE,
    message="if another window shares its input, this one may get other batches than before",
    help="make it as long as its slide, or compare both windows with migrate verify",
    differences=("D62",),
)

VALID = [
    HEAD + "lines.window(2, 6).pprint()\n",
    HEAD + "lines.window(6, 6).pprint()\nlines.window(12, 6).pprint()\n",
]
INVALID = [Example(HEAD + "lines.window(2, 6).pprint()\nlines.window(6, 6).pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    calls = list(module.calls_of(Kind.STREAM, *api.WINDOWS))
    for call in calls if len(calls) > 1 else ():
        window = call.given("windowDuration")
        length, step = number(window), number(call.given("slideDuration"))
        if window is not None and length and step and length < step:
            yield RULE.at(module, call, window)
