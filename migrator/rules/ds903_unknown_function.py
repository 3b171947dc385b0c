"""A stream is passed to a function that was not given.

## Why

The function is not defined in any of the files given, so what it does with the stream is not known:
it may add outputs, or use Java objects.

## What to do

Give the file that defines it to `migrate` as well, in the same run. If it is a package, check
whether it uses only public methods of DStream.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Escaping, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules.ds902_dynamic_name import is_dynamic

RULE = Rule(
    "DS903",
    "unknown-function",
    "A stream is passed to a function that is not in the files given",
    Severity.WARNING,
    Readiness.UNKNOWN,
    message="a {kind} is passed to {function}, which is not in the files given",
    help="give the file that defines it to migrate too",
)

VALID = [
    HEAD + "def show(stream):\n    stream.pprint()\nshow(lines)\n",
    HEAD + "print(lines)\n",
]
INVALID = [Example(HEAD + "from helpers import show\nshow(lines)\n", lines=(6,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for escape in module.escapes:
        if escape.how is Escaping.UNKNOWN_CALL and not is_dynamic(escape):
            function = escape.name or "a function"
            yield RULE.at(module, escape, escape.called, function=function)
