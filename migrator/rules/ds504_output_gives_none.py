"""The result of an output operation is used.

## Why

`pprint`, `foreachRDD` and the other outputs return `None`, on both engines. A call on it fails; a
variable that holds it is of no use.

## What to do

Assign the stream to a variable first, and put the output on its own line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS504",
    "output-gives-none",
    "The result of an output operation is None",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="{method} returns None, which has no {attr}",
    help="assign the stream to a variable first, and put the output on its own line",
)

VALID = [HEAD + "counts = pairs.reduceByKey(f)\ncounts.pprint()\n"]
INVALID = [
    Example(HEAD + "pairs.pprint().map(f)\n", lines=(5,)),
    Example(HEAD + "shown = pairs.reduceByKey(f).pprint()\n", lines=(5,)),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    found = {id(call.node): call for call in project.outputs(module)}
    if not found:
        return
    assignments: list[ast.Assign | ast.AnnAssign] = [*module.source.of(ast.Assign)]
    for node in (*assignments, *module.source.of(ast.AnnAssign)):
        for at in _values(node):
            call = found.get(id(at))
            if call is not None:
                message = "{method} returns None, and that is what is assigned here"
                yield RULE.at(module, call, message=message, harmless=True)
    for outer in module.source.of(ast.Attribute):
        if id(outer.value) in found:
            yield RULE.at(module, found[id(outer.value)], outer, attr=outer.attr)


def _values(node: ast.Assign | ast.AnnAssign) -> Iterator[ast.expr]:
    if isinstance(node.value, ast.Tuple):
        yield from node.value.elts
    elif node.value is not None:
        yield node.value
