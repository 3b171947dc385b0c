"""``kafkaParams`` of the 0.8 consumer, as today's consumer understands them. Knows no Spark."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping

from dstream_compat.graph.specs import Consumer

BROKERS_CONF = "spark.dstream_compat.kafka.brokers"
BROKERS_ENV = "DSTREAM_KAFKA_BROKERS"
PLACEHOLDER = "FILL-IN-THE-BROKER"  # written by `migrate rewrite`; counts as no broker
_BROKERS = ("metadata.broker.list", "bootstrap.servers")
_RESETS = {
    "smallest": "earliest",
    "earliest": "earliest",
    "largest": "latest",
    "latest": "latest",
}
_RENAMED = {
    "fetch.message.max.bytes": "max.partition.fetch.bytes",
    "fetch.wait.max.ms": "fetch.max.wait.ms",
    "socket.receive.buffer.bytes": "receive.buffer.bytes",
    "socket.timeout.ms": "request.timeout.ms",
}
_COMMIT = ("auto.commit.enable", "enable.auto.commit")
_NO_COMMITS = (
    "offsets are in the checkpoint; with spark.dstream_compat.kafka.commitOffsets=true a direct "
    "stream also commits them to its group"
)

# What is ignored, and why.
_DROPPED = {
    "consumer.timeout.ms": "batches end at their time, not at a timeout",
    "auto.commit.interval.ms": "offsets are committed batch by batch",
    "refresh.leader.backoff.ms": "the client finds new leaders by itself",
    "num.consumer.fetchers": "each partition is read by one task",
    "queued.max.message.chunks": "there is no queue",
    "partition.assignment.strategy": "the driver assigns the partitions",
    "consumer.id": "consumers are not registered in ZooKeeper",
    "dual.commit.enabled": "offsets are in the checkpoint",
    "exclude.internal.topics": "topics are given by name",
    "serializer.class": "keyDecoder and valueDecoder decode the bytes",
    "key.serializer": "keyDecoder and valueDecoder decode the bytes",
    "value.serializer": "keyDecoder and valueDecoder decode the bytes",
    "key.serializer.class": "keyDecoder and valueDecoder decode the bytes",
    "key.deserializer": "keyDecoder and valueDecoder decode the bytes",
    "value.deserializer": "keyDecoder and valueDecoder decode the bytes",
    "interceptor.classes": "Spark's connector does not allow any",
}
_ALL_DROPPED = {
    "zookeeper.": "ZooKeeper is not used",
    "rebalance.": "the driver assigns the partitions",
    "offsets.": "offsets are in the checkpoint",
}
_OPEN = (
    "ssl.",
    "sasl.",
    "security.",
)  # login modules have settings of their own, which cannot be listed


def read_params(
    params: Mapping[str, object],
    conf: Callable[[str], str | None],
    known: Callable[[], Collection[str]],
    call: str,
) -> Consumer:
    """Understand ``params``; raises ``ValueError`` for what cannot be.

    ``known`` gives the names of all settings of today's consumer. Values are never part of a
    message: there may be passwords among them.
    """
    given = {str(name): _text(name, value) for name, value in params.items()}
    brokers = next((given.pop(name) for name in _BROKERS if given.get(name)), None)
    for name in _BROKERS:
        given.pop(name, None)
    if brokers is not None and brokers.startswith(PLACEHOLDER):
        brokers = None
    brokers = brokers or os.environ.get(BROKERS_ENV) or conf(BROKERS_CONF)
    if not brokers:
        raise ValueError(_no_brokers(call))
    reset = given.pop("auto.offset.reset", "largest")  # legacy: the default of 0.8
    if reset.lower() not in _RESETS:
        raise ValueError(f"{call}: auto.offset.reset should be smallest or largest")
    group = given.pop("group.id", None) or None
    commits = None
    settings: dict[str, str] = {}
    dropped: dict[str, str] = {}
    for name in _COMMIT:
        if name in given:
            commits = given.pop(name).strip().lower() == "true"
            if not call.startswith("createStream"):
                dropped[name] = _NO_COMMITS
    for name, value in given.items():
        why = next((_ALL_DROPPED[at] for at in _ALL_DROPPED if name.startswith(at)), None)
        why = why or _DROPPED.get(name)
        if why is not None:
            dropped[name] = why
        else:
            settings[_known_name(name, known, call)] = value
    return Consumer(brokers, _RESETS[reset.lower()], group, commits, settings, dropped)


def should_be(kind: type, **arguments: object) -> None:
    """Refuse arguments of another type, in the words of the legacy module."""
    for name, value in arguments.items():
        if not isinstance(value, kind):
            raise TypeError(f"{name} should be {kind.__name__}")


def _known_name(name: str, known: Callable[[], Collection[str]], call: str) -> str:
    if name.startswith("kafka."):
        return name.removeprefix("kafka.")  # meant for the client, known or not
    name = _RENAMED.get(name, name)
    if name.startswith(_OPEN) or name in known():
        return name
    raise ValueError(
        f"{call}: {name!r} is not a setting of a Kafka consumer, old (0.8) or new; remove it, or "
        f"write 'kafka.{name}' to pass it on unchanged"
    )


def _text(name: object, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    raise TypeError(f"kafkaParams: {name} should be a str, got {type(value).__name__}")


def _no_brokers(call: str) -> str:
    if call.startswith("createStream"):
        return (
            f"{call} names a ZooKeeper, but Kafka clients no longer ask it for the brokers. "
            f"Name the brokers in the environment ({BROKERS_ENV}=host:9092), in the configuration "
            f"(--conf {BROKERS_CONF}=host:9092), or in the call "
            '(kafkaParams={"bootstrap.servers": "host:9092"})'
        )
    # legacy: the first sentence
    return (
        f"{call}: Must specify metadata.broker.list or bootstrap.servers. Add one of them to "
        f"kafkaParams, or set {BROKERS_ENV} or {BROKERS_CONF}"
    )
