"""DS805: images and scripts that set up a runtime too old for moved jobs."""

from __future__ import annotations

import pytest

from tests.migrator.rules.around import check_examples, check_lines


def test_the_examples_are_true() -> None:
    check_examples("DS805")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("FROM bitnami/spark:2.4.5", "Spark"),
        ("FROM apache/spark-py:v3.1.3", "Spark"),
        ("image: my.registry:5000/team/spark-base:3.5.1", "Spark"),
        ("ARG SPARK_VERSION=2.4.5", "Spark"),
        ("ENV SPARK_VERSION 3.5.0", "Spark"),
        ("spark_version: 2.4.5", "Spark"),
        (
            "RUN curl -O https://archive.apache.org/dist/spark/spark-2.4.5-bin-hadoop2.7.tgz",
            "Spark",
        ),
        ("release_label: emr-5.30.0", "Spark"),
        ('spark_version: "7.3.x-scala2.12"', "Spark"),
        ("FROM python:2.7-slim", "Python"),
        ("FROM python:3.6", "Python"),
        ("export PYSPARK_PYTHON=/usr/bin/python2", "Python"),
        ("PYSPARK_DRIVER_PYTHON=python3.7", "Python"),
        ("  - python=2.7", "Python"),
        ('- "python==3.6.8"', "Python"),
        ("- python = 3.9", "Python"),
        ("FROM openjdk:8-jre", "Java"),
        ("RUN apt-get install -y openjdk-11-jre-headless", "Java"),
        ("RUN yum install java-1.8.0-openjdk", "Java"),
    ],
)
def test_an_old_runtime_is_found(line: str, what: str) -> None:
    (found,) = check_lines("DS805", line + "\n", 1)
    assert f"need {what} " in found.message


@pytest.mark.parametrize(
    "line",
    [
        "FROM apache/spark:4.2.0",
        "ENV SPARK_VERSION=4.3.0",
        "FROM python:3.10",
        "FROM python:3.12-slim",
        "  - python=3.10",
        "  - python>=3.6",
        "  - python-dateutil=2.7",
        "PYSPARK_PYTHON=python3",
        "PYSPARK_PYTHON=/opt/python3.11/bin/python3.11",
        "FROM eclipse-temurin:17-jre",
        "FROM eclipse-temurin:21",
        "apt-get install openjdk-17-jre-headless",
        'spark_version: "18.1.x-scala2.13"',
        "spark.driver.memory 2.5g",
        "# FROM bitnami/spark:2.4.5",
        "image: redis:3.2",
        "pyspark==2.4.5",
    ],
)
def test_what_is_new_enough_or_something_else_is_left_alone(line: str) -> None:
    check_lines("DS805", line + "\n")
