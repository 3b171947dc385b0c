"""A script or setting asks for a connector that no longer exists.

## Why

Flume, Twitter, ZeroMQ, MQTT and Akka had connectors for DStreams in Spark 1 and 2 (some of them
later in Apache Bahir). None of them exists for Spark 4.

## What to do

Remove the artefact. `dstream_compat.mqtt` reads MQTT without one; for the others, bring the data to
Kafka, files or a receiver of your own (`receiverStream`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.rules._texts import matches, span
from migrator.text.source import PythonSource

RULE = Rule(
    "DS802",
    "dead-connector-around",
    "A script or setting asks for a connector that Spark 4 does not have",
    Severity.ERROR,
    Readiness.DECIDE,
    message="Spark 4 has no connector for {name}",
    help="remove it, and bring the data to Kafka, files or a receiver of your own",
)

EXAMPLE_PATH = "spark-defaults.conf"
VALID = ["spark.jars.packages  org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0\n"]
INVALID = [
    Example("spark.jars.packages  org.apache.spark:spark-streaming-flume_2.11:2.4.5\n", lines=(1,)),
    Example("spark.jars.packages  org.apache.bahir:spark-streaming-mqtt_2.11:2.4.0\n", lines=(1,)),
]

_CONNECTOR = re.compile(
    r"(?:org\.apache\.(?:spark|bahir):)?"
    r"spark-streaming-(?P<source>flume|mqtt|zeromq|twitter|akka|pubnub)[\w.-]*(?::[\w.-]+)?"
)
_NAMES = {"flume": "Flume", "zeromq": "ZeroMQ", "twitter": "Twitter", "akka": "Akka"}


def check_text(source: PythonSource) -> Iterator[Finding]:
    for match in matches(_CONNECTOR, source):
        name = match["source"]
        help = "remove it: dstream_compat.mqtt does not need it" if name == "mqtt" else None
        yield RULE.at(source, span(match), help=help, name=_NAMES.get(name, name.upper()))
