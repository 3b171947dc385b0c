"""A string asks for the Kafka connector of DStreams.

## Why

`spark-streaming-kafka-0-8` and its relatives end with Spark 2.4. A moved job reads Kafka with
Spark's Structured Streaming source: another artefact, whose version is that of your Spark.

## What to do

Let `migrate rewrite` put the right coordinates into `PYSPARK_SUBMIT_ARGS`, `spark.jars.packages`
and the like. Where the version is computed, or a jar is named by its path, do it by hand: leave the
jar out and name the coordinates in `spark.jars.packages`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrator.core import Example, Finding, Fix, Readiness, Rule, Safety, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._strings import String, edits, strings
from migrator.text.maven import KAFKA, OLD_KAFKA, OLD_KAFKA_JAR, OLD_KAFKA_NAME
from migrator.text.source import Edit

RULE = Rule(
    "DS107",
    "kafka-coordinates",
    "A string asks for a Kafka connector that moved jobs cannot use",
    Severity.ERROR,
    Readiness.READY,
    message="this names a Kafka connector that a moved job cannot use",
    help="ask for {kafka} (with the version of your Spark) instead",
    fix=Safety.SAFE,
)

VALID = [
    f'conf.set("spark.jars.packages", "{KAFKA}")\n',
    "# --packages org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.0\n",
    '"""Submit with org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.0."""\n',
    'path = "docs/streaming-kafka-0-8-integration.html"\n',
]
INVALID = [
    Example(
        "import os\n"
        'os.environ["PYSPARK_SUBMIT_ARGS"] = '
        '"--packages org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.0 pyspark-shell"\n',
        f'import os\nos.environ["PYSPARK_SUBMIT_ARGS"] = "--packages {KAFKA} pyspark-shell"\n',
        lines=(2,),
    ),
    Example('jar = "/opt/jars/spark-streaming-kafka-0-8-assembly_2.11-2.4.0.jar"\n', lines=(1,)),
]

_COMPLETE = re.compile(OLD_KAFKA.pattern.removesuffix("?"))
_ONE_JAR = re.compile(rf"--jars(?:[ \t]+|=)[^\s,\"']*{OLD_KAFKA_JAR.pattern}(?=[\s\"'])")


def check(module: Module, project: Project) -> Iterator[Finding]:
    source = module.source
    if "spark-streaming-kafka" not in source.text and "spark-sql-kafka-0-10_2" not in source.text:
        return
    for node, text in strings(source.tree):
        if OLD_KAFKA.search(text):
            yield _coordinates(module, node, text)
        elif OLD_KAFKA_NAME.search(text):
            yield _jar(module, node, text)


def _coordinates(module: Module, node: String, text: str) -> Finding:
    changes = edits(module.source, node, _COMPLETE, KAFKA)
    whole = len(changes) == len(OLD_KAFKA.findall(text))
    return _finding(module, node, Fix(changes) if whole else None)


def _jar(module: Module, node: String, text: str) -> Finding:
    """A jar named by its path: if it is the only one of ``--jars``, coordinates can replace it."""
    changes: tuple[Edit, ...] = ()
    if "--packages" not in text:
        changes = edits(module.source, node, _ONE_JAR, f"--packages {KAFKA}")
    return _finding(module, node, Fix(changes, Safety.UNSAFE) if changes else None)


def _finding(module: Module, node: String, fix: Fix | None) -> Finding:
    safe = fix is not None and fix.safety is Safety.SAFE
    readiness = Readiness.READY if safe else Readiness.DECIDE
    return RULE.at(module, node, fix=fix, readiness=readiness, kafka=KAFKA)
