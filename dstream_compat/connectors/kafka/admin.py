"""Queries to Kafka's brokers, through the Java client that comes with Spark's connector."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from pyspark import SparkContext

from dstream_compat.base.pyspark_internals import Py4JJavaError, java_cause
from dstream_compat.connectors.kafka.jars import require_connector
from dstream_compat.connectors.kafka.kafka_source import Positions, Unreachable
from dstream_compat.graph.specs import Consumer
from dstream_compat.stages.partitions import TopicPartition

logger = logging.getLogger(__name__)

_ANSWER_SECONDS = 10
_CALL_MS = 60_000  # the client's default for a whole call
_GONE = ("UnknownTopicOrPartitionException", "InvalidTopicException")
# Transient errors: brokers that are down, starting, or changing roles.
_PASSING = {
    "BrokerNotAvailableException",
    "CoordinatorLoadInProgressException",
    "CoordinatorNotAvailableException",
    "DisconnectException",
    "LeaderNotAvailableException",
    "NetworkException",
    "NotCoordinatorException",
    "NotLeaderOrFollowerException",
    "TimeoutException",
}


def consumer_settings(sc: SparkContext) -> set[str]:
    """The names of all settings of a Kafka consumer."""
    jvm = require_connector(sc)
    return set(jvm.org.apache.kafka.clients.consumer.ConsumerConfig.configNames())


def check_values(sc: SparkContext, consumer: Consumer) -> None:
    """Have the client check all values now, rather than when the first executor reads."""
    jvm = require_connector(sc)
    settings = jvm.java.util.HashMap()
    for name, value in consumer.client.items():
        settings.put(name, value)
    parser = jvm.org.apache.kafka.common.serialization.ByteArrayDeserializer
    for name in ("key.deserializer", "value.deserializer"):
        settings.put(name, parser().getClass().getName())
    try:
        jvm.org.apache.kafka.clients.consumer.ConsumerConfig(settings)
    except Py4JJavaError as error:
        found = re.search(r"configuration ([\w.]+)", _reason(error))
        which = found[1] if found else "one of the parameters"
        raise ValueError(f"kafkaParams: Kafka does not accept the value of {which}") from None


class KafkaAdmin:
    """A connection to the brokers. May be used by several threads."""

    def __init__(
        self, sc: SparkContext, consumer: Consumer, stopping: threading.Event | None = None
    ) -> None:
        self._jvm = require_connector(sc)
        self._brokers = consumer.brokers
        properties = self._jvm.java.util.Properties()
        known = self._kafka.clients.admin.AdminClientConfig.configNames()
        for name, value in consumer.client.items():
            if name in known or name.startswith(("ssl.", "sasl.", "security.")):
                properties.setProperty(name, value)
        check_values(sc, consumer)
        patience = consumer.settings.get("request.timeout.ms", "0")
        if "default.api.timeout.ms" not in consumer.settings and int(patience) > _CALL_MS:
            # the client refuses a call timeout below that of a single request
            properties.setProperty("default.api.timeout.ms", patience)
        level = consumer.settings.get("isolation.level", "read_uncommitted").upper()
        self._isolation = getattr(self._kafka.common.IsolationLevel, level)
        try:
            self._admin = self._kafka.clients.admin.Admin.create(properties)
        except Py4JJavaError as error:
            raise ValueError(f"Kafka does not accept the parameters: {_reason(error)}") from None
        self._places: dict[TopicPartition, Any] = {}
        self._told: list[Any] = []  # commits that were sent, and their answers
        self._refused = False
        self._asked: tuple[frozenset[TopicPartition], Any] | None = None
        self._stopping = stopping or threading.Event()

    @property
    def _kafka(self) -> Any:
        return self._jvm.org.apache.kafka

    def partitions(self, topics: Collection[str]) -> set[TopicPartition]:
        """The partitions of those of ``topics`` that exist."""
        futures = self._admin.describeTopics(self._list(sorted(topics))).topicNameValues()
        found: set[TopicPartition] = set()
        for topic in topics:
            described = self._answer(futures.get(topic), _GONE)
            if described is not None:
                found |= {(topic, info.partition()) for info in described.partitions()}
        return found

    def earliest(self, partitions: Collection[TopicPartition]) -> Positions:
        """The first offset that each partition still has."""
        spec = self._kafka.clients.admin.OffsetSpec.earliest()
        return self._positions(self._request(partitions, spec), partitions)

    def latest(self, partitions: Collection[TopicPartition]) -> Positions:
        """The offset that each partition's next record will get."""
        wanted = frozenset(partitions)
        if self._asked is None or self._asked[0] != wanted:  # the same question at every tick
            spec = self._kafka.clients.admin.OffsetSpec.latest()
            self._asked = wanted, self._request(wanted, spec)
        return self._positions(self._asked[1], wanted)

    def at_time(self, partitions: Collection[TopicPartition], time_ms: int) -> Positions:
        """The first offset with a record of ``time_ms`` or later; the end where there is none."""
        spec = self._kafka.clients.admin.OffsetSpec.forTimestamp(time_ms)
        found = self._positions(self._request(partitions, spec), partitions)
        late = [key for key, offset in found.items() if offset < 0]
        return {**found, **self.latest(late)} if late else found

    def committed(self, group: str, partitions: Collection[TopicPartition]) -> Positions:
        """The offsets that a group has committed; partitions without a commit are absent."""
        asked = self._admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()
        answer = self._answer(asked, ("GroupIdNotFoundException",))
        found: dict[TopicPartition, int] = {}
        for key in partitions if answer is not None else ():
            known = answer.get(self._place(key))
            if known is not None:
                found[key] = known.offset()
        return found

    def commit(self, group: str, positions: Positions) -> None:
        """Commit a group's offsets without waiting; the next call looks at the answer."""
        self._look_at_answers()
        changes = self._jvm.java.util.HashMap()
        make = self._kafka.clients.consumer.OffsetAndMetadata
        for key, offset in positions.items():
            changes.put(self._place(key), make(offset))
        self._told.append((group, self._admin.alterConsumerGroupOffsets(group, changes).all()))

    def _look_at_answers(self) -> None:
        """Warn once when commits fail: they may be all that a job without a checkpoint has."""
        answered = [(group, future) for group, future in self._told if future.isDone()]
        self._told = [told for told in self._told if not told[1].isDone()]
        for group, future in answered:
            try:
                future.get()
                self._refused = False
            except Py4JJavaError as error:
                name, text = _causes(error)[-1]
                if not self._refused:
                    logger.warning(
                        "Kafka rejected the offsets of the group %s (%s: %s): a job without a "
                        "checkpoint would read the records again, and lag monitors are not updated",
                        *(group, name, text),
                    )
                self._refused = True

    def close(self) -> None:
        seconds = 5 if self._told else 0  # only commits still matter
        try:
            self._admin.close(self._jvm.java.time.Duration.ofSeconds(seconds))
            self._look_at_answers()
        except Exception:  # the JVM is gone, or going
            logger.debug("Kafka's client was not closed", exc_info=True)

    # -- helpers -------------------------------------------------------------------------------

    def _request(self, partitions: Collection[TopicPartition], spec: Any) -> Any:
        request = self._jvm.java.util.HashMap()
        for key in partitions:
            request.put(self._place(key), spec)
        return request

    def _positions(
        self, request: Any, partitions: Collection[TopicPartition]
    ) -> Mapping[TopicPartition, int]:
        if not partitions:
            return {}
        options = self._kafka.clients.admin.ListOffsetsOptions(self._isolation)
        answer = self._answer(self._admin.listOffsets(request, options).all(), _GONE)
        if answer is None:
            topics = {topic for topic, _ in partitions}
            gone = topics - {topic for topic, _ in self.partitions(topics)}
            which = f"the topic {', '.join(sorted(gone))}" if gone else "some of the partitions"
            raise ValueError(f"Kafka no longer has {which}: it was deleted")
        return {key: int(answer.get(self._place(key)).offset()) for key in partitions}

    def _place(self, key: TopicPartition) -> Any:
        if key not in self._places:
            self._places[key] = self._kafka.common.TopicPartition(*key)
        return self._places[key]

    def _list(self, elements: Iterable[Any]) -> Any:
        listed = self._jvm.java.util.ArrayList()
        for element in elements:
            listed.add(element)
        return listed

    def _answer(self, future: Any, absent: tuple[str, ...]) -> Any:
        """What a future gives; None for the errors of ``absent``."""
        second = self._jvm.java.util.concurrent.TimeUnit.SECONDS
        deadline = time.monotonic() + _ANSWER_SECONDS
        while True:
            try:
                return future.get(1, second)
            except Py4JJavaError as error:
                causes = _causes(error)
                name, text = causes[-1]
                if name in absent:
                    return None
                if any(cause in _PASSING for cause, _ in causes):
                    waited = time.monotonic() >= deadline or future.isDone()
                    if waited or self._stopping.is_set():
                        raise Unreachable(
                            f"the brokers at {self._brokers} do not answer ({text or name})"
                        ) from None
                    continue
                raise ValueError(f"Kafka refused a request ({name}): {text}") from None


def _causes(error: Py4JJavaError) -> list[tuple[str, str]]:
    """The simple names and messages of a Java exception and what it was caused by."""
    found = []
    java = java_cause(error)
    while java is not None:
        found.append((str(java.getClass().getSimpleName()), str(java.getMessage() or "")))
        java = java.getCause()
    return found


def _reason(error: Py4JJavaError) -> str:
    name, text = _causes(error)[-1]
    return text or name
