"""An image or a script sets up a Spark, Python or Java that is too old.

## Why

Moved jobs need Spark 4.2 or newer, and with it Java 17 and Python 3.10. Base images, downloads and
runtime labels often set these far away from the job.

## What to do

Use an image or a release with Spark 4.2 or newer. What the legacy engine kept in a checkpoint does
not move along.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.rules._texts import matches, span, too_old
from migrator.text.source import PythonSource

RULE = Rule(
    "DS805",
    "old-runtime",
    "An image or a script sets up a Spark, Python or Java that is too old for moved jobs",
    Severity.WARNING,
    Readiness.DECIDE,
    message="moved jobs need {what} {needed} or newer",
    help="use a release or an image with {what} {needed} or newer",
)

EXAMPLE_PATH = "Dockerfile"
VALID = [
    "FROM apache/spark:4.2.0-python3\n",
    "ENV SPARK_VERSION=4.3.0\n",
    "FROM python:3.12\n",
    "FROM eclipse-temurin:17-jre\n",
]
INVALID = [
    Example("FROM bitnami/spark:2.4.5\n", lines=(1,)),
    Example("ENV SPARK_VERSION 2.4.5\nENV PYSPARK_PYTHON=python2.7\n", lines=(1, 2)),
    Example("FROM openjdk:8-jre\n", lines=(1,)),
]

_SPARK = re.compile(
    r"(?i)(?:[\w./-]*spark[\w-]*:v?|\bspark[-_]version[\"']?\s*[:=\s]\s*[\"']?|\bspark-)"
    r"(?P<version>\d+\.\d+(?:\.\d+)?)(?P<databricks>\.x-)?"
)
_LABEL = re.compile(r"\bemr-[1-7]\.\d+")  # all of them have Spark 3.5 or older
_PYTHON = re.compile(
    r"(?i)\bFROM[ \t]+(?:[\w./-]*/)?python:(?:2(?:\.\d+)?|3\.[0-9])(?!\d)\S*"
    r"|\bPYSPARK(?:_DRIVER)?_PYTHON\S*?[=\s]+\S*python(?:2(?:\.\d)?|3\.[0-9])(?!\d)"
    r"|(?m:^[ \t]*-[ \t]*[\"']?python[ \t]*={1,2}[ \t]*(?:2(?:\.\d+)?|3\.[0-9])(?!\d))"  # conda
)
_JAVA = re.compile(
    r"(?i)\bFROM[ \t]+\S*(?:openjdk|java|temurin|corretto)\S*:(?:[78]|11)(?!\d)\S*"
    r"|\b(?:openjdk-|java-1\.)(?:[78]|11)(?!\d)[\w.-]*"
)
_DATABRICKS_OLD = 16  # the last runtime with Spark 3.5


def check_text(source: PythonSource) -> Iterator[Finding]:
    told: set[int] = set()  # an archive's address names its version twice
    for match in matches(_SPARK, source):
        number = match["version"]
        if match["databricks"]:
            old = int(number.partition(".")[0]) <= _DATABRICKS_OLD
        else:
            old = too_old(number)
        line = source.position(match.start())[0]
        if old and line not in told:
            told.add(line)
            yield _finding(source, match, "Spark", "4.2")
    for pattern, what, needed in (
        (_LABEL, "Spark", "4.2"),
        (_PYTHON, "Python", "3.10"),
        (_JAVA, "Java", "17"),
    ):
        for match in matches(pattern, source):
            yield _finding(source, match, what, needed)


def _finding(source: PythonSource, match: re.Match[str], what: str, needed: str) -> Finding:
    likely = Confidence.LIKELY
    return RULE.at(source, span(match), confidence=likely, what=what, needed=needed)
