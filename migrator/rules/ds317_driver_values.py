"""Values of the driver that change while the job runs.

## Why

A `map` sees what the driver changed since the last batch, as ever: a refreshed table, a retrained
model. The difference shows when the job is late. The legacy engine takes the driver's values at
the batch's time, here they are taken when the batch is processed, and up to 20 batches that are
made up for together share them. In front of a window that slides slower than the batches come, the
legacy engine takes them only when the window is due; here every batch has those of its own time.

## What to do

Nothing, unless each batch must see the value of its own time; then compute it from the time in
`transform(lambda time, rdd: …)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import HEAD, function_of, method_of, names_read

RULE = Rule(
    "DS317",
    "driver-values-change",
    "Functions read a value of the driver that changes while the job runs",
    Severity.INFO,
    Readiness.READY,
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
        function = function_of(call, "f", "func", "updateFunc")
        if function is None or function.module != module.path:
            continue
        declared = {
            name
            for node in ast.walk(function.node)
            if isinstance(node, ast.Global)
            for name in node.names
        }
        parameters = {
            argument.arg
            for argument in ast.walk(function.node.args)
            if isinstance(argument, ast.arg)
        }
        read = (names_read(function.node) & changing) - declared - parameters
        if read:
            yield RULE.finding(
                module.source,
                method_of(module, call),
                f"the function of this {call.method} reads {min(read)}, which changes while the "
                "job runs",
                "nothing to do, unless a late batch must see the value of its own time",
                confidence=call.confidence,
            )
