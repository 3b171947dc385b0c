"""One broker for the tests of a process, and a hand to fill its topics."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from py4j.java_gateway import JavaMember
from py4j.protocol import STATIC_PREFIX, Py4JJavaError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from tests.servers.kafka import Broker
from tests.servers.maven import NotResolved
from tests.servers.required import missing


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    try:
        broker = Broker(tmp_path_factory.mktemp("kafka"))
    except NotResolved as reason:
        missing(f"Kafka's jars cannot be had from Maven Central: {reason}")
    broker.start()
    yield broker
    broker.stop(kill=True)


class Topics:
    """Makes topics and fills them, with the Java client that the tests' Spark has anyway."""

    def __init__(self, sc: SparkContext, address: str) -> None:
        self.address = address
        self.jvm: Any = sc._jvm
        self._sc = sc
        properties = self.jvm.java.util.Properties()
        properties.setProperty("bootstrap.servers", address)
        self.admin = self.jvm.org.apache.kafka.clients.admin.Admin.create(properties)
        self._properties = properties
        self._producers: dict[str, Any] = {}

    @property
    def params(self) -> dict[str, Any]:
        return {"metadata.broker.list": self.address}

    def create(self, partitions: int = 1, name: str | None = None, **settings: str) -> str:
        name = name or f"topic-{os.getpid()}-{next(_numbers)}"
        optional = self.jvm.java.util.Optional
        topic = self.jvm.org.apache.kafka.clients.admin.NewTopic(
            name, optional.of(partitions), optional.empty()
        )
        if settings:
            java = self.jvm.java.util.HashMap()
            for key, value in settings.items():
                java.put(key.replace("_", "."), value)
            topic.configs(java)
        self.admin.createTopics(self._listed([topic])).all().get()
        return name

    def widen(self, topic: str, partitions: int) -> None:
        """Give a topic more partitions."""
        wider = self.jvm.java.util.HashMap()
        increase = self.jvm.org.apache.kafka.clients.admin.NewPartitions.increaseTo(partitions)
        wider.put(topic, increase)
        self.admin.createPartitions(wider).all().get()

    def delete(self, topic: str) -> None:
        self.admin.deleteTopics(self._listed([topic])).all().get()

    def delete_records(self, topic: str, partition: int, before: int) -> None:
        """Have the broker forget the records below an offset, as retention does."""
        place = self.jvm.org.apache.kafka.common.TopicPartition(topic, partition)
        name = f"{STATIC_PREFIX}org.apache.kafka.clients.admin.RecordsToDelete"
        client: Any = self._sc._gateway._gateway_client  # type: ignore[union-attr]
        # py4j finds the method of the same name that is not static
        records = JavaMember("beforeOffset", None, name, client)(before)
        wanted = self.jvm.java.util.HashMap()
        wanted.put(place, records)
        self.admin.deleteRecords(wanted).all().get()

    def send(
        self, topic: str, *records: tuple[str | None, str | None], partition: int | None = None
    ) -> None:
        """Send (key, value) pairs, to one partition where it is named; they are there then."""
        left = list(records)
        for _ in range(3):
            left = self._unsent(topic, left, partition)
            if not left:
                return
            # a client that has lost its way, for once in a while: another one
            self._producers.pop("").close(self.jvm.java.time.Duration.ZERO)
        raise TimeoutError(f"{len(left)} records could not be sent")

    def _unsent(self, topic: str, records: list[Any], partition: int | None) -> list[Any]:
        """Send records and give those that nobody took in time."""
        producer = self._producer("")
        record = self.jvm.org.apache.kafka.clients.producer.ProducerRecord
        sent = [producer.send(record(topic, partition, key, value)) for key, value in records]
        left = []
        for pair, future in zip(records, sent, strict=True):
            try:
                future.get()
            except Py4JJavaError as error:
                if "TimeoutException" not in str(error):
                    raise
                left.append(pair)
        return left

    def send_aborted(self, topic: str, *records: tuple[str | None, str | None]) -> None:
        """Send records in a transaction that is then aborted."""
        producer = self._producer(f"transaction-{topic}")
        producer.initTransactions()
        producer.beginTransaction()
        record = self.jvm.org.apache.kafka.clients.producer.ProducerRecord
        for key, value in records:
            producer.send(record(topic, 0, key, value))
        producer.flush()
        producer.abortTransaction()

    def send_large(self, topic: str, *values: str) -> None:
        """Send records of up to 10 MB, with a header each."""
        producer = self._producer("", "max.request.size", "10000000")
        record = self.jvm.org.apache.kafka.clients.producer.ProducerRecord
        for value in values:
            made = record(topic, 0, None, value)
            made.headers().add("kind", bytearray(b"large"))
            producer.send(made).get()

    def send_numbers(self, topic: str, count: int, first: int = 0) -> None:
        """Send many records at once: the numbers, as text, with themselves as keys."""
        frame = SparkSession(self._sc).range(first, first + count)
        (
            frame.selectExpr("cast(id as string) as key", "cast(id as string) as value")
            .write.format("kafka")
            .option("kafka.bootstrap.servers", self.address)
            .option("topic", topic)
            .save()
        )

    def committed(self, group: str) -> dict[tuple[str, int], int]:
        answer = self.admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get()
        return {(key.topic(), key.partition()): answer[key].offset() for key in answer}

    def commit(self, group: str, topic: str, offsets: Iterable[int]) -> None:
        changes = self.jvm.java.util.HashMap()
        for number, offset in enumerate(offsets):
            place = self.jvm.org.apache.kafka.common.TopicPartition(topic, number)
            changes.put(place, self.jvm.org.apache.kafka.clients.consumer.OffsetAndMetadata(offset))
        self.admin.alterConsumerGroupOffsets(group, changes).all().get()

    def close(self) -> None:
        for producer in self._producers.values():
            producer.close()
        self.admin.close()

    def _producer(self, transaction: str, *setting: str) -> Any:
        if (known := transaction + "".join(setting)) not in self._producers:
            properties = self.jvm.java.util.Properties()
            properties.putAll(self._properties)
            properties.setProperty("request.timeout.ms", "10000")
            properties.setProperty("delivery.timeout.ms", "30000")
            if transaction:
                properties.setProperty("transactional.id", transaction)
            if setting:
                properties.setProperty(*setting)
            serializer = self.jvm.org.apache.kafka.common.serialization.StringSerializer
            make = self.jvm.org.apache.kafka.clients.producer.KafkaProducer
            self._producers[known] = make(properties, serializer(), serializer())
        return self._producers[known]

    def _listed(self, elements: Iterable[Any]) -> Any:
        java = self.jvm.java.util.ArrayList()
        for element in elements:
            java.add(element)
        return java


_numbers = itertools.count()


@pytest.fixture(scope="module")
def topics(live_sc: Callable[[], SparkContext], broker: Broker) -> Iterator[Topics]:
    topics = Topics(live_sc(), broker.address)
    yield topics
    topics.close()
