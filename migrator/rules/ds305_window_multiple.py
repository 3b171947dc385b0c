"""A window that is no multiple of the batch interval.

## Why

Window and slide must be multiples of the slide of the stream they are applied to, which is the
batch interval unless there is another window in front. Otherwise the call raises a `ValueError`,
on both engines.

## What to do

Change the window, the slide or the batch interval.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, ancestors, given, made_by, number

RULE = Rule(
    "DS305",
    "window-no-multiple",
    "A window or slide that is no multiple of the batch interval",
    Severity.ERROR,
    Readiness.DECIDE,
)

WINDOWS = (
    "window",
    "reduceByWindow",
    "reduceByKeyAndWindow",
    "countByWindow",
    "countByValueAndWindow",
    "groupByKeyAndWindow",
)

VALID = [
    HEAD + "lines.window(6, 4).pprint()\n",
    HEAD + "lines.window(6, 6).window(12).pprint()\n",
    HEAD + "lines.window(length, slide).pprint()\n",
]
INVALID = [
    Example(HEAD + "lines.window(5).pprint()\n", lines=(5,)),
    Example(HEAD + "lines.countByWindow(6, 3).pprint()\n", lines=(5,)),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, *WINDOWS):
        slide = _slide_in_front(call, project)
        if not slide:
            continue
        for parameter in ("windowDuration", "slideDuration"):
            argument = given(call, parameter)
            seconds = number(argument)
            # as the API does it: whole milliseconds, cut off
            if argument is None or seconds is None or int(seconds * 1000) % slide == 0:
                continue
            yield RULE.finding(
                module.source,
                argument,
                f"the {parameter} of {call.method} is no multiple of the batch interval",
                "change the duration, or the batch interval",
                confidence=call.confidence,
            )


def _slide_in_front(call: Call, project: Project) -> int | None:
    """The slide of the stream a window is applied to, in ms; None if it cannot be known."""
    stream = made_by(project, call)
    if stream is None or stream.context is None or not stream.parents:
        return None
    if any(at.operation in WINDOWS for at in ancestors(project, stream)):
        return None
    seconds = project.contexts[stream.context].batch_seconds
    return None if seconds is None else int(seconds * 1000)
