"""A script or setting asks for the Kafka connector of DStreams.

## Why

`spark-streaming-kafka-0-8` and its relatives end with Spark 2.4 or are made for the JVM's DStreams.
A moved job reads Kafka with Spark's own Structured Streaming source, which is another artefact.

## What to do

Ask for `org.apache.spark:spark-sql-kafka-0-10` in the version of your Spark, in `--packages`,
`spark.jars.packages` or the image, built for Scala 2.13 like Spark 4. `migrate` does not change
this file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.rules._texts import matches, span
from migrator.text.maven import KAFKA
from migrator.text.source import PythonSource

RULE = Rule(
    "DS801",
    "kafka-connector-around",
    "A script or setting asks for a Kafka connector that moved jobs cannot use",
    Severity.ERROR,
    Readiness.DECIDE,
    message="a moved job cannot use this Kafka connector",
    help="ask for {kafka} (with the version of your Spark) instead",
)

EXAMPLE_PATH = "submit.sh"
VALID = [
    "spark-submit --packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0 job.py\n",
    "# was: --packages org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.5\n",
]
INVALID = [
    Example(
        "spark-submit \\\n"
        "  --packages org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.5 job.py\n",
        lines=(2,),
    ),
    Example("COPY jars/spark-streaming-kafka-0-8-assembly_2.11-2.4.5.jar /opt/\n", lines=(1,)),
]

_CONNECTOR = re.compile(
    r"(?:org\.apache\.spark:)?"
    r"(?:spark-streaming-kafka[\w.-]*|spark-sql-kafka-0-10_2\.1[0-2](?!\d)[\w.-]*"
    r"|spark-sql-kafka-0-10_2\.13[:-](?:[0-3]|4\.[01])(?!\d)[\w.-]*)(?::[\w.-]+)?"
)


def check_text(source: PythonSource) -> Iterator[Finding]:
    for match in matches(_CONNECTOR, source):
        yield RULE.at(source, span(match), kafka=KAFKA)
