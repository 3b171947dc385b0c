"""Make the input source of a Kafka stream from its spec."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterable

from pyspark import SparkContext

from dstream_compat.base import settings
from dstream_compat.base.settings import Conf
from dstream_compat.connectors.kafka.admin import KafkaAdmin
from dstream_compat.connectors.kafka.kafka_source import KafkaSource, Limits, Positions, shared_out
from dstream_compat.connectors.kafka.starting import from_reset, from_setting
from dstream_compat.graph.specs import Consumer, KafkaSpec
from dstream_compat.stages.partitions import TopicPartition

logger = logging.getLogger(__name__)


def kafka_source(
    spec: KafkaSpec,
    specs: Iterable[object],
    sc: SparkContext,
    interval_ms: int,
    conf: Conf,
) -> KafkaSource:
    """The input source of a Kafka stream; ``specs`` are those of all input streams of the job."""
    stopping = threading.Event()  # waits for brokers end with the context
    admin = KafkaAdmin(sc, spec.consumer, stopping)
    grouped = spec.threads is not None  # legacy: the streams of a group were receivers
    return KafkaSource(
        spec.topics,
        admin,
        lambda: _begin(spec, admin, mine, conf),
        Limits(
            interval_ms,
            settings.number(conf, "spark.streaming.kafka.maxRatePerPartition", None),
            settings.number(conf, "spark.streaming.backpressure.initialRate", None),
            settings.flag(conf, "spark.streaming.backpressure.enabled"),
            settings.number(conf, "spark.streaming.receiver.maxRate", None) if grouped else None,
        ),
        mine=(mine := _chooser(spec, specs)),
        group=_group(spec, conf),
        on_demand=not grouped,
        stopping=stopping,
    )


class _Chooser:
    """Which partitions of its topics a stream reads."""

    def __init__(
        self, left_out: frozenset[TopicPartition], threads: dict[str, tuple[int, int, int]] | None
    ) -> None:
        self._left_out = left_out
        self._threads = threads

    def __call__(self, partitions: Collection[TopicPartition]) -> set[TopicPartition]:
        chosen = set(partitions) - self._left_out
        return chosen if self._threads is None else shared_out(chosen, self._threads)


def _chooser(spec: KafkaSpec, specs: Iterable[object]) -> _Chooser:
    if spec.threads is None:
        return _Chooser(spec.left_out, None)
    group = [
        other
        for other in specs
        if isinstance(other, KafkaSpec)
        and other.threads is not None
        and other.consumer.group == spec.consumer.group
        and other.consumer.brokers == spec.consumer.brokers
    ]
    threads: dict[str, tuple[int, int, int]] = {}
    for topic, count in spec.threads.items():
        total = sum(each.threads.get(topic, 0) for each in group if each.threads)
        before = group[: next(at for at, each in enumerate(group) if each is spec)]
        first = sum(each.threads.get(topic, 0) for each in before if each.threads)
        threads[topic] = (total, first, count)
    return _Chooser(spec.left_out, threads)


def _begin(spec: KafkaSpec, admin: KafkaAdmin, mine: _Chooser, conf: Conf) -> Positions:
    """Where a stream without history begins."""
    if spec.begin is not None:
        return spec.begin
    there = mine(admin.partitions(spec.topics))
    begin = from_setting(conf, there)
    if spec.consumer.group is not None:
        # a job started with the file has read on since then: its group remembers how far
        committed = admin.committed(spec.consumer.group, there)
        ahead = {key: at for key, at in committed.items() if at > begin.get(key, -1)}
        begin = {**begin, **_still_there(ahead, admin, spec.consumer)}
    return {**from_reset(admin, spec.consumer.reset, there - set(begin)), **begin}


def _still_there(
    committed: Positions, admin: KafkaAdmin, consumer: Consumer
) -> dict[TopicPartition, int]:
    """legacy: a group whose offset has expired begins where ``auto.offset.reset`` says."""
    first = admin.earliest(committed) if committed else {}
    expired = {key for key, at in committed.items() if at < first[key]}
    reset = from_reset(admin, consumer.reset, expired)
    for key, at in sorted(reset.items()):
        logger.warning(
            "the group %s has read %s, partition %s, up to offset %s, but Kafka no longer has "
            "offsets before %s: the stream begins at %s (auto.offset.reset)",
            *(consumer.group, *key, committed[key], first[key], at),
        )
    return {**committed, **reset}


def _group(spec: KafkaSpec, conf: Conf) -> str | None:
    """The group that processed offsets are committed to; None: none."""
    if spec.threads is not None:
        # legacy: the receiver committed to ZooKeeper, unless auto.commit.enable was false
        return None if spec.consumer.commits is False else spec.consumer.group
    wanted = settings.flag(conf, "spark.dstream_compat.kafka.commitOffsets")
    return spec.consumer.group if wanted else None
