"""Functions as of each batch: what the driver changed since the last one is seen, everywhere."""

from __future__ import annotations

import os
import threading
from typing import Any

import pytest
from pyspark import SparkContext

from dstream_compat.engine.executor_files import Published
from dstream_parity import Outcomes, Seen
from dstream_parity.engines.legacy import replay_legacy
from dstream_parity.engines.on_spark import replay_on_spark
from tests.dstream_compat.engine.hand_driven import Build, by_hand, collected

factor = 0  # rebound by a test while its job runs

BATCHES: Any = [[[[1, 2, 3], [4, 5]]], [[[1, 2, 3], [4, 5]]], [[[1, 2, 3], [4, 5]]]]


class Model:
    """Something that is trained while it is in use."""

    def __init__(self) -> None:
        self.weight = 1

    def predict(self, x: int) -> int:
        return self.weight * x


def on_both_engines(build: Build, sc: SparkContext) -> Outcomes:
    """The outcomes on ours, which are those on the legacy engine, and no errors."""
    ours = replay_on_spark(build, BATCHES, sc=sc)
    assert all(isinstance(outcome, Seen) for output in ours for outcome in output), ours
    assert ours == replay_legacy(build, BATCHES, sc=sc)
    return ours


def elements(outcome: Any) -> list[Any]:
    return sorted(element for partition in outcome.partitions for element in partition)


def test_a_change_in_the_driver_is_seen_by_the_next_batch_on_either_side_of_an_exchange(
    sc: SparkContext,
) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        global factor
        factor = 1
        settings = {"add": 0}
        model = Model()
        (numbers,) = inputs

        def change(rdd: Any) -> None:
            global factor
            factor += 1
            settings["add"] += 100
            model.weight *= 10

        numbers.foreachRDD(change)
        mapped = numbers.map(lambda x: (x * factor, settings["add"], model.predict(x)))
        summed = numbers.map(lambda x: (0, x)).reduceByKey(lambda a, b: a + b + settings["add"], 2)
        downstream = summed.map(lambda kv: (kv[1] * factor, settings["add"], model.predict(1)))
        return [mapped, summed, downstream]

    mapped, summed, downstream = on_both_engines(build, sc)
    assert elements(mapped[0])[0] == (1, 0, 1)
    assert elements(mapped[2])[0] == (3, 200, 100)
    assert [elements(outcome) for outcome in summed] == [[(0, 15)], [(0, 415)], [(0, 815)]]
    assert [elements(outcome) for outcome in downstream] == [
        [(15, 0, 1)],
        [(415 * 2, 100, 10)],
        [(815 * 3, 200, 100)],
    ]


def test_broadcasts_made_before_and_after_start_reach_both_sides_of_an_exchange(
    sc: SparkContext,
) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        early = sc.broadcast({"early": 1})
        late: dict[str, Any] = {"value": sc.broadcast(0)}
        (numbers,) = inputs

        def renew(rdd: Any) -> None:
            old = late["value"]
            late["value"] = sc.broadcast(old.value + 1)
            old.unpersist()

        def shifted(rdd: Any) -> Any:
            made_here = sc.broadcast(late["value"].value * 1000)
            return rdd.map(lambda x: x + made_here.value)

        numbers.foreachRDD(renew)
        mapped = numbers.map(lambda x: (x, early.value["early"], late["value"].value))
        summed = numbers.map(lambda x: (0, x)).reduceByKey(
            lambda a, b: a + b + 100 * late["value"].value, 2
        )
        downstream = summed.mapValues(lambda v: (v, early.value["early"], late["value"].value))
        return [mapped, downstream, numbers.transform(shifted)]

    mapped, downstream, shifted = on_both_engines(build, sc)
    assert [elements(outcome)[0] for outcome in mapped] == [(1, 1, 0), (1, 1, 1), (1, 1, 2)]
    assert [elements(outcome) for outcome in downstream] == [
        [(0, (15, 1, 0))],
        [(0, (15 + 400, 1, 1))],
        [(0, (15 + 800, 1, 2))],
    ]
    assert [elements(outcome)[0] for outcome in shifted] == [1, 1001, 2001]


def test_accumulators_count_on_both_sides_of_an_exchange(sc: SparkContext) -> None:
    totals = []

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        records, keys = sc.accumulator(0), sc.accumulator(0)
        per_batch: list[tuple[int, int]] = []
        totals.append(per_batch)
        (numbers,) = inputs

        def seen(x: int) -> tuple[int, int]:
            records.add(1)
            return x % 2, x

        def seen_behind(kv: Any) -> Any:
            keys.add(1)
            return kv

        def report(rdd: Any) -> None:
            rdd.collect()
            per_batch.append((records.value, keys.value))

        summed = numbers.map(seen).reduceByKey(lambda a, b: a + b, 2).map(seen_behind)
        summed.foreachRDD(report)
        return []

    replay_on_spark(build, BATCHES, sc=sc)
    replay_legacy(build, BATCHES, sc=sc)
    assert totals == [[(5, 2), (10, 4), (15, 6)]] * 2


def test_a_large_closure_travels_in_a_file(
    sc: SparkContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[int] = []
    publish = Published.content

    def spy(self: Published, name: str, content: bytes) -> str:
        published.append(len(content))
        return publish(self, name, content)

    monkeypatch.setattr(Published, "content", spy)
    with by_hand(sc) as job:
        lookup = {"table": os.urandom(300_000)}
        before = collected(job.partitioned([[7]], [[7]]).map(lambda x: lookup["table"][x]))
        job.ssc.start()
        job.tick()
        first = lookup["table"][7]
        lookup["table"] = bytes(7) + bytes([(first + 1) % 256]) + os.urandom(300_000)
        job.tick()
    assert before == [[first], [(first + 1) % 256]]
    assert len(published) == 2
    assert min(published) > 300_000


def test_an_unpicklable_function_fails_its_batches_and_no_later_ones(sc: SparkContext) -> None:
    with by_hand(sc) as job:
        held: dict[str, Any] = {"lock": threading.Lock()}
        numbers = job.partitioned([[1]], [[2]], [[3]])
        doubled = collected(numbers.map(lambda x: (x, len(held))))
        others = collected(numbers)
        job.ssc.start()
        job.tick()
        text = job.error()
        assert "Could not serialize object: TypeError: cannot pickle '_thread.lock' object" in text
        assert "Traceback" not in text  # all of it would be ours
        assert "in map at test_live_functions.py:" in text
        # legacy: what cannot be pickled cannot be generated, and the whole batch is lost
        assert (doubled, others) == ([], [])
        del held["lock"]
        job.tick(2)
        assert doubled == [[(2, 0)], [(3, 0)]]
        assert others == [[2], [3]]
