"""`map`, `filter`, `zip` or a dict's keys used as a list in Python 2 code.

## Why

In Python 2 they are lists. In Python 3 they are iterators or views: they have no length and no
index, cannot be added, and do not print their elements, and an iterator is empty the second time it
is read.

## What to do

Wrap the call in `list(…)`. This is not done for you: most calls do not need a list, and on an RDD
or a DStream these names mean something else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._python2 import is_python2

RULE = Rule(
    "DS702",
    "lists",
    "A list in Python 2 that is an iterator or view in Python 3 is used as a list",
    Severity.WARNING,
    Readiness.DECIDE,
    message="{name}() does not return a list in Python 3, and a list is needed here",
    help="wrap it in list(…)",
)

VALID = [
    "x = map(int, y)\nprint(x[0])\n",
    "for i in xrange(3):\n    print(sorted(map(int, y)), list(zip(a, b)))\n",
    "for i in xrange(3):\n    rdd.map(int).filter(bool)\n    rdd.keys().collect()\n",
]
INVALID = [
    Example("for i in xrange(3):\n    print(len(filter(None, y)))\n", lines=(2,)),
    Example("n = long(3)\nfirst = d.keys()[0]\nx = map(int, y)\n", lines=(2, 3)),
]

_FUNCTIONS = frozenset({"map", "filter", "zip"})
_METHODS = frozenset({"keys", "values", "items"})
_OF_LISTS = frozenset({"append", "extend", "index", "insert", "pop", "remove", "reverse", "sort"})
_NEED_LISTS = frozenset({"len", "print", "repr", "str", "dumps"})


def check(module: Module, project: Project) -> Iterator[Finding]:
    if not is_python2(module):
        return
    for node in ast.walk(module.source.tree):
        for used in _as_list(node):
            name = _lazy(used, function_only=isinstance(node, ast.Assign | ast.Return))
            if name is not None:
                yield RULE.at(module, used, confidence=Confidence.LIKELY, name=name)


def _as_list(node: ast.AST) -> list[ast.expr]:
    """What a node uses as if it were a list."""
    match node:
        case ast.Subscript(value=value):
            return [value]
        case ast.Attribute(value=value, attr=name) if name in _OF_LISTS:  # an RDD has others
            return [value]
        case ast.Assign(value=value):
            return [value]
        case ast.Return(value=ast.expr() as value):
            return [value]
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
            return [left, right]
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _NEED_LISTS:
            return arguments
        case ast.Call(func=ast.Attribute(attr=name), args=arguments) if name in _NEED_LISTS:
            return arguments
    return []


def _lazy(node: ast.expr, function_only: bool) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in _FUNCTIONS:
            return name
        case ast.Call(func=ast.Attribute(attr=name), args=[], keywords=[]) if name in _METHODS:
            return None if function_only else name
    return None
