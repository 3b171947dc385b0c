"""A window that is not a multiple of the batch interval.

## Why

Window and slide must be multiples of the slide of the stream they are applied to, which is the
batch interval unless there is another window upstream. Otherwise the call raises a `ValueError`, on
both engines.

## What to do

Change the window, the slide or the batch interval.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model import api
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._literals import milliseconds

RULE = Rule(
    "DS305",
    "window-no-multiple",
    "A window or slide that is not a multiple of the batch interval",
    Severity.ERROR,
    Readiness.DECIDE,
    message="the {parameter} of {method} is not a multiple of the batch interval",
    help="change the duration, or the batch interval",
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
    for call in module.calls_of(Kind.STREAM, *api.WINDOWS):
        slide = _slide_upstream(call, project)
        if not slide:
            continue
        for parameter in ("windowDuration", "slideDuration"):
            argument = call.given(parameter)
            duration = milliseconds(argument)
            if argument is not None and duration is not None and duration % slide:
                yield RULE.at(module, call, argument, parameter=parameter)


def _slide_upstream(call: Call, project: Project) -> int | None:
    """The slide of the stream a window is applied to, in ms; None if it cannot be known."""
    stream = project.stream_of(call)
    if stream is None or stream.context is None or not stream.parents:
        return None
    if any(at.operation in api.WINDOWS for at in project.ancestors(stream)):
        return None
    seconds = project.contexts[stream.context].batch_seconds
    return None if seconds is None else int(seconds * 1000)
