"""A window that is shorter than its slide.

## Why

Such a window leaves out the batches between one window and the next, on both engines. But where all
outputs of an input leave the same gaps, the legacy engine does not ask the input for a batch there:
a `queueStream` keeps what it has for later, and a file stream gives it with the next batch that is
asked for. Here every batch time takes what is there, and what is in a gap is left out.

## What to do

Make the window as long as its slide if nothing may be left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.jobmodel import Kind, Module, Project
from migrator.rules._support import HEAD, given, number
from migrator.rules.ds305_window_multiple import WINDOWS

RULE = Rule(
    "DS320",
    "window-with-gaps",
    "A window that is shorter than its slide",
    Severity.WARNING,
    Readiness.DECIDE,
    differences=("D62",),
)

VALID = [HEAD + "lines.window(6, 6).pprint()\n", HEAD + "lines.window(length, 6).pprint()\n"]
INVALID = [Example(HEAD + "lines.window(2, 6).pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, *WINDOWS):
        window, slide = given(call, "windowDuration"), given(call, "slideDuration")
        length, step = number(window), number(slide)
        if window is None or not length or not step or length >= step:
            continue
        yield RULE.finding(
            module.source,
            window,
            "this window leaves out batches, and inputs may give other ones than before",
            "make it as long as its slide, or see that what is in the gaps may be lost",
            confidence=call.confidence,
        )
