"""A module of the job could not be read.

## Why

The job imports a module that is among the files given but could not be parsed or decoded. What
happens to streams there is not known.

## What to do

Fix that file first. If it is Python 2, run `migrate rewrite --python2`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project

RULE = Rule(
    "DS901",
    "unread-partner",
    "A module that the job imports could not be read",
    Severity.WARNING,
    Readiness.UNKNOWN,
    message="this imports {path}, which could not be read",
    help="fix that file first; `migrate rewrite --python2` modernises Python 2",
)

VALID = ["from pyspark.streaming import StreamingContext\nimport helpers\n"]
INVALID: list[Example] = []
"""It takes two files: see the tests."""


def check(module: Module, project: Project) -> Iterator[Finding]:
    if not project.unreadable or not module.uses_streams:
        return
    imports: list[ast.Import | ast.ImportFrom] = [
        *module.source.of(ast.Import),
        *module.source.of(ast.ImportFrom),
    ]
    for node in imports:
        for path in sorted(project.unreadable):
            if any(_leads_to(name, path) for name in _names(node)):
                yield RULE.at(module, node, confidence=Confidence.LIKELY, path=path)


def _names(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    if node.module:
        yield node.module
    yield from (f"{node.module or ''}.{alias.name}".lstrip(".") for alias in node.names)


def _leads_to(name: str, path: str) -> bool:
    """Whether a dotted name may be the module at a path."""
    parts = path.replace("\\", "/").removesuffix("/__init__.py").removesuffix(".py").split("/")
    wanted = name.split(".")
    return parts[-len(wanted) :] == wanted
