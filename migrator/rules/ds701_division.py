"""A division in Python 2 code.

## Why

In Python 2 `7 / 2` is 3, in Python 3 it is 3.5. Modernising keeps the `/`, because the code does
not say whether its operands are whole numbers.

## What to do

Write `//` where whole numbers are divided and the remainder should be dropped. If the file begins
with `from __future__ import division`, it has always meant Python 3's division, and nothing is
reported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._python2 import is_python2

RULE = Rule(
    "DS701",
    "division",
    "A division that gives whole numbers in Python 2 and fractions in Python 3",
    Severity.WARNING,
    Readiness.DECIDE,
    message="in Python 2 this division of whole numbers dropped the remainder",
    help="write // if it should still do so",
)

VALID = [
    "print(7 / 2)\n",
    "from __future__ import division\nfor i in xrange(3):\n    print(i / 2)\n",
    "for i in xrange(3):\n    print(i / 2.0, float(i) / 2, i // 2)\n",
]
INVALID = [Example("for i in xrange(3):\n    print(i / 2)\n", lines=(2,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    source = module.source
    if "/" not in source.text or not is_python2(module) or _has_future(source.tree):
        return
    for node in ast.walk(source.tree):
        match node:
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                operands = (left, right)
            case ast.AugAssign(op=ast.Div(), target=left, value=right):
                operands = (left, right)
            case _:
                continue
        if not any(map(_is_float, operands)):
            yield RULE.at(module, node, confidence=Confidence.LIKELY)


def _has_future(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "division" for alias in node.names)
        for node in tree.body
    )


def _is_float(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=float()) | ast.Call(func=ast.Name(id="float")):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_float(left) or _is_float(right)
        case ast.UnaryOp(operand=operand):
            return _is_float(operand)
    return False
