"""Something is used as a DStream, but may not be one.

## Why

A method that only DStreams have (`foreachRDD`, `updateStateByKey` …) is called on a value whose
origin is not in the files given: a parameter that is never passed, an attribute set elsewhere. It
may be a DStream, or something with the same methods.

## What to do

Give the files that make the stream to `migrate` as well, in the same run, or annotate the
parameter: `def build(stream: DStream)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Escaping, Module, Project

RULE = Rule(
    "DS905",
    "unknown-origin",
    "Something is used as a DStream, but may not be one",
    Severity.INFO,
    Readiness.UNKNOWN,
    message="{called} is called on something whose origin is not in the files given",
    help="give the files that make the stream to migrate too, or annotate it",
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
            yield RULE.at(module, escape, escape.called, called=escape.method or "a method")
