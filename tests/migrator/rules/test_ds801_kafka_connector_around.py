"""DS801: the Kafka connector of DStreams in scripts and settings."""

from __future__ import annotations

import pytest

from tests.migrator.rules.around import check_examples, check_lines


def test_the_examples_are_true() -> None:
    check_examples("DS801")


@pytest.mark.parametrize(
    "text",
    [
        "spark.jars.packages org.apache.spark:spark-streaming-kafka_2.10:1.6.3\n",
        "spark.jars.packages org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.5\n",
        "spark.jars.packages org.apache.spark:spark-streaming-kafka-0-10_2.12:3.5.0\n",
        "packages: ['org.apache.spark:spark-streaming-kafka-0-8-assembly_2.11:2.4.5']\n",
        "RUN wget https://repo1.maven.org/spark-streaming-kafka-0-8-assembly_2.11-2.4.5.jar\n",
        "spark.jars.packages org.apache.spark:spark-sql-kafka-0-10_2.11:2.4.5\n",
        "spark.jars.packages org.apache.spark:spark-sql-kafka-0-10_2.12:3.1.2\n",
        "spark.jars.packages org.apache.spark:spark-sql-kafka-0-10_2.13:3.5.0\n",
        "spark.jars.packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.0\n",
        "COPY jars/spark-sql-kafka-0-10_2.13-3.5.0.jar /opt/\n",
    ],
)
def test_every_spelling_of_it_is_found(text: str) -> None:
    check_lines("DS801", text, 1)


@pytest.mark.parametrize(
    "text",
    [
        "spark.jars.packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0\n",
        "spark.jars.packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.10.0\n",
        "spark.jars.packages org.apache.spark:spark-sql-kafka-0-10_2.13:10.0.0\n",
        "spark.jars.packages org.apache.spark:spark-sql-kafka-0-10_2.13:${SPARK_VERSION}\n",
        "kafka.bootstrap.servers broker:9092\n",
        "kafka-python==2.0.2\n",
        "  # --packages org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.5\n",
        "image: confluentinc/cp-kafka:5.3.1\n",
    ],
)
def test_other_mentions_of_kafka_are_not_its_business(text: str) -> None:
    check_lines("DS801", text)


def test_two_on_one_line_are_two() -> None:
    line = (
        "--packages org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.5,a:b:1 "
        "--jars spark-streaming-kafka.jar\n"
    )
    first, second = check_lines("DS801", line, 1, 1)
    assert line[first.column - 1 : first.end_column - 1].endswith("_2.11:2.4.5")
    assert line[second.column - 1 : second.end_column - 1] == "spark-streaming-kafka.jar"
