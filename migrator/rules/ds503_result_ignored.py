"""An output function that returns something.

## Why

The result of a `foreachRDD` function is ignored. The legacy engine fails the batch if the result is
true and not an RDD: with `foreachRDD(lambda rdd: rdd.count())`, every batch that has data.

## What to do

Nothing; these errors no longer occur.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._functions import positional, results
from migrator.rules._literals import is_none

RULE = Rule(
    "DS503",
    "result-ignored",
    "The result of a foreachRDD function is ignored",
    Severity.INFO,
    Readiness.READY,
    message="this function returns a value, which failed the batch on the legacy engine and is now "
    "ignored",
    help="nothing to do",
    differences=("D11",),
)

VALID = [
    HEAD + "pairs.foreachRDD(lambda rdd: print(rdd.count()))\n",
    HEAD + "pairs.foreachRDD(lambda rdd: rdd.foreach(print))\n",
]
INVALID = [Example(HEAD + "pairs.foreachRDD(lambda rdd: rdd.count())\n", lines=(5,))]

_VALUES = frozenset({"collect", "count", "take", "first", "top", "collectAsMap", "reduce", "sum"})
_LITERALS = (ast.List, ast.ListComp, ast.Tuple, ast.Dict, ast.DictComp, ast.Set, ast.Compare)


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, "foreachRDD"):
        function, argument = call.function("func"), call.argument("func")
        if function is None or argument is None:
            continue
        own = set(positional(function.node))
        if any(_is_value(result, own) for result in results(function.node)):
            yield RULE.at(module, call, argument)


def _is_value(node: ast.expr | None, own: set[str]) -> bool:
    """Whether it is certainly not an RDD and may be true."""
    if isinstance(node, ast.Constant):
        return bool(node.value) and not is_none(node)
    if isinstance(node, _LITERALS):
        return True
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _VALUES
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in own
    )
