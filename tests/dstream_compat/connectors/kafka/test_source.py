"""Which offsets belong to which tick, without a broker."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstream_compat.connectors.kafka.kafka_source import (
    KafkaSource,
    Limits,
    Positions,
    Unreachable,
    shared_out,
)
from dstream_compat.input.source import Stopped
from dstream_compat.stages.partitions import Batch, BrokenPartition, KafkaRange, TopicPartition

ZERO, ONE = ("t", 0), ("t", 1)


class Brokers:
    """Offsets in a dict, and brokers that can be away."""

    def __init__(self, **ends: int) -> None:
        self.ends = {("t", int(name[1:])): end for name, end in ends.items()}
        self.first: dict[TopicPartition, int] = {}
        self.away = 0
        self.committed: list[tuple[str, Positions]] = []

    def partitions(self, topics: Collection[str]) -> set[TopicPartition]:
        return set(self.ends)

    def earliest(self, partitions: Collection[TopicPartition]) -> Positions:
        return {key: self.first.get(key, 0) for key in partitions}

    def latest(self, partitions: Collection[TopicPartition]) -> Positions:
        if self.away:
            self.away -= 1
            raise Unreachable("the brokers are away")
        return {key: self.ends[key] for key in partitions}

    def commit(self, group: str, positions: Positions) -> None:
        self.committed.append((group, positions))

    def close(self) -> None: ...


class Seconds:
    """A clock that goes on by ``step`` whenever it is asked."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def source(brokers: Brokers, begin: Positions, clock: Any = None, **more: Any) -> KafkaSource:
    limits = more.pop("limits", Limits(1000))
    made = KafkaSource(["t"], brokers, lambda: begin, limits, clock=clock or Seconds(), **more)
    made.start(0)
    return made


def test_a_range_ends_where_the_next_begins() -> None:
    brokers = Brokers(p0=3)
    made = source(brokers, {ZERO: 1})
    assert made.take(1000).partitions == (KafkaRange("t", 0, 1, 3),)
    assert made.take(2000).partitions == (KafkaRange("t", 0, 3, 3),)
    brokers.ends[ZERO] = 7
    batch = made.take(3000)
    assert batch.partitions == (KafkaRange("t", 0, 3, 7),)
    assert batch.info is not None
    assert batch.info.records == 4


def test_a_recovered_source_goes_on_behind_the_last_range() -> None:
    brokers = Brokers(p0=9, p1=9)
    made = KafkaSource(["t"], brokers, dict, Limits(1000), clock=Seconds())
    made.recover(
        [
            (1000, Batch((KafkaRange("t", 0, 0, 4), KafkaRange("t", 1, 0, 1)))),
            (
                2000,
                Batch((KafkaRange("t", 0, 4, 5), KafkaRange("t", 1, 1, 1), BrokenPartition("x"))),
            ),
        ]
    )
    made.start(0)
    assert made.take(3000).partitions == (KafkaRange("t", 0, 5, 9), KafkaRange("t", 1, 1, 9))


def test_new_partitions_begin_at_their_first_offset_and_are_looked_for_now_and_then() -> None:
    brokers, clock = Brokers(p0=1), Seconds()
    made = source(brokers, {ZERO: 0}, clock)
    made.take(1000)
    brokers.ends[ONE], brokers.first[ONE] = 5, 2
    assert len(made.take(2000).partitions) == 1
    clock.now += 10
    assert made.take(3000).partitions[1] == KafkaRange("t", 1, 2, 5)


def test_brokers_that_come_back_in_time_cost_nothing() -> None:
    brokers = Brokers(p0=2)
    brokers.away = 3
    assert source(brokers, {ZERO: 0}).take(1000).partitions == (KafkaRange("t", 0, 0, 2),)


def test_brokers_that_stay_away_fail_the_batch_and_its_records_come_with_the_next() -> None:
    brokers = Brokers(p0=2)
    brokers.away = 1
    made = source(brokers, {ZERO: 0}, Seconds(step=100.0))
    assert made.take(1000).partitions == (
        KafkaRange("t", 0, 0, 0),
        BrokenPartition("the brokers are away"),
    )
    assert made.take(2000).partitions == (KafkaRange("t", 0, 0, 2),)


