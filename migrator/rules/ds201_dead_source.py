"""A source that Spark no longer has for Python.

## Why

Flume was removed in Spark 3, and its Python module with it. Connectors for Twitter, ZeroMQ, Akka
and AMQP were never part of PySpark; jobs that use them carry a bridge to Java classes that exist
for old versions of Spark only.

## What to do

Put a system that can still be read in between (Flume has a Kafka sink, RabbitMQ has shovels and
Kafka connectors), or write a receiver: a class with `onStart` that calls `self.store(…)`, passed to
`ssc.receiverStream(…)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project

RULE = Rule(
    "DS201",
    "dead-source",
    "A source that Spark no longer has for Python",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="Spark no longer has the source {owner}.{method} for Python",
    help="{instead}",
    differences=("D55",),
)

INSTEAD = {
    "FlumeUtils": "let Flume write to its Kafka sink and read that with KafkaUtils",
    "TwitterUtils": "read the HTTP stream in a receiver of your own (ssc.receiverStream)",
    "ZeroMQUtils": "subscribe with pyzmq in a receiver of your own (ssc.receiverStream)",
    "AkkaUtils": "send to Kafka or a socket instead of an actor",
    "AMQPUtils": "consume with pika in a receiver of your own (ssc.receiverStream)",
    "RabbitMQUtils": "consume with pika in a receiver of your own (ssc.receiverStream)",
    "PubNubUtils": "subscribe in a receiver of your own (ssc.receiverStream)",
    "PubsubUtils": "pull in a receiver of your own (ssc.receiverStream)",
    "EventHubsUtils": "read the hub through its Kafka endpoint with KafkaUtils",
}

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
from pyspark.streaming.flume import FlumeUtils
ssc = StreamingContext(sc, 2)
FlumeUtils.createStream(ssc, "localhost", 9999).pprint()
""",
        lines=(4,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.UTILS):
        if call.owner in INSTEAD:
            yield RULE.at(module, call, instead=INSTEAD[call.owner])
