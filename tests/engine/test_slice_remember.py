"""slice and remember, and RDDs that outlive their batch."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext

from dstream_compat.testing import Batches, difference
from dstream_compat.testing.legacy import replay_legacy
from dstream_compat.testing.on_spark import replay_on_spark
from tests.engine import by_hand, tick

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


@pytest.mark.parametrize("inside", [True, False], ids=["in an output", "behind operators"])
def test_slices_are_the_legacy_ones(sc: SparkContext, inside: bool) -> None:
    """Taken in the fifth batch, of a stream that an output depends on."""
    found: dict[str, list[Any]] = {}

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        found.clear()
        ssc.remember(60)
        stream = inputs[0] if inside else inputs[0].map(lambda n: (n % 3, n)).reduceByKey(max)

        def look(time: datetime, rdd: Any) -> None:
            if round(time.timestamp()) == 5:
                for name, (begin, end) in RANGES.items():
                    found[name] = [sorted(rdd.collect()) for rdd in stream.slice(begin, end)]

        stream.foreachRDD(look)
        return [stream]

    expected = replay_legacy(build, BATCHES, sc=sc)
    legacy = dict(found)
    assert difference(expected, replay_on_spark(build, BATCHES, sc=sc)) is None
    assert found == legacy
    assert found.keys() == RANGES.keys()
    assert len(found["aligned"]) == 2


def test_a_slice_of_a_transformed_stream_is_the_legacy_one(sc: SparkContext) -> None:
    found: list[Any] = []

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        found.clear()
        ssc.remember(60)
        stream = inputs[0].transform(lambda rdd: rdd.map(lambda n: -n)).map(lambda n: n * 10)

        def look(time: datetime, rdd: Any) -> None:
            if round(time.timestamp()) == 5:
                found.extend(rdd.glom().collect() for rdd in stream.slice(3, 4))

        stream.foreachRDD(look)
        return [stream]

    replay_legacy(build, BATCHES, sc=sc)
    legacy = list(found)
    replay_on_spark(build, BATCHES, sc=sc)
    assert found == legacy == [[[-300, -310], [-320]], [[-400, -410], [-420]]]


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
            return [entry.tick for _, entry in ssc._engine._log.items()]

    few = kept_ticks(lambda ssc: None)
    many = kept_ticks(lambda ssc: ssc.remember(5))
    assert few[-1] == many[-1] == 8000
    assert len(few) <= 4
    assert {3000, 4000, 5000, 6000, 7000} <= set(many)
    assert 1000 not in many
