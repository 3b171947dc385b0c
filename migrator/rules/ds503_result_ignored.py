"""An output function that returns something.

## Why

The result of a `foreachRDD` function is ignored. The legacy engine fails the batch when it is true
and no RDD: with `foreachRDD(lambda rdd: rdd.count())` every batch that has data.

## What to do

Nothing; errors that came from this are gone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import HEAD, function_of, is_none, positional, results

RULE = Rule(
    "DS503",
    "result-ignored",
    "The result of a foreachRDD function is ignored",
    Severity.INFO,
    Readiness.READY,
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
        function = function_of(call, "func")
        argument = (call.arguments or {}).get("func")
        if function is None or argument is None:
            continue
        own = set(positional(function.node))
        if any(_is_value(result, own) for result in results(function.node)):
            yield RULE.finding(
                module.source,
                argument,
                "this function returns a value, which failed the batch on the legacy engine and is "
                "ignored now",
                "nothing to do",
                confidence=call.confidence,
            )


def _is_value(node: ast.expr | None, own: set[str]) -> bool:
    """Something that is surely no RDD and may be true."""
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
