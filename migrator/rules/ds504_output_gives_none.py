"""The result of an output operation is used.

## Why

`pprint`, `foreachRDD` and the other outputs return `None`, on both engines. A call on that fails;
a variable that holds it holds nothing.

## What to do

Give the stream its name first, and the output a line of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._support import HEAD, method_of, outputs

RULE = Rule(
    "DS504",
    "output-gives-none",
    "The result of an output operation is None",
    Severity.ERROR,
    Readiness.BLOCKED,
)

VALID = [HEAD + "counts = pairs.reduceByKey(f)\ncounts.pprint()\n"]
INVALID = [
    Example(HEAD + "pairs.pprint().map(f)\n", lines=(5,)),
    Example(HEAD + "shown = pairs.reduceByKey(f).pprint()\n", lines=(5,)),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    found = {id(call.node): call for call in outputs(module, project)}
    if not found:
        return
    assignments: list[ast.Assign | ast.AnnAssign] = [*module.source.of(ast.Assign)]
    for node in (*assignments, *module.source.of(ast.AnnAssign)):
        for at in _values(node):
            call = found.get(id(at))
            if call is not None:
                yield RULE.finding(
                    module.source,
                    method_of(module, call),
                    f"{call.method} gives None, and that is what is kept here",
                    "give the stream a name first, and the output a line of its own",
                    severity=Severity.INFO,
                    readiness=Readiness.READY,
                    confidence=call.confidence,
                )
    for outer in module.source.of(ast.Attribute):
        if id(outer.value) in found:
            call = found[id(outer.value)]
            yield RULE.finding(
                module.source,
                outer,
                f"{call.method} gives None, which has no {outer.attr}",
                "give the stream a name first, and the output a line of its own",
                confidence=call.confidence,
            )


def _values(node: ast.Assign | ast.AnnAssign) -> Iterator[ast.expr]:
    if isinstance(node.value, ast.Tuple):
        yield from node.value.elts
    elif node.value is not None:
        yield node.value
