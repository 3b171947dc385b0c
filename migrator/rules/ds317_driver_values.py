"""Values of the driver that change while the job runs.

## Why

A `map` sees what the driver changed since the last batch, as it always did: a refreshed table, a
retrained model. The difference shows when the job is late. The legacy engine reads the driver's
values at the batch time. Now they are read when the batch is processed, and up to 20 late batches
that are processed together share them. Upstream of a window that slides less often than batches
come, the legacy engine reads them only when the window is due; now every batch has those of its own
time.

## What to do

Nothing, unless each batch must see the value of its own time; then compute it from the time in
`transform(lambda time, rdd: …)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Function, Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._functions import names_read

RULE = Rule(
    "DS317",
    "driver-values-change",
    "Functions read a value of the driver that changes while the job runs",
    Severity.INFO,
    Readiness.READY,
    message="the function of this {method} reads {name}, which changes while the job runs",
    help="nothing to do, unless a late batch must see the value of its own time",
    differences=("D04", "D59"),
)

_PER_RECORD = (
    "map",
    "flatMap",
    "filter",
    "mapValues",
    "flatMapValues",
    "mapPartitions",
    "mapPartitionsWithIndex",
    "transform",
    "transformWith",
    "updateStateByKey",
)

VALID = [
    HEAD + "limit = 3\npairs.filter(lambda pair: pair[1] > limit).pprint()\n",
]
INVALID = [
    Example(
        HEAD
        + """\
limit = 3
def refresh(rdd):
    global limit
    limit = rdd.count()
pairs.foreachRDD(refresh)
pairs.filter(lambda pair: pair[1] > limit).pprint()
""",
        lines=(10,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    if "global " not in module.source.text:
        return
    changing = {name for node in module.source.of(ast.Global) for name in node.names}
    for call in module.calls_of(Kind.STREAM, *_PER_RECORD):
        function = call.function("f", "func", "updateFunc")
        if function is None or function.module != module.path:
            continue
        read = (names_read(function.node) & changing) - _own_names(function)
        if read:
            yield RULE.at(module, call, name=min(read))


def _own_names(function: Function) -> set[str]:
    """The parameters of a function, and the globals it changes itself."""
    declared = (node for node in ast.walk(function.node) if isinstance(node, ast.Global))
    parameters = (a for a in ast.walk(function.node.args) if isinstance(a, ast.arg))
    return {name for node in declared for name in node.names} | {a.arg for a in parameters}
