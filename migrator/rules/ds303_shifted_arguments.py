"""An argument in the wrong place.

## Why

Python accepts `reduceByKeyAndWindow(f, 24, 4, slideDuration=2)`, but not as it was meant: the
second parameter is the inverse function, so 24 is called as a function and 4 becomes the window.
Scala has overloads without an inverse function; Python does not.

## What to do

Write `None` for the function that is left out, or pass the durations by name:
`reduceByKeyAndWindow(f, None, 24, 4)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._literals import is_none

RULE = Rule(
    "DS303",
    "shifted-arguments",
    "A number where a function is expected, or the other way round",
    Severity.ERROR,
    Readiness.DECIDE,
    message="the parameter {parameter} of {method} is given {wrong} is expected",
    help="write None for a function that is left out, or pass the arguments by name",
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
            if wrong is not None:
                yield RULE.at(module, call, argument, parameter=parameter, wrong=wrong)


def _wrong(parameter: str, argument: ast.expr) -> str | None:
    """What is given where something else is expected; only what cannot be right."""
    if is_none(argument):
        return None
    if parameter in _FUNCTIONS:
        harmless = parameter in _MAY_BE_FALSE and _is_false(argument)
        given = isinstance(argument, (*_LITERALS, ast.Constant)) and not harmless
        return "a value where a function" if given else None
    if parameter in _DURATIONS:
        return _no_number(argument, (str, bytes), "a number of seconds")
    if parameter in _COUNTS:
        return _no_number(argument, (str, bytes, float), "a whole number")
    return None


_LITERALS = (ast.List, ast.Tuple, ast.Dict, ast.JoinedStr)


def _no_number(argument: ast.expr, other: tuple[type, ...], wanted: str) -> str | None:
    if isinstance(argument, ast.Lambda):
        return f"a function where {wanted}"
    constant = argument.value if isinstance(argument, ast.Constant) else None
    if isinstance(argument, _LITERALS) or isinstance(constant, other):
        return f"something else where {wanted}"
    return None


def _is_false(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Constant) and not argument.value
