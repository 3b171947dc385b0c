"""A context or stream made from a Java object.

## Why

`StreamingContext(sc, jssc=…)` and `DStream(jdstream, ssc, serializer)` wrap objects of the JVM's
engine, which is no longer used. Connectors that bring a Java receiver to Python are written like
this.

## What to do

Make the context with a batch duration. Read the source with a receiver of your own,
`ssc.receiverStream(…)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project

RULE = Rule(
    "DS602",
    "java-constructors",
    "A context or stream is made from a Java object",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="this {on} is made from an object of the JVM's engine, which is no longer used",
    help="read the source with a receiver of your own (ssc.receiverStream)",
    differences=("D37",),
)

VALID = [
    "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 2)\n",
    "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 2, None)\n",
]
INVALID = [
    Example(
        "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, jssc=java)\n",
        lines=(2,),
    ),
    Example(
        """\
from pyspark.serializers import NoOpSerializer
from pyspark.streaming import DStream
def mqtt(ssc, java):
    return DStream(java.createStream(ssc._jssc), ssc, NoOpSerializer())
""",
        lines=(4,),
    ),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls:
        if call.method != "__init__":
            continue
        if call.on is Kind.STREAM:
            yield RULE.at(module, call)
        elif call.on is Kind.CONTEXT and call.given("jssc") is not None:
            yield RULE.at(module, call, help="give a batch duration")
