"""A function that ends its partition with a StopIteration.

## Why

If the function of a `map`, `filter` or `flatMap` raises StopIteration, for example because
`next(values)` finds nothing, Python takes it for the end of the data: the rest of the partition is
dropped, without an error. The legacy engine writes results in batches of growing size and goes on
after the batch in which that happened, so which records are lost depends on where they are. Here,
everything after the StopIteration is dropped.

## What to do

Give `next` a default, `next(values, None)`, and filter it out. Records are lost on both engines as
the code stands.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._functions import FunctionNode, inside, is_generator

RULE = Rule(
    "DS321",
    "stop-iteration",
    "A function may raise StopIteration, which drops the rest of a partition",
    Severity.WARNING,
    Readiness.READY,
    message="if next() finds nothing, this {method} drops the rest of the partition silently",
    help="pass next() a default, and filter it out",
    differences=("D67",),
)

_PER_RECORD = ("map", "flatMap", "filter", "mapValues", "flatMapValues")

VALID = [
    HEAD + "lines.map(lambda line: next(iter(line.split()), None)).pprint()\n",
    HEAD + "lines.mapPartitions(lambda part: [next(part)]).pprint()\n",
]
INVALID = [
    Example(HEAD + "lines.map(lambda line: next(iter(line.split()))).pprint()\n", lines=(5,)),
    Example(
        HEAD + "def head(line):\n    raise StopIteration\nlines.map(head).pprint()\n", lines=(7,)
    ),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, *_PER_RECORD):
        function = call.function("f")
        if function is not None and _stops(function.node):
            yield RULE.at(module, call, confidence=function.confidence)


def _stops(function: FunctionNode) -> bool:
    """In a generator Python makes an error of it; in a ``try`` it is probably handled."""
    nodes = list(inside(function))
    if is_generator(function) or any(isinstance(node, ast.Try) for node in nodes):
        return False
    return any(_asks_for_next(node) or _raises_stop(node) for node in nodes)


def _asks_for_next(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "next"
        and len(node.args) == 1
        and not node.keywords
    )


def _raises_stop(node: ast.AST) -> bool:
    if not isinstance(node, ast.Raise):
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "StopIteration"
