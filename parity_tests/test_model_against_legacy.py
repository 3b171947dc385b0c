"""The model is right: the legacy engine gives the same, down to order and partitions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark import RDD, SparkContext

from dstream_compat.testing import Batches, Missing, Outcomes, Raised, Seen, difference
from dstream_compat.testing.legacy import replay_legacy
from parity_tests import strategies as s
from parity_tests.model import replay_model

LiveContext = Callable[[], SparkContext]
Graph = Callable[[list[Any]], list[Any]]

# Two inputs: keys that meet and that do not, equal keys of other types, no and empty partitions.
BATCHES: Batches = [
    [
        [
            [("a", 1), (1, "x"), ("a", 2), ((None, "t"), 0)],
            [],
            [(True, "y"), (None, 0.5), ("a", 1), (-1, ()), ("b", None), ((None, "t"), 0.0)],
        ],
        [[("a", "A"), (1.0, b"\x00"), (-2, "-")], [((None, "t"), 2**70), ("\u00e9", "B")]],
    ],
    [[], [[("k", 1)], [("k", 1)]]],
    [[[]], []],
]


def mod3(key: Any) -> int:
    return len(repr(key)) % 3


GRAPHS: dict[str, Graph] = {
    "element by element": lambda i: [
        i[0].map(s.swap),
        i[0].flatMap(s.explode).filter(s.even_length),
        i[0].mapValues(s.tag).flatMapValues(s.explode),
    ],
    "partition by partition": lambda i: [
        i[0].mapPartitions(s.neighbours),
        i[0].mapPartitions(s.backwards).mapPartitionsWithIndex(s.with_index),
        i[0].glom(),
    ],
    "to one element": lambda i: [
        i[0].count(),
        i[0].reduce(s.concat),
        i[0].map(s.text).reduce(s.last),
    ],
    "by key": lambda i: [
        i[0].reduceByKey(s.concat),
        i[0].reduceByKey(s.flat, 3),
        i[0].combineByKey(s.box, s.put, s.pour, 1),
    ],
    "grouped and counted": lambda i: [
        i[0].groupByKey(),
        i[0].groupByKey(3).mapValues(s.text).glom(),
        i[0].countByValue(),
    ],
    "places": lambda i: [
        i[0].partitionBy(3).glom(),
        i[0].partitionBy(4, mod3).mapPartitionsWithIndex(s.with_index),
        i[0].reduceByKey(s.concat, 2).mapValues(s.tag).union(i[1].partitionBy(2)).glom(),
        i[0].partitionBy(2).union(i[1].partitionBy(2, mod3)).glom(),
        i[0].partitionBy(2).join(i[1].groupByKey(2).mapValues(s.text), 3),
    ],
    "unions": lambda i: [
        i[0].union(i[1]),
        i[1].union(i[0]).union(i[1].map(s.swap)).reduceByKey(s.concat),
        i[0].union(i[0]).count(),
    ],
    "inner joins": lambda i: [
        i[0].join(i[1]),
        i[0].join(i[0], 3),
        i[0].cogroup(i[1], 1),
    ],
    "outer joins": lambda i: [
        i[0].leftOuterJoin(i[1]),
        i[0].rightOuterJoin(i[1], 3),
        i[0].fullOuterJoin(i[1], 1),
    ],
    "chains of shuffles": lambda i: [
        i[0].groupByKey(3).mapValues(s.text).map(s.swap).reduceByKey(s.concat, 2).glom(),
        i[0].join(i[1]).map(s.by_type).groupByKey(1).mapValues(s.text),
        i[0].reduceByKey(s.flat).countByValue().cogroup(i[1].count().map(s.pair)),
    ],
}


def assert_same(expected: Outcomes, actual: Outcomes, **options: bool) -> None:
    message = difference(expected, actual, **options)
    assert message is None, message


@pytest.mark.parametrize("name", GRAPHS)
def test_model_equals_legacy_in_order_and_place(name: str, sc: SparkContext) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        return GRAPHS[name](inputs)

    assert_same(replay_legacy(build, BATCHES, sc=sc), replay_model(build, BATCHES), ordered=True)


def test_repartition_keeps_elements_and_sets_the_number_of_partitions(sc: SparkContext) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [
            inputs[0].repartition(3),
            inputs[0].repartition(1).map(s.text),
            inputs[1].repartition(4),
        ]

    assert_same(replay_legacy(build, BATCHES, sc=sc), replay_model(build, BATCHES))


@st.composite
def cases(draw: st.DrawFn) -> tuple[s.Pipeline, Batches]:
    inputs, keyed = draw(st.integers(1, 2)), draw(st.booleans())
    pipeline = draw(s.pipelines(inputs=inputs, keyed=keyed))
    return pipeline, draw(s.batches(inputs=inputs, keyed=keyed))


@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # shrinking would replay hundreds of times
    suppress_health_check=list(HealthCheck),
)
@given(case=cases())
def test_model_equals_legacy_on_random_pipelines(
    live_sc: LiveContext, case: tuple[s.Pipeline, Batches]
) -> None:
    pipeline, batches = case
    expected = replay_legacy(pipeline.build, batches, sc=live_sc())
    actual = pipeline.model(batches)
    for exact, left, right in zip(pipeline.exact, expected, actual, strict=True):
        assert_same([left], [right], ordered=exact)


@settings(max_examples=300, deadline=None, database=None)
@given(case=cases())
def test_random_pipelines_never_fail_and_print_the_code_that_builds_them(
    case: tuple[s.Pipeline, Batches],
) -> None:
    pipeline, batches = case
    outcomes = pipeline.model(batches)
    assert [len(ticks) for ticks in outcomes] == [len(batches)] * len(pipeline.outputs)

    def from_code(ssc: Any, inputs: list[Any]) -> list[Any]:
        built = eval(repr(pipeline), {**vars(s), "inputs": inputs})
        return list(built)

    assert_same(outcomes, replay_model(from_code, batches), ordered=True)


# The legacy replay itself

TICKS: Batches = [[[[1], [2, 3]]], [[[1]]], [[]], [[[5]]]]


def fail_on_three(x: int) -> int:
    if x == 3:
        raise ValueError("three is too many")
    return x


def test_a_failing_function_fails_its_output_in_its_tick_only(sc: SparkContext) -> None:
    failing, sound = replay_legacy(
        lambda ssc, inputs: [inputs[0].map(fail_on_three), inputs[0]], TICKS, sc=sc
    )
    assert failing == [Raised("ValueError", "three is too many"), *sound[1:]]
    assert sound == [Seen(((1,), (2, 3))), Seen(((1,),)), Seen(()), Seen(((5,),))]


def test_a_batch_that_cannot_be_generated_fails_all_outputs(sc: SparkContext) -> None:
    def odd_ticks(time: Any, rdd: RDD[Any]) -> RDD[Any]:
        if time.second % 2:
            return rdd
        raise KeyError(time.second)

    plain, transformed = replay_legacy(
        lambda ssc, inputs: [inputs[0], inputs[0].transform(odd_ticks)], TICKS, sc=sc
    )
    assert plain == transformed
    assert plain[1::2] == [Raised("KeyError", "2"), Raised("KeyError", "4")]
    assert plain[0::2] == [Seen(((1,), (2, 3))), Seen(())]


def test_an_output_that_is_not_due_is_missing(sc: SparkContext) -> None:
    (windowed,) = replay_legacy(
        lambda ssc, inputs: [inputs[0].window(1.0, 1.0)], TICKS, sc=sc, interval=0.5
    )
    assert windowed == [Missing(), Seen(((1,), (2, 3), (1,))), Missing(), Seen(((5,),))]


def test_a_job_of_its_own_that_fails_or_stops_does_not_confuse_the_replay(sc: SparkContext) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        def fail_then_stop(time: Any, rdd: RDD[Any]) -> None:
            if time.second == 3:
                ssc.stop(stopSparkContext=False)
            raise OSError("my own output")

        outputs = [inputs[0].map(fail_on_three), inputs[0]]
        inputs[0].foreachRDD(fail_then_stop)
        return outputs

    _, seen = replay_legacy(build, TICKS, sc=sc)
    assert seen[:2] == [Seen(((1,), (2, 3))), Seen(((1,),))]
    assert seen[3] == Missing()


def test_a_batch_without_end_is_a_timeout_and_the_context_is_stopped(sc: SparkContext) -> None:
    release = threading.Event()

    def hang(rdd: RDD[Any]) -> RDD[Any]:
        release.wait(60)
        return rdd

    threading.Timer(1.0, release.set).start()
    with pytest.raises(TimeoutError, match=r"batch 1 of 4 was not over after 0\.2 s"):
        replay_legacy(lambda ssc, i: [i[0].transform(hang)], TICKS, sc=sc, timeout=0.2)
    assert replay_legacy(lambda ssc, i: [i[0]], TICKS[:1], sc=sc) == [[Seen(((1,), (2, 3)))]]


def test_a_replay_leaves_the_configuration_as_it_was(sc: SparkContext) -> None:
    replay_legacy(lambda ssc, i: [i[0]], TICKS[:1], sc=sc)
    assert not sc._jsc.sc().conf().contains("spark.streaming.clock")
