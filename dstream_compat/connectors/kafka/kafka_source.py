"""Kafka topics as input: which offsets belong to which tick. Knows neither Spark nor a client."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from dstream_compat.input.source import InputSource, Stopped
from dstream_compat.stages.kafka_messages import OffsetRange
from dstream_compat.stages.partitions import (
    Batch,
    BrokenPartition,
    InputInfo,
    KafkaRange,
    Partition,
    TopicPartition,
)

logger = logging.getLogger(__name__)

_LOOK_AGAIN = 10.0  # seconds between checks for new partitions
_PATIENCE = 60.0  # how many seconds a tick waits for brokers that do not answer

Positions = Mapping[TopicPartition, int]


class Unreachable(Exception):
    """The brokers do not answer."""


class Offsets(Protocol):
    """What the brokers answer. All methods may raise :class:`Unreachable`."""

    def partitions(self, topics: Collection[str]) -> set[TopicPartition]:
        """The partitions of those of ``topics`` that exist."""

    def earliest(self, partitions: Collection[TopicPartition]) -> Positions:
        """The first offset that each still has."""

    def latest(self, partitions: Collection[TopicPartition]) -> Positions:
        """The offset that each one's next record will get."""

    def commit(self, group: str, positions: Positions) -> None:
        """Commit a group's offsets, without waiting for an answer."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class Limits:
    """How many records a tick may take. Rates are per second; None is no limit.

    ``total`` is that of a receiver, for all partitions together.
    """

    interval_ms: int
    per_partition: float | None = None
    initial_rate: float | None = None
    backpressure: bool = False
    total: float | None = None

    def taken(
        self, lags: Mapping[TopicPartition, int], rate: float | None, tick: int
    ) -> Mapping[TopicPartition, int]:
        """How many records of each partition belong to ``tick``."""
        allowed = self.allowed(lags, rate) or lags
        wanted = {key: min(lag, allowed[key]) for key, lag in lags.items()}
        if not self.total or self.total <= 0:
            return wanted
        # whole records, and the exact rate in the long run, however short the interval is
        before, now = (int(self.total * at / 1000) for at in (tick - self.interval_ms, tick))
        return _shared_fairly(wanted, now - before)

    def allowed(
        self, lags: Mapping[TopicPartition, int], rate: float | None
    ) -> dict[TopicPartition, int] | None:
        """The most records of each partition; None: all. ``rate`` is backpressure's estimate.

        legacy: the estimate is shared out by lag, and a limited partition gets one record at
        least.
        """
        most = self.per_partition or 0.0
        if self.backpressure and rate is None:
            rate = self.initial_rate
        total = sum(lags.values())
        rates = dict.fromkeys(lags, most)
        if rate and total:
            for partition, lag in lags.items():
                share = float(round(lag / total * rate))
                rates[partition] = min(share, most) if most > 0 else share
        if sum(rates.values()) <= 0:
            return None
        return {p: max(1, int(self.interval_ms / 1000 * each)) for p, each in rates.items()}


def _shared_fairly(wanted: Mapping[TopicPartition, int], most: int) -> Mapping[TopicPartition, int]:
    """At most ``most`` in all: small requests are met, the others get equal shares."""
    shares: dict[TopicPartition, int] = {}
    for key in sorted(wanted, key=lambda key: (wanted[key], key)):
        shares[key] = min(wanted[key], most // (len(wanted) - len(shares)))
        most -= shares[key]
    return shares


class KafkaSource(InputSource):
    """The ranges of offsets of some topics, tick by tick, up to what is there at the tick.

    ``begin`` gives the positions to start from and is asked once, unless there is a history.
    ``mine`` chooses among partitions: those of other streams, or left out by the job, are not.
    """

    adapts = True
    resumes_from_newest = True

    def __init__(
        self,
        topics: Collection[str],
        offsets: Offsets,
        begin: Callable[[], Positions],
        limits: Limits,
        *,
        mine: Callable[[Collection[TopicPartition]], Collection[TopicPartition]] = set,
        group: str | None = None,
        on_demand: bool = True,
        stopping: threading.Event | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._topics = tuple(topics)
        self._offsets = offsets
        self._begin = begin
        self._limits = limits
        self._mine = mine
        self._group = group
        self.on_demand = on_demand
        self._clock = clock
        self._at: dict[TopicPartition, int] | None = None
        self._looked = -_LOOK_AGAIN
        self._rate: float | None = None
        self._stopping = stopping or threading.Event()
        self._complained = False

    def start(self, zero_time: int) -> None:
        if self._at is None:
            self._at = dict(self._patiently(self._begin))

    def recover(self, history: Iterable[tuple[int, Batch]]) -> None:
        """Resume after the last range that was logged."""
        for _, batch in history:
            at = dict(self._at or {})
            at |= {
                (part.topic, part.partition): part.until
                for part in batch.partitions
                if isinstance(part, KafkaRange)
            }
            self._at = at

    def take(self, tick: int) -> Batch:
        """Everything between the last tick and what the brokers have now."""
        assert self._at is not None
        try:
            latest = self._patiently(self._latest)
        except Stopped:
            raise
        except Exception as error:
            # legacy: this batch fails, its records belong to the next one
            stay = [KafkaRange(*key, at, at) for key, at in sorted(self._at.items())]
            return _batch(stay, BrokenPartition(str(error)))
        lags = {key: max(0, latest.get(key, at) - at) for key, at in self._at.items()}
        taken = self._limits.taken(lags, self._rate, tick)
        ranges = [KafkaRange(*key, at, at + taken[key]) for key, at in sorted(self._at.items())]
        broken = [
            BrokenPartition(_went_back(key, at, latest[key]))
            for key, at in sorted(self._at.items())
            if latest.get(key, at) < at
        ]
        self._at |= {(part.topic, part.partition): part.until for part in ranges}
        return _batch(ranges, *broken)

    def update_rate(self, rate: float) -> None:
        """Backpressure: how many records a second the job can take."""
        self._rate = rate

    def processed(self, batch: Batch) -> None:
        """A batch is done: commit its offsets to the group, if any."""
        if self._group is not None:
            until = {
                (p.topic, p.partition): p.until
                for p in batch.partitions
                if isinstance(p, KafkaRange)
            }
            if until:
                self._offsets.commit(self._group, until)

    def earliest(self, partitions: Collection[TopicPartition]) -> Positions:
        """The first offsets that the brokers still have."""
        return self._offsets.earliest(partitions)

    def interrupt(self) -> None:
        """The context stops: a tick stops waiting for the brokers."""
        self._stopping.set()

    def close(self) -> None:
        self._offsets.close()

    def _latest(self) -> Positions:
        assert self._at is not None
        now = self._clock()
        if now - self._looked >= _LOOK_AGAIN:
            new = set(self._mine(self._offsets.partitions(self._topics))) - set(self._at)
            if new:  # everything in them arrived after the stream began
                self._at |= self._offsets.earliest(new)
            self._looked = now
        return self._offsets.latest(self._at) if self._at else {}

    def _patiently(self, ask: Callable[[], Positions]) -> Positions:
        """Keep asking while the brokers are away: their restart should not fail a batch."""
        deadline = self._clock() + _PATIENCE
        while True:
            try:
                answer = ask()
                self._complained = False
                return answer
            except Unreachable as error:
                if self._stopping.is_set():
                    raise Stopped from None
                if self._clock() >= deadline:
                    raise
                if not self._complained:
                    logger.warning("Kafka: %s. The batch waits up to a minute", error)
                    self._complained = True
                self._stopping.wait(0.2)


def _went_back(key: TopicPartition, at: int, latest: int) -> str:
    topic, number = key
    return (
        f"Kafka has offsets up to {latest} in {topic}, partition {number}, but this stream has "
        f"read up to {at}: the topic was deleted and created again, or the starting offset is "
        "wrong. Start the job with new starting offsets and a new checkpoint directory"
    )


def _batch(ranges: list[KafkaRange], *more: Partition) -> Batch:
    told = [OffsetRange(part.topic, part.partition, part.start, part.until) for part in ranges]
    description = "\n".join(
        f"topic: {part.topic}\tpartition: {part.partition}\toffsets: {part.start} to {part.until}"
        for part in ranges
        if part.records  # legacy: partitions without new records are not mentioned
    )
    metadata = {"offsets": told, "Description": description}
    records = sum(part.records for part in ranges)
    return Batch((*ranges, *more), InputInfo(records, metadata))


def shared_out(
    partitions: Collection[TopicPartition], threads: Mapping[str, tuple[int, int, int]]
) -> set[TopicPartition]:
    """The partitions that belong to one of several streams of a group.

    ``threads`` has, for every topic, the number of threads of all streams together, the first of
    this stream's, and how many they are. Only a partition's number decides, so that adding one
    later does not move the others.

    >>> sorted(shared_out({("t", 0), ("t", 1), ("t", 2)}, {"t": (2, 0, 1)}))
    [('t', 0), ('t', 2)]
    """
    return {
        (topic, number)
        for topic, number in partitions
        if topic in threads
        for total, first, count in [threads[topic]]
        if first <= number % total < first + count
    }
