"""A method is added to DStream or StreamingContext.

## Why

A job that adds its own methods to the API patches the class it imported. After the move that is the
class of `dstream_compat`: methods that use the public API still work, methods that use Java objects
do not.

## What to do

Check what the method does. A plain function that takes the stream is easier to follow, for people
and for this tool.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project

RULE = Rule(
    "DS506",
    "patched-stream",
    "A method is added to DStream or StreamingContext",
    Severity.WARNING,
    Readiness.UNKNOWN,
    message="{name} is added to {on}, and calls of it are not followed",
    help="check that it uses public methods only, or make it a function that takes the stream",
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
            yield RULE.at(module, attribute)
