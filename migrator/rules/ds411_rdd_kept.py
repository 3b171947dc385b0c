"""An RDD kept after its batch.

## Why

The RDD that an output gets stays what it was for as long as it is referenced. On the legacy engine
its data may be gone later, and computing it again may give something else. Its memory is freed when
the last reference is gone, so a list of RDDs that only grows holds all of them.

## What to do

Keep a result (`rdd.collect()`, a count) instead of the RDD, or drop old ones.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._functions import FunctionNode, positional

RULE = Rule(
    "DS411",
    "rdd-kept",
    "An RDD is kept after its batch",
    Severity.INFO,
    Readiness.READY,
    message="an RDD that is kept after its batch keeps its data in memory",
    help="keep a result of it instead, or drop old ones",
    differences=("D28",),
)

VALID = [HEAD + "pairs.foreachRDD(lambda rdd: rows.append(rdd.collect()))\n"]
INVALID = [
    Example(HEAD + "kept = []\npairs.foreachRDD(lambda rdd: kept.append(rdd))\n", lines=(6,))
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, "foreachRDD"):
        function = call.function("func")
        if function is not None and _keeps(function.node):
            yield RULE.at(module, call)


def _keeps(function: FunctionNode) -> bool:
    names = positional(function)
    if not names:
        return False
    rdd = names[-1]
    shared = {
        name
        for node in ast.walk(function)
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("append", "put") and any(_is(rdd, a) for a in node.args):
                return True
        elif isinstance(node, ast.Assign) and _is(rdd, node.value):
            for target in node.targets:
                if isinstance(target, (ast.Attribute, ast.Subscript)):
                    return True
                if isinstance(target, ast.Name) and target.id in shared:
                    return True
    return False


def _is(name: str, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == name
