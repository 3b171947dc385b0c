"""A stream made by somebody else's `…Utils`.

## Why

Connectors outside Spark usually make their stream in the JVM, from classes of the legacy engine.
Such a stream is no `dstream_compat` stream. Whether this one does that cannot be seen in the files
given.

## What to do

If the connector is a Python file of yours, give it to `migrate` as well. Otherwise read the system
with a receiver of your own (`ssc.receiverStream`) or put Kafka in between.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import at_most, method_of
from migrator.rules.ds201_dead_source import INSTEAD as DEAD

RULE = Rule(
    "DS202",
    "foreign-source",
    "A stream made by a connector that is not Spark's",
    Severity.WARNING,
    Readiness.UNKNOWN,
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
        yield RULE.finding(
            module.source,
            method_of(module, call),
            f"{call.owner} is no connector of Spark, and whether its streams need the legacy "
            "engine cannot be seen here",
            "give its source to migrate too, or read the system with ssc.receiverStream",
            confidence=at_most(call.confidence, Confidence.LIKELY),
        )
