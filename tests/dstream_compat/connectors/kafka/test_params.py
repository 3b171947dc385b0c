"""What becomes of kafkaParams, without a broker."""

from __future__ import annotations

from typing import Any

import pytest

from dstream_compat.connectors.kafka.params import read_params
from dstream_compat.graph.specs import Consumer
from migrator.rules import ds203_kafka_brokers

KNOWN = {"max.partition.fetch.bytes", "fetch.max.wait.ms", "client.id", "request.timeout.ms"}


def read(call: str = "createDirectStream at job.py:3", **params: Any) -> Consumer:
    given = {"metadata.broker.list": "b:9092"} | {k.replace("_", "."): v for k, v in params.items()}
    return read_params(given, lambda key: None, lambda: KNOWN, call)


@pytest.mark.parametrize(
    ("old", "new"),
    [("smallest", "earliest"), ("largest", "latest"), ("Earliest", "earliest"), (None, "latest")],
)
def test_the_reset_has_its_old_names_and_the_default_of_0_8(old: str | None, new: str) -> None:
    consumer = read() if old is None else read(auto_offset_reset=old)
    assert consumer.reset == new


def test_an_unknown_reset_is_refused() -> None:
    with pytest.raises(ValueError, match=r"job\.py:3: auto\.offset\.reset should be smallest or"):
        read(auto_offset_reset="newest")


def test_settings_get_their_new_names() -> None:
    consumer = read(fetch_message_max_bytes=1048576, fetch_wait_max_ms="100", client_id="me")
    assert consumer.options == {
        "kafka.bootstrap.servers": "b:9092",
        "kafka.max.partition.fetch.bytes": "1048576",
        "kafka.fetch.max.wait.ms": "100",
        "kafka.client.id": "me",
    }


def test_security_settings_are_passed_on_and_the_prefix_passes_anything() -> None:
    consumer = read(security_protocol="SSL", ssl_own_thing="x", kafka_made_up="y")
    assert consumer.settings == {"security.protocol": "SSL", "ssl.own.thing": "x", "made.up": "y"}


def test_what_has_no_meaning_is_dropped_with_a_reason() -> None:
    consumer = read(
        consumer_timeout_ms="1",
        zookeeper_session_timeout_ms="1",
        key_deserializer="x",
        group_id="g",
    )
    assert consumer.settings == {}
    assert consumer.group == "g"
    assert consumer.dropped["zookeeper.session.timeout.ms"] == "ZooKeeper is not used"
    assert set(consumer.dropped) == {
        "consumer.timeout.ms",
        "zookeeper.session.timeout.ms",
        "key.deserializer",
    }


@pytest.mark.parametrize(
    "name",
    [
        "rebalance.backoff.ms",
        "rebalance.new.thing",
        "offsets.storage",
        "key.serializer",
        "value.deserializer",
        "serializer.class",
        "interceptor.classes",
        "zookeeper.connect",
    ],
)
def test_all_that_the_page_says_is_dropped(name: str) -> None:
    consumer = read(**{name: "x"})
    assert set(consumer.dropped) == {name}
    assert consumer.settings == {}


@pytest.mark.parametrize("name", ["enable.auto.commit", "auto.commit.enable"])
def test_commits_of_a_direct_stream_are_said_to_be_dropped(name: str) -> None:
    assert "commitOffsets=true" in read(**{name: "true"}).dropped[name]
    assert read("createStream at job.py:3", **{name: "true"}).dropped == {}


def test_unknown_names_are_refused_and_values_are_never_shown() -> None:
    with pytest.raises(
        ValueError, match=r"'pasword' is not a setting of a Kafka consumer"
    ) as error:
        read(pasword="s3cret")
    assert "s3cret" not in str(error.value)
    with pytest.raises(TypeError, match=r"kafkaParams: client\.id should be a str, got list"):
        read(client_id=[])


@pytest.mark.parametrize(("value", "commits"), [("true", True), (False, False), ("FALSE", False)])
def test_auto_commit_has_two_names(value: Any, commits: bool) -> None:
    assert read(auto_commit_enable=value).commits is commits
    assert read(enable_auto_commit=value).commits is commits
    assert read().commits is None


def test_brokers_come_from_the_call_then_the_environment_then_the_configuration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conf = {"spark.dstream_compat.kafka.brokers": "conf:1"}.get
    assert read_params({}, conf, lambda: KNOWN, "call").brokers == "conf:1"
    monkeypatch.setenv("DSTREAM_KAFKA_BROKERS", "env:1")
    assert read_params({}, conf, lambda: KNOWN, "call").brokers == "env:1"
    assert read_params({"bootstrap.servers": "a:1"}, conf, lambda: KNOWN, "call").brokers == "a:1"


def test_what_rewrite_leaves_to_be_filled_in_names_no_broker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    params = {"metadata.broker.list": ds203_kafka_brokers.PLACEHOLDER}
    with pytest.raises(ValueError, match=r"Must specify metadata\.broker\.list"):
        read_params(params, lambda key: None, lambda: KNOWN, "createDirectStream at job.py:3")
    monkeypatch.setenv("DSTREAM_KAFKA_BROKERS", "env:1")
    assert (
        read_params(params, lambda key: None, lambda: KNOWN, "createDirectStream").brokers
        == "env:1"
    )
