"""A slide of zero, or a window that is negative or empty.

## Why

The legacy engine accepts them and fails every batch with "/ by zero". Here they are a `ValueError`
when the job is built. A window of length zero is empty for ever; outputs behind one with an inverse
function are never called.

## What to do

Leave `slideDuration` out for one window per batch.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import HEAD, given, number
from migrator.rules.ds305_window_multiple import WINDOWS

RULE = Rule(
    "DS306",
    "zero-slide",
    "A slide of zero, or a window that is negative or empty",
    Severity.ERROR,
    Readiness.DECIDE,
    differences=("D47",),
)

VALID = [HEAD + "lines.window(6, None).pprint()\n"]
INVALID = [Example(HEAD + "lines.window(6, 0).pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, *WINDOWS):
        window, slide = given(call, "windowDuration"), given(call, "slideDuration")
        for parameter, argument, least in (
            ("windowDuration", window, 0),
            ("slideDuration", slide, 1),
        ):
            seconds = number(argument)
            if argument is not None and seconds is not None and int(seconds * 1000) < least:
                yield RULE.finding(
                    module.source,
                    argument,
                    f"a {parameter} like this never worked, and is refused when the job is built",
                    "leave the slide out for one window per batch",
                    confidence=call.confidence,
                )
            elif (
                argument is not None
                and argument is window
                and seconds is not None
                and int(seconds * 1000) == 0
            ):
                yield RULE.finding(
                    module.source,
                    argument,
                    "a window of length zero never has anything in it",
                    "give it the length that was meant, or take the output out",
                    confidence=call.confidence,
                    severity=Severity.WARNING,
                )