def test_whatever_goes_wrong_the_log_knows_the_positions() -> None:
    brokers = Brokers(p0=2)
    made = source(brokers, {ZERO: 1})
    del brokers.ends[ZERO]
    batch = made.take(1000)
    assert batch.partitions[0] == KafkaRange("t", 0, 1, 1)
    assert isinstance(batch.partitions[1], BrokenPartition)
    again = KafkaSource(["t"], Brokers(p0=5), dict, Limits(1000), clock=Seconds())
    again.recover([(1000, batch)])
    again.start(0)
    assert again.take(2000).partitions == (KafkaRange("t", 0, 1, 5),)


def test_a_stop_ends_the_wait_and_the_tick_is_not_logged() -> None:
    brokers = Brokers(p0=2)
    made = source(brokers, {ZERO: 0})
    brokers.away = 10**9
    made.interrupt()
    with pytest.raises(Stopped):
        made.take(1000)


def test_offsets_that_go_back_are_an_error() -> None:
    made = source(Brokers(p0=2, p1=1), {ZERO: 5, ONE: 0})
    kept, other, broken = made.take(1000).partitions
    assert (kept, other) == (KafkaRange("t", 0, 5, 5), KafkaRange("t", 1, 0, 1))
    assert isinstance(broken, BrokenPartition)
    assert "offsets up to 2 in t, partition 0, but this stream has read up to 5" in broken.message


def test_done_batches_are_told_to_the_group() -> None:
    brokers = Brokers(p0=2)
    made = source(brokers, {ZERO: 0}, group="g")
    made.processed(made.take(1000))
    assert brokers.committed == [("g", {ZERO: 2})]


@pytest.mark.parametrize(
    ("limits", "lags", "rate", "allowed"),
    [
        (Limits(1000), (9, 9), None, None),
        (Limits(2000, per_partition=3), (9, 1), None, (6, 6)),
        (Limits(100, per_partition=3), (9, 9), None, (1, 1)),
        (Limits(1000, initial_rate=10, backpressure=True), (40, 10), None, (8, 2)),
        (Limits(1000, initial_rate=10), (40, 10), None, None),
        (Limits(1000, backpressure=True), (30, 10), 20.0, (15, 5)),
        (Limits(1000, per_partition=6, backpressure=True), (30, 10), 20.0, (6, 5)),
        (Limits(1000, backpressure=True), (0, 0), 20.0, None),
    ],
)
def test_limits_are_those_of_the_legacy_stream(
    limits: Limits, lags: tuple[int, int], rate: float | None, allowed: tuple[int, int] | None
) -> None:
    found = limits.allowed(dict(zip((ZERO, ONE), lags, strict=True)), rate)
    assert found == (None if allowed is None else dict(zip((ZERO, ONE), allowed, strict=True)))


@pytest.mark.parametrize(
    ("rate", "interval", "lags", "taken"),
    [
        (10, 1000, (40, 10), [(5, 5), (5, 5), (10, 0)]),
        (10, 1000, (3, 4), [(3, 4), (0, 0)]),
        (5, 1000, (1, 100), [(1, 4), (0, 5)]),
        (1, 500, (1, 1), [(0, 0), (0, 1), (0, 0), (1, 0)]),
        (0, 1000, (40, 10), [(40, 10)]),
    ],
)
def test_the_rate_of_a_receiver_is_a_limit_on_all_partitions_together(
    rate: float, interval: int, lags: tuple[int, int], taken: list[tuple[int, int]]
) -> None:
    brokers = Brokers(p0=lags[0], p1=lags[1])
    made = source(brokers, {ZERO: 0, ONE: 0}, limits=Limits(interval, total=rate))
    for number, expected in enumerate(taken, 1):
        ranges = [p for p in made.take(number * interval).partitions if isinstance(p, KafkaRange)]
        assert tuple(part.records for part in ranges) == expected


@given(
    partitions=st.integers(0, 12),
    later=st.integers(0, 5),
    threads=st.lists(st.integers(1, 3), min_size=1, max_size=5),
)
def test_streams_of_a_group_share_without_gap_or_overlap_and_for_good(
    partitions: int, later: int, threads: list[int]
) -> None:
    total = sum(threads)
    firsts = [sum(threads[:at]) for at in range(len(threads))]
    before = {("t", number) for number in range(partitions)}
    after = {("t", number) for number in range(partitions + later)}

    def share(of: set[TopicPartition], at: int) -> set[TopicPartition]:
        return shared_out(of, {"t": (total, firsts[at], threads[at])})

    shares = [share(after, at) for at in range(len(threads))]
    assert sorted(key for part in shares for key in part) == sorted(after)
    assert all(share(before, at) == shares[at] & before for at in range(len(threads)))
