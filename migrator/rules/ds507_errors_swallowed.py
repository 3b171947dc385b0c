"""Errors that do not arrive where they are caught.

## Why

A `try` around the calls that build a job does not catch errors in batches: the functions run later.
Errors of batches are raised by `awaitTermination`, the latest one. And `except: pass` inside a
batch function hides every error for good. Both engines do this.

## What to do

Put the `try` around `awaitTermination`, or inside the batch function with a log message.
`spark.dstream_compat.stopOnError` stops the job at the first error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._functions import inside

RULE = Rule(
    "DS507",
    "errors-swallowed",
    "Errors of batches do not arrive where they are caught, or are silently dropped",
    Severity.INFO,
    Readiness.READY,
    message="the function of this {method} silently drops errors",
    help="log the error; on both engines a failed batch does not stop the job",
)

VALID = [
    HEAD
    + """\
pairs.foreachRDD(save)
try:
    ssc.start()
    ssc.awaitTermination()
except Exception:
    report()
""",
]
INVALID = [
    Example(
        HEAD
        + """\
try:
    pairs.foreachRDD(save)
except Exception:
    report()
""",
        lines=(6,),
    ),
    Example(
        HEAD
        + """\
def save(rdd):
    try:
        write(rdd.collect())
    except Exception:
        pass
pairs.foreachRDD(save)
""",
        lines=(10,),
    ),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    if "except" not in module.source.text:
        return
    calls = list(module.calls_of(Kind.STREAM, "foreachRDD"))
    for call in calls:
        if _drops_errors(call):
            yield RULE.at(module, call)
    if calls:
        yield from _around(module, calls)


def _around(module: Module, calls: list[Call]) -> Iterator[Finding]:
    """Outputs inside a ``try`` that is over before a batch has run."""
    waits = {
        id(call.node) for call in module.calls_of(Kind.CONTEXT) if "await" in call.method.lower()
    }
    by_node = {id(call.node): call for call in calls}
    for node in module.source.of(ast.Try):
        if not any(map(_catches_all, node.handlers)):
            continue
        within = {id(at) for statement in node.body for at in inside(statement)}
        if within & waits:
            continue
        for number in within & by_node.keys():
            yield RULE.at(
                module,
                by_node[number],
                message="errors of batches do not reach the except around this",
                help="awaitTermination raises them; catch them there, or in the function itself",
            )


def _catches_all(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or (
        isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException")
    )


def _does_nothing(handler: ast.ExceptHandler) -> bool:
    return all(
        isinstance(statement, (ast.Pass, ast.Continue))
        or (isinstance(statement, ast.Return) and statement.value is None)
        for statement in handler.body
    )


def _drops_errors(call: Call) -> bool:
    function = call.function("func")
    return function is not None and any(
        isinstance(node, ast.ExceptHandler) and _catches_all(node) and _does_nothing(node)
        for node in inside(function.node)
    )
