"""slice and remember, and RDDs that outlive their batch."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext

from dstream_parity import Batches, Outcomes, difference
from dstream_parity.engines.legacy import replay_legacy
from dstream_parity.engines.on_spark import replay_on_spark
from tests.dstream_compat.engine import by_hand, tick

BATCHES: Batches = [[[[n, n + 1], [n + 2]]] for n in (10, 20, 30, 40, 50)]
START = datetime.fromtimestamp(0)

RANGES: dict[str, tuple[Any, Any]] = {
    "aligned": (2, 3),
    "one batch": (4, 4),
    "unaligned, floored on both sides": (2.5, 3.9),
    "just below a batch": (2.999, 3.001),
    "begin after end": (4, 2),
    "reaching back before the first batch": (-5, 2),
    "up to the time before the first batch": (-5, 0),
    "datetimes": (START + timedelta(seconds=1), START + timedelta(seconds=3)),
    "datetimes lose their fraction": (
        START + timedelta(seconds=1, milliseconds=999),
        START + timedelta(seconds=2, milliseconds=999),
    ),
    "mixed": (START + timedelta(seconds=2), 4.0),
}


STREAMS: dict[str, Callable[[Any], Any]] = {
    "input": lambda numbers: numbers,
    "downstream of operators": lambda numbers: numbers.map(lambda n: (n % 3, n)).reduceByKey(max),
    "transformed": lambda numbers: numbers.transform(lambda rdd: rdd.map(lambda n: -n)).map(
        lambda n: n * 10
    ),
}
Slices = dict[tuple[str, str], list[Any]]


def sliced(replay: Callable[..., Outcomes], sc: SparkContext) -> tuple[Slices, Outcomes]:
    """Slices taken in the fifth batch, of streams that outputs depend on; and the batches."""
    found: Slices = {}

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        ssc.remember(60)
        streams = {name: make(inputs[0]) for name, make in STREAMS.items()}

        def look(time: datetime, rdd: Any) -> None:
            if round(time.timestamp()) == 5:
                for name, stream in streams.items():
                    for kind, (begin, end) in RANGES.items():
                        found[name, kind] = [
                            (rdd.getNumPartitions(), rdd.collect())
                            for rdd in stream.slice(begin, end)
                        ]

        inputs[0].foreachRDD(look)
        return list(streams.values())

    return found, replay(build, BATCHES, sc=sc)


@pytest.fixture(scope="module")
def legacy(live_sc: Callable[[], SparkContext]) -> tuple[Slices, Outcomes]:
    return sliced(replay_legacy, live_sc())


@pytest.fixture(scope="module")
def ours(live_sc: Callable[[], SparkContext]) -> tuple[Slices, Outcomes]:
    return sliced(replay_on_spark, live_sc())


@pytest.mark.parametrize("name", STREAMS)
def test_slices_are_the_legacy_ones(
    legacy: tuple[Slices, Outcomes], ours: tuple[Slices, Outcomes], name: str
) -> None:
    for kind in RANGES:
        assert ours[0][name, kind] == legacy[0][name, kind], kind
    assert len(ours[0][name, "aligned"]) == 2


def test_a_slice_of_a_transformed_stream_is_transformed(ours: tuple[Slices, Outcomes]) -> None:
    both = [(2, [-200, -210, -220]), (2, [-300, -310, -320])]
    assert ours[0]["transformed", "aligned"] == both


def test_slicing_does_not_change_the_batches(
    legacy: tuple[Slices, Outcomes], ours: tuple[Slices, Outcomes]
) -> None:
    assert difference(legacy[1], ours[1]) is None


def test_a_slice_before_the_start_is_refused_and_works_from_the_main_thread_until_after_a_stop(
    sc: SparkContext,
) -> None:
    with by_hand(sc) as ssc:
        ssc.remember(100)
        stream = ssc.queueStream([[n] for n in range(1, 9)])
        doubled = stream.map(lambda n: n * 2)
        doubled.foreachRDD(lambda rdd: None)
        with pytest.raises(Py4JJavaError, match="has not been initialized"):
            doubled.slice(0, 10)
        ssc.start()
        assert doubled.slice(1, 0) == []
        tick(ssc, 3)
        kept = doubled.slice(1, 2)
        assert collected(kept) == [[2], [4]]
        tick(ssc, 2)
        assert collected(kept) == [[2], [4]]
        assert collected(doubled.slice(2, 5)) == [[4], [6], [8], [10]]
        assert collected(stream.slice(5, 5)) == [[5]]
        assert [rdd.getNumPartitions() for rdd in doubled.slice(3, 3)] == [2]
        ssc.stop(stopSparkContext=False)
        assert collected(doubled.slice(1, 3)) == [[2], [4], [6]]


def collected(rdds: list[Any]) -> list[list[Any]]:
    return [rdd.collect() for rdd in rdds]


def test_rdds_of_outputs_can_be_used_two_batches_later(sc: SparkContext) -> None:
    kept: list[Any] = []
    later: list[Any] = []

    def output(rdd: Any) -> None:
        kept.append(rdd)
        if len(kept) >= 3:
            old = kept[-3]
            later.append((old.collect(), sorted(old.union(rdd).collect()), old.count()))

    calls = sc.accumulator(0)

    def counted(n: int) -> int:
        calls.add(1)
        return n

    with by_hand(sc) as ssc:
        stream = ssc.queueStream([[n] for n in range(1, 6)])
        stream.map(counted).foreachRDD(output)
        ssc.start()
        tick(ssc, 5)
        assert ssc.awaitTerminationOrTimeout(0) is False
    assert later == [([1], [1, 3], 1), ([2], [2, 4], 1), ([3], [3, 5], 1)]
    assert [rdd.collect() for rdd in kept] == [[1], [2], [3], [4], [5]]
    assert calls.value == 5


def test_large_rdds_of_outputs_can_be_used_two_batches_later(sc: SparkContext) -> None:
    """Too large to be handed out from the driver's memory."""
    kept: list[Any] = []
    counts: list[tuple[int, int]] = []

    def output(rdd: Any) -> None:
        kept.append(rdd)
        if len(kept) >= 3:
            counts.append((kept[-3].count(), len(kept[-3].first())))

    with by_hand(sc) as ssc:
        stream = ssc.queueStream([[n] for n in range(1, 5)])
        stream.flatMap(blow_up).foreachRDD(output)
        ssc.start()
        tick(ssc, 4)
        assert ssc.awaitTerminationOrTimeout(0) is False
    assert counts == [(100, 1_000_001), (100, 1_000_002)]
    assert kept[0].map(len).distinct().collect() == [1_000_001]


def blow_up(n: int) -> list[bytes]:
    return [b"x" * (1_000_000 + n)] * 100


def test_batches_are_forgotten_unless_they_are_remembered(sc: SparkContext) -> None:
    def kept_ticks(remember: Callable[[Any], None]) -> list[int]:
        with by_hand(sc) as ssc:
            remember(ssc)
            ssc.queueStream([[n] for n in range(9)]).foreachRDD(lambda rdd: None)
            ssc.start()
            tick(ssc, 8)
            assert ssc._engine is not None
            return [entry.tick for _, entry in ssc._engine.parts.log.items()]

    few = kept_ticks(lambda ssc: None)
    many = kept_ticks(lambda ssc: ssc.remember(5))
    assert few[-1] == many[-1] == 8000
    assert len(few) <= 4
    assert {3000, 4000, 5000, 6000, 7000} <= set(many)
    assert 1000 not in many
