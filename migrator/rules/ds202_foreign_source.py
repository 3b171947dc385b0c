"""A stream made by a third-party `…Utils`.

## Why

Connectors outside Spark usually make their stream in the JVM, from classes of the legacy engine.
Such a stream does not work with `dstream_compat`. Whether this one is made that way cannot be seen
in the files given.

## What to do

If the connector is a Python file of yours, give it to `migrate` as well. Otherwise read the system
with a receiver of your own (`ssc.receiverStream`) or put Kafka in between.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules.ds201_dead_source import INSTEAD as DEAD

RULE = Rule(
    "DS202",
    "foreign-source",
    "A stream made by a connector that is not Spark's",
    Severity.WARNING,
    Readiness.UNKNOWN,
    message="{owner} is not a Spark connector, and its streams may need the legacy engine",
    help="give its source to migrate too, or read the system with ssc.receiverStream",
)

SPARKS = frozenset({"KafkaUtils", "KinesisUtils", "MQTTUtils", "FlumeUtils"})

VALID = [
    """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
KafkaUtils.createDirectStream(ssc, ["events"], params).pprint()
"""
]
INVALID = [
    Example(
        """\
from pyspark.streaming import StreamingContext
from pulsar_spark import PulsarUtils
ssc = StreamingContext(sc, 2)
PulsarUtils.createStream(ssc, url, topic).pprint()
""",
        lines=(4,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.UTILS):
        if call.owner in SPARKS or call.owner in DEAD or not call.owner.endswith("Utils"):
            continue
        yield RULE.at(module, call, confidence=Confidence.LIKELY)
