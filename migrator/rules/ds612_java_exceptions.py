"""The Java side of an error.

## Why

`awaitTermination` raises a `Py4JJavaError` as before, with the user's traceback in its text. The
error did not pass through the JVM, so `java_exception` is None, and there is no Java stack.

## What to do

Match on `str(error)`, which contains the user's error, and do not call methods of `java_exception`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS612",
    "java-exceptions",
    "Errors of batches carry no Java exception",
    Severity.WARNING,
    Readiness.DECIDE,
    message="the java_exception of what awaitTermination raises is None",
    help="use str(error), which contains the traceback of the function that failed",
    differences=("D10",),
)

VALID = [
    HEAD + "try:\n    ssc.awaitTermination()\nexcept Exception as error:\n    print(error)\n",
]
INVALID = [
    Example(
        HEAD
        + """\
try:
    ssc.awaitTermination()
except Py4JJavaError as error:
    print(error.java_exception.getMessage())
""",
        lines=(8,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    if "java_exception" not in module.source.text:
        return
    waits = {id(call.node) for call in module.calls_of(Kind.CONTEXT) if "await" in call.method}
    for node in module.source.of(ast.Try):
        if not any(id(at) in waits for statement in node.body for at in ast.walk(statement)):
            continue
        for at in (at for handler in node.handlers for at in ast.walk(handler)):
            if isinstance(at, ast.Attribute) and at.attr == "java_exception":
                yield RULE.at(module, at, confidence=Confidence.LIKELY)
