"""A window that is shorter than its slide, beside another one.

## Why

An input is read only when an output needs it, on both engines: what comes between one window and
the next waits. But where a longer window on the same input needs what is in between, and nothing
needs every batch, the legacy engine reads the batches in the order in which the outputs were
registered, and the shorter window gets what belongs to earlier batches. Here every batch is read
at its time.

## What to do

Make the window as long as its slide, or compare what both windows give with `migrate verify`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import HEAD, given, number
from migrator.rules.ds305_window_multiple import WINDOWS

RULE = Rule(
    "DS320",
    "window-with-gaps",
    "A window that is shorter than its slide, beside another one",
    Severity.WARNING,
    Readiness.DECIDE,
    differences=("D62",),
)

VALID = [
    HEAD + "lines.window(2, 6).pprint()\n",
    HEAD + "lines.window(6, 6).pprint()\nlines.window(12, 6).pprint()\n",
]
INVALID = [Example(HEAD + "lines.window(2, 6).pprint()\nlines.window(6, 6).pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    calls = list(module.calls_of(Kind.STREAM, *WINDOWS))
    for call in calls if len(calls) > 1 else ():
        window, slide = given(call, "windowDuration"), given(call, "slideDuration")
        length, step = number(window), number(slide)
        if window is None or not length or not step or length >= step:
            continue
        yield RULE.finding(
            module.source,
            window,
            "where another window shares its input, this one may get other batches than before",
            "make it as long as its slide, or compare both windows with migrate verify",
            confidence=call.confidence,
        )
