"""transform, transformWith, ssc.transform and union: the same on the legacy engine and on ours.

Two replays on each engine serve all tests: one in which every batch can be generated, and one in
which most are lost, each by something else.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

import pytest
from pyspark import SparkContext

from dstream_compat import StreamingContext, StreamingListener
from dstream_parity import Batches, Missing, Outcomes, Raised, Seen, difference
from dstream_parity.engines.legacy import replay_legacy
from dstream_parity.engines.on_spark import replay_on_spark
from tests.dstream_compat.engine import by_hand, tick

LiveContext = Callable[[], SparkContext]
Streams = dict[str, Any]
LIMIT = 240.0  # seconds for a batch; only a failing test waits so long

# One input of numbers and two of pairs, tick by tick.
BATCHES: Batches = [
    [[[1, 2, 3], [4]], [[("a", 1), ("b", 2)], [("a", 3)]], [[("a", 10)], [("c", 30)]]],
    [[[], [5, 6, 6]], [[("b", 4)]], [[]]],
    [[], [], [[("c", 50)], [("b", 20)]]],
]


def second(time: datetime) -> bool:
    return round(time.timestamp()) == 2


def add(a: int, b: int) -> int:
    return a + b


# -- the jobs ----------------------------------------------------------------------------------


def functions_on_rdds(ssc: Any, numbers: Any) -> Streams:
    static = ssc.sparkContext.parallelize([(1, "one"), (6, "six")], 2)
    keyed = numbers.transform(lambda rdd: rdd.map(lambda n: (n % 2, n)))
    return {
        "map": numbers.transform(lambda rdd: rdd.map(lambda n: n + 1)),
        "time": numbers.transform(lambda time, rdd: rdd.map(lambda n: (str(time), n))),
        "distinct": numbers.transform(lambda rdd: rdd.distinct(3)),
        "zipWithIndex": numbers.transform(lambda rdd: rdd.zipWithIndex()),
        "zip": numbers.transform(lambda rdd: rdd.zip(rdd)),
        "join": numbers.transform(lambda rdd: rdd.map(lambda n: (n, n)).join(static, 2)),
        "action": numbers.transform(lambda rdd: rdd.context.parallelize([rdd.count()], 2)),
        "identity": numbers.transform(lambda rdd: rdd),
        "emptyRDD": numbers.transform(lambda rdd: rdd.context.emptyRDD()),
        "after map": numbers.map(lambda n: n * 2).transform(
            lambda rdd: rdd.filter(lambda n: n > 4)
        ),
        "reduceByKey": keyed.reduceByKey(add).mapValues(lambda n: -n).filter(lambda kv: kv[0] == 0),
        "groupByKey": keyed.groupByKey(3).mapValues(sorted),
        "combineByKey": keyed.combineByKey(lambda v: [v], lambda c, v: [*c, v], add).mapValues(
            sorted
        ),
        "countByValue": keyed.countByValue(),
        "count": keyed.count(),
        "reduce": keyed.map(lambda kv: kv[1]).reduce(add),
        "flatMapValues": keyed.flatMapValues(range).glom().map(sorted),
        "partitionBy": keyed.partitionBy(3, lambda key: key + 1),
        "repartition": keyed.repartition(2),
        "mapPartitionsWithIndex": keyed.mapPartitionsWithIndex(lambda i, it: [(i, len(list(it)))]),
        "transform": keyed.flatMap(lambda kv: [kv[1]] * 2)
        .transform(lambda rdd: rdd.map(str))
        .map(len),
    }


def two_streams(ssc: Any, left: Any, right: Any) -> Streams:
    moved = left.transform(lambda rdd: rdd.map(lambda kv: (kv[0], kv[1] * 100)))
    summed = moved.reduceByKey(add, 2)
    return {
        "transformWith": left.transformWith(lambda a, b: a.join(b, 2), right, True),
        "transformWith time": left.transformWith(
            lambda time, a, b: a.union(b).map(lambda kv: (time, kv)), right
        ),
        "ssc.transform": ssc.transform([left, right], lambda rdds: rdds[1].union(rdds[0])),
        "ssc.transform of three": ssc.transform(
            [left, moved, right], lambda rdds: rdds[0].context.union(list(rdds))
        ),
        "union": moved.union(left),
        "union with itself": moved.union(moved),
        "ssc.union": ssc.union(left, moved, right),
        "join": moved.join(right, 2),
        "leftOuterJoin": right.leftOuterJoin(moved, 3).mapValues(str).reduceByKey(max, 1),
        "fullOuterJoin": moved.fullOuterJoin(right, 1),
        "cogroup": moved.cogroup(right).mapValues(lambda both: [sorted(side) for side in both]),
        "union of partitioned": summed.union(summed),
        "union of still partitioned": summed.mapValues(str).union(
            summed.filter(lambda kv: True).mapValues(str)
        ),
        "union of one partitioned": summed.map(lambda kv: kv).union(summed),
    }


def depending_on_the_driver(ssc: Any, numbers: Any) -> Streams:
    so_far: list[int] = []

    def running(rdd: Any) -> Any:
        so_far.extend(rdd.collect())
        total = sum(so_far)
        return rdd.map(lambda n: (n, total))

    return {"running total": numbers.transform(running)}


KEPT = ["not kept", "cache", "checkpoint"]


def consumed(ssc: Any, numbers: Any, keep: str, calls: Counter[tuple[str, datetime]]) -> Streams:
    def noted(time: datetime, rdd: Any) -> Any:
        calls[keep, time] += 1
        return rdd.map(lambda n: (n % 2, n))

    stream = numbers.transform(noted)
    if keep == "cache":
        stream.cache()
    elif keep == "checkpoint":
        ssc.sparkContext.setCheckpointDir(ssc.sparkContext._temp_dir)
        stream.checkpoint(1)
    unused = stream.map(lambda kv: kv[1])
    assert unused is not None
    consumers = [
        stream.mapValues(str),
        stream.filter(lambda kv: kv[0]).map(lambda kv: kv[1]),
        stream.reduceByKey(add).mapValues(str),
        stream.union(stream),
    ]
    for consumer in consumers:
        consumer.foreachRDD(lambda rdd: None)
    return {"itself": stream, "joined": stream.join(numbers.map(lambda n: (n % 2, n)), 2)}


FALSY: dict[str, Any] = {"None": None, "list": [], "zero": 0}


def falsy_in_the_second(ssc: Any, numbers: Any) -> Streams:
    def giving(result: Any) -> Callable[[datetime, Any], Any]:
        return lambda time, rdd: result if second(time) else rdd

    return {name: numbers.transform(giving(result)) for name, result in FALSY.items()}


def failing_on_workers(ssc: Any, numbers: Any) -> Streams:
    def fragile(n: int) -> int:
        if n == 5:
            raise ValueError("five")
        return n

    broken = numbers.map(fragile)
    return {
        "input": numbers,
        "broken": broken,
        "transformed": broken.transform(lambda rdd: rdd.map(str)),
        "transformed into something else": broken.transform(
            lambda rdd: rdd.context.parallelize([1], 1)
        ),
        "broken in a transform": numbers.transform(lambda rdd: rdd.map(fragile)).map(str),
    }


class Replay(NamedTuple):
    """What an engine did: outcomes by family and name, and how often transforms were called."""

    outcomes: dict[str, dict[str, list[Any]]]
    calls: Counter[tuple[str, datetime]]


def replayed(replay: Callable[..., Outcomes], sc: SparkContext) -> Replay:
    calls: Counter[tuple[str, datetime]] = Counter()
    names: list[tuple[str, str]] = []

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        numbers, left, right = inputs
        families = {
            "functions on RDDs": functions_on_rdds(ssc, numbers),
            "two streams": two_streams(ssc, left, right),
            "depending on the driver": depending_on_the_driver(ssc, numbers),
            **{keep: consumed(ssc, numbers, keep, calls) for keep in KEPT},
            "falsy": falsy_in_the_second(ssc, numbers),
            "failing": failing_on_workers(ssc, numbers),
        }
        names.extend((family, name) for family, of in families.items() for name in of)
        return [stream for of in families.values() for stream in of.values()]

    outcomes: dict[str, dict[str, list[Any]]] = {}
    for (family, name), outcome in zip(
        names, replay(build, BATCHES, sc=sc, timeout=LIMIT), strict=True
    ):
        outcomes.setdefault(family, {})[name] = outcome
    return Replay(outcomes, calls)


@pytest.fixture(scope="module")
def legacy(live_sc: LiveContext) -> Replay:
    return replayed(replay_legacy, live_sc())


@pytest.fixture(scope="module")
def ours(live_sc: LiveContext) -> Replay:
    return replayed(replay_on_spark, live_sc())


def differences(family: str, legacy: Replay, ours: Replay) -> dict[str, str | None]:
    """Where the engines differ, by output; {} if nowhere."""
    expected, actual = legacy.outcomes[family], ours.outcomes[family]
    assert expected.keys() == actual.keys()
    found = {name: difference([expected[name]], [actual[name]]) for name in expected}
    return {name: text for name, text in found.items() if text is not None}


# -- what functions on RDDs give ---------------------------------------------------------------


def test_rdd_functions_give_the_legacy_batches(legacy: Replay, ours: Replay) -> None:
    assert differences("functions on RDDs", legacy, ours) == {}


def test_two_streams_give_the_legacy_batches(legacy: Replay, ours: Replay) -> None:
    assert differences("two streams", legacy, ours) == {}


def test_what_a_transform_makes_can_depend_on_what_the_driver_did_before(
    legacy: Replay, ours: Replay
) -> None:
    assert differences("depending on the driver", legacy, ours) == {}


# -- how often they are called -----------------------------------------------------------------


@pytest.mark.parametrize("keep", KEPT)
def test_a_transform_runs_once_per_consumer_and_once_if_it_is_kept(
    legacy: Replay, ours: Replay, keep: str
) -> None:
    assert differences(keep, legacy, ours) == {}
    times = [datetime.fromtimestamp(second) for second in (1, 2, 3)]
    calls = {(keep, time): 4 if keep == "not kept" else 1 for time in times}
    for replay in (legacy, ours):
        assert {call: count for call, count in replay.calls.items() if call[0] == keep} == calls


# -- no RDD, or something that is none ---------------------------------------------------------


@pytest.mark.parametrize("result", FALSY)
def test_a_falsy_result_means_that_the_output_is_not_called(
    legacy: Replay, ours: Replay, result: str
) -> None:
    for replay in (legacy, ours):
        first, second, third = replay.outcomes["falsy"][result]
        assert second == Missing()
        assert [first, third] == [Seen(((1, 2, 3), (4,))), Seen(())]
        assert isinstance(replay.outcomes["failing"]["input"][1], Seen)


def test_a_function_that_fails_on_a_worker_fails_only_what_depends_on_it(
    legacy: Replay, ours: Replay
) -> None:
    assert differences("failing", legacy, ours) == {}
    in_the_second = [type(outcomes[1]) for outcomes in ours.outcomes["failing"].values()]
    assert in_the_second == [Seen, Raised, Raised, Seen, Raised]


# -- batches that are lost ---------------------------------------------------------------------

Then = Callable[[Any, Any], Any]
TAKEN_FOR_EMPTY: dict[str, Then] = {
    "transformWith": lambda s, other: s.transformWith(lambda a, b: b, other),
    "transformWith, as other": lambda s, other: other.transformWith(lambda a, b: a, s),
    "leftOuterJoin, as other": lambda s, other: other.leftOuterJoin(s, 2),
    "join": lambda s, other: s.join(other, 2),
}
LOSING_THE_BATCH: dict[str, Then] = {
    "map": lambda s, other: s.map(str),
    "reduceByKey": lambda s, other: s.reduceByKey(add),
    "repartition": lambda s, other: s.repartition(2),
    "transform": lambda s, other: s.transform(lambda rdd: rdd.map(str)),
    "ssc.transform": lambda s, other: s.context().transform([other, s], lambda r: r[0]),
    "ssc.union": lambda s, other: s.context().union(other.map(lambda x: x), s),
}
NO_RDD: dict[str, Any] = {"int": 5, "list": [1, 2], "str": "rdd", "dict": {"a": 1}}
# What loses a batch has its own test.
CASES = ["taken for empty", *LOSING_THE_BATCH, *NO_RDD, "raising", "sound"]


def case_at(time: datetime) -> str:
    return CASES[round(time.timestamp()) - 1]


def missing_in(case: str) -> Callable[[datetime, Any], Any]:
    return lambda time, rdd: None if case_at(time) == case else rdd


def no_rdd_or_none_at_all(time: datetime, rdd: Any) -> Any:
    if case_at(time) == "raising":
        raise ValueError("not this one")
    return NO_RDD.get(case_at(time), rdd)


def losing(ssc: Any, inputs: list[Any]) -> list[Any]:
    # the inputs first: where a batch is lost, the legacy engine has dequeued it, too
    left, right = inputs
    missing = left.transform(missing_in("taken for empty"))
    return [
        left,
        right,
        *(then(missing, right) for then in TAKEN_FOR_EMPTY.values()),
        *(then(left.transform(missing_in(case)), right) for case, then in LOSING_THE_BATCH.items()),
        left.transform(no_rdd_or_none_at_all),
    ]


PAIRS: Batches = [[[[("a", n)], [("b", 0)]], [[("a", n * 10)]]] for n in range(len(CASES))]


@pytest.fixture(scope="module")
def lost_on_legacy(live_sc: LiveContext) -> Outcomes:
    return replay_legacy(losing, PAIRS, sc=live_sc(), timeout=LIMIT)


@pytest.fixture(scope="module")
def lost_on_ours(live_sc: LiveContext) -> Outcomes:
    return replay_on_spark(losing, PAIRS, sc=live_sc(), timeout=LIMIT)


def in_batch(case: str, outcomes: Outcomes) -> Outcomes:
    """What all outputs did in the batch of a case."""
    return [[output[CASES.index(case)]] for output in outcomes]


@pytest.mark.parametrize("name", TAKEN_FOR_EMPTY)
def test_what_takes_a_second_stream_takes_a_missing_rdd_for_an_empty_one(
    lost_on_legacy: Outcomes, lost_on_ours: Outcomes, name: str
) -> None:
    output = 2 + list(TAKEN_FOR_EMPTY).index(name)
    expected = lost_on_legacy[output][0]
    assert isinstance(expected, Seen)
    assert difference([[expected]], [[lost_on_ours[output][0]]]) is None


@pytest.mark.parametrize("case", LOSING_THE_BATCH)
def test_anything_else_behind_a_missing_rdd_loses_the_batch_by_the_legacy_text(
    lost_on_legacy: Outcomes, lost_on_ours: Outcomes, case: str
) -> None:
    lost = in_batch(case, lost_on_legacy)
    assert isinstance(lost[0][0], Raised)
    assert in_batch(case, lost_on_ours) == lost == [lost[0]] * len(lost)


@pytest.mark.parametrize("case", NO_RDD)
def test_what_is_no_rdd_loses_the_batch_by_the_legacy_text(
    lost_on_legacy: Outcomes, lost_on_ours: Outcomes, case: str
) -> None:
    error = Raised("AttributeError", f"'{case}' object has no attribute '_jrdd'")
    for outcomes in (lost_on_legacy, lost_on_ours):
        assert in_batch(case, outcomes) == [[error]] * len(outcomes)


def test_a_raising_transform_loses_the_whole_batch_for_all_outputs(
    lost_on_legacy: Outcomes, lost_on_ours: Outcomes
) -> None:
    error = Raised("ValueError", "not this one")
    for outcomes in (lost_on_legacy, lost_on_ours):
        assert in_batch("raising", outcomes) == [[error]] * len(outcomes)


@pytest.mark.parametrize("case", ["taken for empty", "sound"])
def test_the_other_batches_have_their_own_data(
    lost_on_legacy: Outcomes, lost_on_ours: Outcomes, case: str
) -> None:
    n = CASES.index(case)
    found = in_batch(case, lost_on_ours)
    assert difference(in_batch(case, lost_on_legacy), found) is None
    assert found[:2] == [[Seen(((("a", n),), (("b", 0),)))], [Seen(((("a", n * 10),),))]]


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
