"""State kept in variables of the driver.

## Why

A batch function that changes a global, an attribute or a list of the driver keeps state there.
That works on both engines, and on both it is gone when the driver restarts, and grows for as long
as the job runs. Batches run one after another, so no lock is needed.

## What to do

Nothing now. State that should survive belongs into `updateStateByKey` or `mapWithState`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, FunctionNode, function_of, method_of, once

RULE = Rule(
    "DS410",
    "state-in-the-driver",
    "A batch function keeps state in variables of the driver",
    Severity.INFO,
    Readiness.READY,
)

VALID = [
    HEAD + "def show(rdd):\n    rows = []\n    rows.append(rdd.count())\npairs.foreachRDD(show)\n",
    HEAD + "pairs.updateStateByKey(f).pprint()\n",
]
INVALID = [
    Example(
        HEAD
        + """\
total = 0
def add(rdd):
    global total
    total += rdd.count()
pairs.foreachRDD(add)
""",
        lines=(9,),
    ),
    Example(
        HEAD + "rows = []\npairs.foreachRDD(lambda rdd: rows.extend(rdd.collect()))\n", lines=(6,)
    ),
]

_GROW = frozenset({"append", "extend", "add", "update", "insert", "setdefault"})


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in once(module, project, _keeping):
        yield RULE.finding(
            module.source,
            method_of(module, call),
            f"this {call.method} keeps state in the driver, which no checkpoint holds",
            "nothing to do; state that is to survive belongs into updateStateByKey or mapWithState",
            confidence=call.confidence,
        )


def _keeping(module: Module) -> Iterator[Call]:
    for call in module.calls_of(Kind.STREAM, "foreachRDD", "transform"):
        function = function_of(call, "func")
        if function is not None and _keeps(function.node):
            yield call


def _keeps(function: FunctionNode) -> bool:
    nodes = list(ast.walk(function))
    if any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in nodes):
        return True
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                return True
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _GROW
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id not in own
            and _collects(node)
        ):
            return True
    return False


def _collects(call: ast.Call) -> bool:
    """What is put there comes from an action: not the ``add`` or ``update`` of just anything."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("collect", "count", "take", "first", "reduce", "sum", "collectAsMap")
        for argument in call.args
        for node in ast.walk(argument)
    )
