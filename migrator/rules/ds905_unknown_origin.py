"""Something is used as a DStream, and nothing says that it is one.

## Why

A method that only DStreams have (`foreachRDD`, `updateStateByKey` …) is called on a value whose
origin is not in the files given: a parameter that nobody passes, an attribute set elsewhere. It
may be a DStream, and it may be something of the same shape.

## What to do

Give the files that make the stream to `migrate` as well, in the same run, or annotate the
parameter: `def build(stream: DStream)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Escaping, Module, Project

RULE = Rule(
    "DS905",
    "unknown-origin",
    "Something is used as a DStream, and nothing says that it is one",
    Severity.INFO,
    Readiness.UNKNOWN,
)

VALID = [
    """\
from pyspark.streaming import DStream
def build(stream: DStream):
    stream.foreachRDD(print)
""",
    "frame = scaler.transform(data)\n",
]
INVALID = [
    Example(
        """\
def build(stream):
    stream.foreachRDD(lambda rdd: print(rdd.count()))
""",
        lines=(2,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for escape in module.escapes:
        if escape.how is Escaping.UNKNOWN_ORIGIN:
            yield RULE.finding(
                module.source,
                escape.node.func if isinstance(escape.node, ast.Call) else escape.node,
                f"{escape.method or 'a method'} is called on something whose origin is not in the "
                "files given",
                "give the files that make the stream to migrate too, or annotate it",
                confidence=Confidence.GUESS,
            )
