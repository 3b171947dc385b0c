"""transform, transformWith, ssc.transform and union: the same on the legacy engine and on ours."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import pytest
from pyspark import SparkContext

from dstream_compat import StreamingContext, StreamingListener
from dstream_compat.testing import Batches, Missing, Raised, Seen, difference
from dstream_compat.testing.legacy import replay_legacy
from dstream_compat.testing.on_spark import replay_on_spark
from tests.engine import by_hand, tick

Build = Callable[[Any, list[Any]], Sequence[Any]]

NUMBERS: Batches = [[[[1, 2, 3], [4]]], [[[5], [], [6, 6]]], [[]]]
PAIRS: Batches = [
    [[[("a", 1), ("b", 2)], [("a", 3)]], [[("a", 10)], [("c", 30)]]],
    [[[("b", 4)]], [[]]],
    [[], [[("c", 50)], [("b", 20)]]],
]


def same(sc: SparkContext, build: Build, batches: Batches) -> list[list[Any]]:
    """Replay on both engines and compare; returns what both did."""
    expected = replay_legacy(build, batches, sc=sc)
    actual = replay_on_spark(build, batches, sc=sc)
    assert difference(expected, actual) is None
    return expected


def second(time: datetime) -> bool:
    return round(time.timestamp()) == 2


def add(a: int, b: int) -> int:
    return a + b


# -- what functions on RDDs give ---------------------------------------------------------------


def test_rdd_functions_give_the_legacy_batches(sc: SparkContext) -> None:
    static = sc.parallelize([(1, "one"), (6, "six")], 2)

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        (numbers,) = inputs
        keyed = numbers.transform(lambda rdd: rdd.map(lambda n: (n % 2, n)))
        return [
            numbers.transform(lambda rdd: rdd.map(lambda n: n + 1)),
            numbers.transform(lambda time, rdd: rdd.map(lambda n: (str(time), n))),
            numbers.transform(lambda rdd: rdd.distinct(3)),
            numbers.transform(lambda rdd: rdd.zipWithIndex()),
            numbers.transform(lambda rdd: rdd.zip(rdd)),
            numbers.transform(lambda rdd: rdd.map(lambda n: (n, n)).join(static, 2)),
            numbers.transform(lambda rdd: rdd.context.parallelize([rdd.count()], 2)),
            numbers.transform(lambda rdd: rdd),
            numbers.transform(lambda rdd: rdd.context.emptyRDD()),
            numbers.map(lambda n: n * 2).transform(lambda rdd: rdd.filter(lambda n: n > 4)),
            keyed.reduceByKey(add).mapValues(lambda n: -n).filter(lambda kv: kv[0] == 0),
            keyed.groupByKey(3).mapValues(sorted),
            keyed.combineByKey(lambda v: [v], lambda c, v: [*c, v], add).mapValues(sorted),
            keyed.countByValue(),
            keyed.count(),
            keyed.map(lambda kv: kv[1]).reduce(add),
            keyed.flatMapValues(range).glom().map(sorted),
            keyed.partitionBy(3, lambda key: key + 1),
            keyed.repartition(2),
            keyed.mapPartitionsWithIndex(lambda i, it: [(i, len(list(it)))]),
            keyed.flatMap(lambda kv: [kv[1]] * 2).transform(lambda rdd: rdd.map(str)).map(len),
        ]

    same(sc, build, NUMBERS)


def test_two_streams_give_the_legacy_batches(sc: SparkContext) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        left, right = inputs
        moved = left.transform(lambda rdd: rdd.map(lambda kv: (kv[0], kv[1] * 100)))
        summed = moved.reduceByKey(add, 2)
        return [
            left.transformWith(lambda a, b: a.join(b, 2), right, True),
            left.transformWith(lambda time, a, b: a.union(b).map(lambda kv: (time, kv)), right),
            ssc.transform([left, right], lambda rdds: rdds[1].union(rdds[0])),
            ssc.transform([left, moved, right], lambda rdds: rdds[0].context.union(list(rdds))),
            moved.union(left),
            moved.union(moved),
            ssc.union(left, moved, right),
            moved.join(right, 2),
            right.leftOuterJoin(moved, 3).mapValues(str).reduceByKey(max, 1),
            moved.fullOuterJoin(right, 1),
            moved.cogroup(right).mapValues(lambda both: [sorted(side) for side in both]),
            summed.union(summed),
            summed.mapValues(str).union(summed.filter(lambda kv: True).mapValues(str)),
            summed.map(lambda kv: kv).union(summed),
        ]

    same(sc, build, PAIRS)


def test_what_a_transform_makes_can_depend_on_what_the_driver_did_before(
    sc: SparkContext,
) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        so_far: list[int] = []

        def running(rdd: Any) -> Any:
            so_far.extend(rdd.collect())
            total = sum(so_far)
            return rdd.map(lambda n: (n, total))

        return [inputs[0].transform(running)]

    same(sc, build, NUMBERS)


# -- how often they are called -----------------------------------------------------------------


@pytest.mark.parametrize("keep", [None, "cache", "checkpoint"])
def test_a_transform_runs_once_per_consumer_and_once_if_it_is_kept(
    sc: SparkContext, keep: str | None
) -> None:
    calls: list[datetime] = []

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        calls.clear()

        def noted(time: datetime, rdd: Any) -> Any:
            calls.append(time)
            return rdd.map(lambda n: (n % 2, n))

        stream = inputs[0].transform(noted)
        if keep == "cache":
            stream.cache()
        elif keep == "checkpoint":
            ssc.sparkContext.setCheckpointDir(ssc.sparkContext._temp_dir)
            stream.checkpoint(1)
        unused = stream.map(lambda kv: kv[1])
        assert unused is not None
        return [
            stream,
            stream.mapValues(str),
            stream.filter(lambda kv: kv[0]).map(lambda kv: kv[1]),
            stream.reduceByKey(add).mapValues(str),
            stream.union(stream),
            stream.join(inputs[0].map(lambda n: (n % 2, n)), 2),
        ]

    batches = NUMBERS[:2]
    expected = replay_legacy(build, batches, sc=sc)
    legacy_calls = sorted(calls)
    actual = replay_on_spark(build, batches, sc=sc)
    assert difference(expected, actual) is None
    assert sorted(calls) == legacy_calls
    assert len(calls) == 2 * (4 if keep is None else 1)


# -- no RDD, or something that is none ---------------------------------------------------------


def falsy_at_two(result: Any) -> Callable[[datetime, Any], Any]:
    return lambda time, rdd: result if second(time) else rdd


@pytest.mark.parametrize("result", [None, [], 0])
def test_a_falsy_result_means_that_the_output_is_not_called(sc: SparkContext, result: Any) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [inputs[0].transform(falsy_at_two(result)), inputs[0]]

    nothing, all_ = same(sc, build, NUMBERS)
    assert nothing[1] == Missing()
    assert [type(outcome) for outcome in (nothing[0], nothing[2], all_[1])] == [Seen] * 3


@pytest.mark.parametrize(
    ("name", "then"),
    [
        ("map", lambda s, other: s.map(str)),
        ("reduceByKey", lambda s, other: s.reduceByKey(add)),
        ("repartition", lambda s, other: s.repartition(2)),
        ("transform", lambda s, other: s.transform(lambda rdd: rdd.map(str))),
        ("transformWith", lambda s, other: s.transformWith(lambda a, b: b, other)),
        ("transformWith, as other", lambda s, other: other.transformWith(lambda a, b: a, s)),
        ("leftOuterJoin, as other", lambda s, other: other.leftOuterJoin(s, 2)),
        ("join", lambda s, other: s.join(other, 2)),
        ("ssc.transform", lambda s, other: s.context().transform([other, s], lambda r: r[0])),
        ("ssc.union", lambda s, other: s.context().union(other.map(lambda x: x), s)),
    ],
)
def test_what_follows_a_missing_rdd_does_as_on_the_legacy_engine(
    sc: SparkContext, name: str, then: Callable[[Any, Any], Any]
) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        # the other stream first: where a batch is lost, the legacy engine has dequeued it, too
        return [inputs[1], then(inputs[0].transform(falsy_at_two(None)), inputs[1])]

    same(sc, build, PAIRS)


@pytest.mark.parametrize("result", [5, [1, 2], "rdd", {"a": 1}], ids=["int", "list", "str", "dict"])
def test_what_is_no_rdd_loses_the_batch_by_the_legacy_text(sc: SparkContext, result: Any) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [inputs[0], inputs[0].transform(falsy_at_two(result))]

    first, _ = same(sc, build, NUMBERS)
    kind = type(result).__name__
    assert first[1] == Raised("AttributeError", f"'{kind}' object has no attribute '_jrdd'")


# -- failures ----------------------------------------------------------------------------------


def test_a_raising_transform_loses_the_whole_batch_for_all_outputs(sc: SparkContext) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        def fail(time: datetime, rdd: Any) -> Any:
            if second(time):
                raise ValueError("not this one")
            return rdd

        return [inputs[0], inputs[0].transform(fail), inputs[0].map(str)]

    outcomes = same(sc, build, NUMBERS)
    assert [output[1] for output in outcomes] == [Raised("ValueError", "not this one")] * 3
    assert isinstance(outcomes[0][2], Seen)


def test_a_function_that_fails_on_a_worker_fails_only_what_depends_on_it(
    sc: SparkContext,
) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        def fragile(n: int) -> int:
            if n == 5:
                raise ValueError("five")
            return n

        broken = inputs[0].map(fragile)
        return [
            inputs[0],
            broken,
            broken.transform(lambda rdd: rdd.map(str)),
            broken.transform(lambda rdd: rdd.context.parallelize([1], 1)),
            inputs[0].transform(lambda rdd: rdd.map(fragile)).map(str),
        ]

    outcomes = same(sc, build, NUMBERS)
    assert [type(output[1]) for output in outcomes] == [Seen, Raised, Raised, Seen, Raised]


def test_a_batch_lost_by_its_transform_is_told_to_no_listener_but_to_await_termination(
    sc: SparkContext,
) -> None:
    heard: list[tuple[str, int]] = []
    third = threading.Event()

    class Heard(StreamingListener):
        def onBatchSubmitted(self, batchSubmitted: Any) -> None:
            heard.append(("submitted", batchSubmitted.batchInfo().batchTime().milliseconds()))

        def onBatchCompleted(self, batchCompleted: Any) -> None:
            time = batchCompleted.batchInfo().batchTime().milliseconds()
            heard.append(("completed", time))
            if time == 3000:
                third.set()

    def fail(time: datetime, rdd: Any) -> Any:
        if second(time):
            raise ValueError("not this one")
        return rdd

    seen: list[list[Any]] = []
    with by_hand(sc) as ssc:
        ssc.addStreamingListener(Heard())
        stream = ssc.queueStream([[1], [2], [3]])
        stream.transform(fail).foreachRDD(lambda rdd: seen.append(rdd.collect()))
        ssc.start()
        tick(ssc, 3)
        assert third.wait(30)
        with pytest.raises(Exception, match="not this one"):
            ssc.awaitTermination(1)
        assert StreamingContext.getActive() is ssc
    assert seen == [[1], [3]]
    assert heard == [
        ("submitted", 1000),
        ("completed", 1000),
        ("submitted", 3000),
        ("completed", 3000),
    ]
