"""A stream is handed to a function that is not there.

## Why

The function is defined in none of the files given, so what it does with the stream is not known:
it may add outputs, or reach for Java objects.

## What to do

Give the file that defines it to `migrate` as well, in the same run. If it is a package, look
whether it uses public methods of DStream only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Escaping, Module, Project
from migrator.rules._support import HEAD
from migrator.rules.ds902_dynamic_name import is_dynamic

RULE = Rule(
    "DS903",
    "unknown-function",
    "A stream is handed to a function that is not in the files given",
    Severity.WARNING,
    Readiness.UNKNOWN,
)

VALID = [
    HEAD + "def show(stream):\n    stream.pprint()\nshow(lines)\n",
    HEAD + "print(lines)\n",
]
INVALID = [Example(HEAD + "from helpers import show\nshow(lines)\n", lines=(6,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for escape in module.escapes:
        if escape.how is not Escaping.UNKNOWN_CALL or is_dynamic(escape):
            continue
        yield RULE.finding(
            module.source,
            escape.node.func if isinstance(escape.node, ast.Call) else escape.node,
            f"a {escape.kind} is handed to {escape.name or 'a function'}, which is not in the "
            "files given",
            "give the file that defines it to migrate too",
            confidence=Confidence.LIKELY,
        )
