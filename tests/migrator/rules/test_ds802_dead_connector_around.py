"""DS802: connectors that no Spark 4 has, in scripts and settings."""

from __future__ import annotations

import pytest

from tests.migrator.rules.around import check_examples, check_lines


def test_the_examples_are_true() -> None:
    check_examples("DS802")


@pytest.mark.parametrize("name", ["flume", "flume-sink", "twitter", "zeromq", "akka", "pubnub"])
def test_a_dead_connector_is_found_with_another_way_named(name: str) -> None:
    artefact = f"org.apache.spark:spark-streaming-{name}_2.11:2.4.5"
    (found,) = check_lines("DS802", f"#!/bin/sh\nspark-submit --packages {artefact} job.py\n", 2)
    assert "Kafka, files or a receiver" in found.help


def test_mqtt_needs_no_connector_any_more() -> None:
    (found,) = check_lines(
        "DS802", "--packages org.apache.bahir:spark-streaming-mqtt_2.11:2.4.0\n", 1
    )
    assert "dstream_compat.mqtt" in found.help


@pytest.mark.parametrize(
    "text",
    [
        "spark.jars.packages org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.5\n",
        "spark.jars.packages org.apache.spark:spark-streaming-kinesis-asl_2.13:4.3.0\n",
        "RUN apt-get install flume-ng\n",
        "mqtt.host broker\n",
        "# spark-streaming-flume_2.11\n",
    ],
)
def test_other_mentions_are_not_its_business(text: str) -> None:
    check_lines("DS802", text)
