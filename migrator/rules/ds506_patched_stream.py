"""A method put onto DStream or StreamingContext.

## Why

A job that patches the API with methods of its own patches the class it imported. After the move
that is the class of `dstream_compat`: methods that use the public API go on to work, methods that
reach for Java objects do not.

## What to do

See what the method does. A plain function that takes the stream is easier to follow, for people
and for this tool.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project

RULE = Rule(
    "DS506",
    "patched-stream",
    "A method is put onto DStream or StreamingContext",
    Severity.WARNING,
    Readiness.UNKNOWN,
)

VALID = [
    """\
from pyspark.streaming import DStream
class Job:
    pass
Job.save = lambda self: None
"""
]
INVALID = [
    Example(
        """\
from pyspark.streaming import DStream
def save(self, table):
    self.foreachRDD(lambda rdd: write(rdd, table))
DStream.saveToTable = save
""",
        lines=(4,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for attribute in module.attributes:
        if attribute.stored and attribute.on in (Kind.STREAM, Kind.CONTEXT):
            yield RULE.finding(
                module.source,
                attribute.node,
                f"{attribute.name} is put onto {attribute.on}, and calls of it are not followed",
                "see that it uses public methods only; a function that takes the stream is plainer",
                confidence=attribute.confidence,
            )
