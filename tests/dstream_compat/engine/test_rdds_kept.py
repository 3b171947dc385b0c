"""RDDs that a job keeps beyond their batch, and what is left of those it lets go."""

from __future__ import annotations

import gc
import threading
import time
from operator import add
from typing import Any

import pytest
from pyspark import RDD, SparkContext

from dstream_compat.engine import materialise
from tests.dstream_compat.engine.hand_driven import LIMIT, by_hand

BATCHES: Any = [[[n, n + 1], [n + 2], []] for n in (0, 10, 20, 30)]


@pytest.fixture(params=["small", "large"])
def weight(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Large ones stay on the executors; here all do, however few elements they have."""
    if request.param == "large":
        monkeypatch.setattr(materialise, "SMALL_INPUT", -1)
        monkeypatch.setattr(materialise, "INLINE", 0)
    return str(request.param)


def test_rdds_can_be_used_two_batches_later_and_after_stop(sc: SparkContext, weight: str) -> None:
    with by_hand(sc) as job:
        numbers = job.partitioned(*BATCHES)
        kept: list[RDD[int]] = []
        sums: list[RDD[tuple[int, int]]] = []
        late: list[Any] = []

        def keep(rdd: RDD[int]) -> None:
            kept.append(rdd)
            if len(kept) > 2:  # nothing has touched this one before
                late.append((kept[-3].collect(), kept[-3].count(), kept[-3].take(2)))

        numbers.map(lambda x: x * 2).foreachRDD(keep)
        pairs = numbers.map(lambda x: (x % 2, x)).reduceByKey(add, 3)
        pairs.foreachRDD(lambda rdd: sums.append(rdd))
        job.ssc.start()
        for _ in BATCHES:
            job.tick()
        assert late == [([0, 2, 4], 3, [0, 2]), ([20, 22, 24], 3, [20, 22])]
        assert [not rdd._inline for rdd in kept] == [weight == "large"] * 4  # type: ignore[attr-defined]
    assert kept[0].glom().collect() == [[0, 2], [4], []]
    both = kept[1].union(kept[3]).map(lambda x: x + 1)
    assert sorted(both.collect()) == [21, 23, 25, 61, 63, 65]
    assert sums[0].join(sums[2], 2).collectAsMap() == {0: (2, 42), 1: (1, 21)}
    assert sums[3].getNumPartitions() == 3
    kept[0].unpersist()
    assert kept[0].sum() == 6


def test_three_hundred_thousand_elements_stay_on_the_executors_and_can_be_kept(
    sc: SparkContext,
) -> None:
    with by_hand(sc) as job:
        lines = job.partitioned([[f"{n:0100d}" for n in range(300_000)][k::2] for k in (0, 1)])
        kept: list[RDD[str]] = []
        counted: list[int] = []
        lines.map(lambda line: line + "!").foreachRDD(lambda rdd: kept.append(rdd))
        lines.count().foreachRDD(lambda rdd: counted.extend(rdd.collect()))
        job.ssc.start()
        job.tick(1)
        job.tick(2)
        assert kept[0].getNumPartitions() == 2
        assert counted == [300_000, 0, 0]
        assert not kept[0]._inline  # type: ignore[attr-defined]
        assert kept[0].take(2) == [f"{0:0100d}!", f"{2:0100d}!"]
        assert kept[0].map(len).distinct().collect() == [101]
        assert kept[0].count() == 300_000
        assert kept[1].collect() == []


def test_nothing_stays_cached_when_the_rdds_are_forgotten(sc: SparkContext, weight: str) -> None:
    # What earlier tests left is dropped whenever the JVM's collector likes, also during this one.
    others = _cached(sc)
    with by_hand(sc) as job:
        numbers = job.partitioned(*BATCHES)
        kept: list[RDD[int]] = []
        numbers.foreachRDD(lambda rdd: kept.append(rdd))
        numbers.map(lambda x: (x, x)).groupByKey(2).foreachRDD(lambda rdd: rdd.count() and None)
        job.ssc.start()
        for _ in BATCHES:
            job.tick()
        del kept[:2]
        _wait_until_cached(sc, 2 if weight == "large" else 0, others)
        kept.clear()
        _wait_until_cached(sc, 0, others)
    stored = {info.id() for info in sc._jsc.sc().getRDDStorageInfo()}
    assert not stored - others


def _cached(sc: SparkContext) -> set[int]:
    persistent: Any = sc._jsc.getPersistentRDDs()
    return {int(number) for number in persistent}


def _wait_until_cached(sc: SparkContext, count: int, others: set[int]) -> None:
    """Spark drops the blocks of RDDs some time after the JVM's collector has found them unused."""
    pause = threading.Event()
    until = time.monotonic() + LIMIT
    while len(ours := _cached(sc) - others) != count:
        assert time.monotonic() < until, f"{len(ours)} RDDs are cached, not {count}"
        gc.collect()
        sc._jvm.System.gc()  # type: ignore[union-attr]
        pause.wait(0.1)
