"""An argument that stands in the wrong place.

## Why

`reduceByKeyAndWindow(f, 24, 4, slideDuration=2)` binds, but not as meant: its second parameter is
the inverse function, so 24 is called as a function and 4 becomes the window. Scala's overloads
have no inverse function there; Python's only form has.

## What to do

Write `None` for the function that is not there, or give durations by name:
`reduceByKeyAndWindow(f, None, 24, 4)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import HEAD, is_none

RULE = Rule(
    "DS303",
    "shifted-arguments",
    "A number where a function belongs, or the other way round",
    Severity.ERROR,
    Readiness.DECIDE,
)

_FUNCTIONS = frozenset(
    [
        "f",
        "func",
        "updateFunc",
        "invFunc",
        "filterFunc",
        "reduceFunc",
        "invReduceFunc",
        "createCombiner",
        "mergeValue",
        "mergeCombiners",
        "partitionFunc",
        "transformFunc",
        "setupFunc",
    ]
)
_MAY_BE_FALSE = frozenset({"invFunc", "invReduceFunc", "filterFunc"})
_DURATIONS = frozenset({"windowDuration", "slideDuration", "batchDuration", "interval", "duration"})
_COUNTS = frozenset({"numPartitions", "num"})

VALID = [
    HEAD + "pairs.reduceByKeyAndWindow(f, None, 24, 4).pprint()\n",
    HEAD + "pairs.reduceByKeyAndWindow(f, g, windowDuration=24, slideDuration=4).pprint()\n",
]
INVALID = [
    Example(HEAD + "pairs.reduceByKeyAndWindow(f, 24, 4, slideDuration=2).pprint()\n", lines=(5,))
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls:
        if call.on not in (Kind.STREAM, Kind.CONTEXT) or not call.known:
            continue
        for parameter, argument in (call.arguments or {}).items():
            wrong = _wrong(parameter, argument)
            if wrong is None:
                continue
            yield RULE.finding(
                module.source,
                argument,
                f"the parameter {parameter} of {call.method} is given {wrong}",
                "write None for a function that is left out, or give the arguments by name",
                confidence=call.confidence,
            )


def _wrong(parameter: str, argument: ast.expr) -> str | None:
    """What stands where something else belongs; only what cannot be right."""
    if is_none(argument):
        return None
    constant = argument.value if isinstance(argument, ast.Constant) else None
    other = isinstance(argument, (ast.List, ast.Tuple, ast.Dict, ast.JoinedStr))
    if parameter in _FUNCTIONS:
        harmless = not constant and parameter in _MAY_BE_FALSE
        if other or (constant is not None and not harmless):
            return "a value where a function belongs"
    elif parameter in _DURATIONS:
        if isinstance(argument, ast.Lambda):
            return "a function where seconds belong"
        if other or isinstance(constant, (str, bytes)):
            return "something else where seconds belong"
    elif parameter in _COUNTS:
        if isinstance(argument, ast.Lambda):
            return "a function where a number belongs"
        if other or isinstance(constant, (str, bytes, float)):
            return "something else where a whole number belongs"
    return None
