"""State kept in variables of the driver.

## Why

A batch function that changes a global, an attribute or a list of the driver keeps state there. That
works on both engines, and on both the state is lost when the driver restarts, and grows as long as
the job runs. Batches run one after another, so no lock is needed.

## What to do

Nothing now. State that should survive belongs in `updateStateByKey` or `mapWithState`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._functions import FunctionNode
from migrator.rules._notes import Note


def _keeping(module: Module, project: Project) -> Iterator[Call]:
    for call in module.calls_of(Kind.STREAM, "foreachRDD", "transform"):
        function = call.function("func")
        if function is not None and _keeps(function.node):
            yield call


RULE = Note(
    "DS410",
    "state-in-the-driver",
    "A batch function keeps state in variables of the driver",
    on=_keeping,
    message="this {method} keeps state in the driver, where no checkpoint saves it",
    help="nothing to do; state that should survive belongs in updateStateByKey or mapWithState",
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
    """Whether what is put there comes from an action: ``add`` and ``update`` may mean anything."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("collect", "count", "take", "first", "reduce", "sum", "collectAsMap")
        for argument in call.args
        for node in ast.walk(argument)
    )
