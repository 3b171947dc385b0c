"""replay(): the same call for every engine."""

from __future__ import annotations

import os
import threading
from typing import Any

import pytest
from pyspark import SparkContext

from dstream_parity import (
    Batches,
    Missing,
    Raised,
    Rerun,
    Seen,
    assert_parity,
    difference,
    replay,
)
from dstream_parity.base import functions as f
from dstream_parity.engines.in_process import replay_in_process

TICKS: Batches = [[[[("a", 1)], [("b", 2)]]], [[[("a", 3)]]], [[]], [[[("c", 4)], []]]]
# a window with an inverse keeps keys that have left it
LONG: Batches = [[[[("a", 1)]]], *([[[]]] for _ in range(6))]


def build(ssc: Any, inputs: list[Any]) -> list[Any]:
    (pairs,) = inputs
    return [
        pairs,
        pairs.updateStateByKey(f.collect),
        pairs.window(3, 2),
        pairs.map(f.levelled),
        pairs.mapValues(f.no_texts).transform(f.stamped).count(),
    ]


def zeros(ssc: Any, inputs: list[Any]) -> list[Any]:
    return [inputs[0].reduceByKeyAndWindow(f.plus, f.minus, 5, 1)]


def test_all_engines_give_the_same(sc: SparkContext) -> None:
    legacy, compat, shared, local = (
        replay(build, TICKS, "legacy", sc=sc, before=f.set_level),
        replay(build, TICKS, "compat", sc=sc, before=f.set_level),
        replay(build, TICKS, "compat", sc=sc, together=4, before=f.set_level),
        replay(build, TICKS, "in-process", before=f.set_level),
    )
    assert difference(legacy, compat, ordered=True) is None
    assert difference(legacy, local, ordered=True) is None
    levels, shared_levels = legacy.pop(3), shared.pop(3)
    assert difference(legacy, shared, ordered=True) is None
    # batches that share a micro-batch share its functions: D04
    assert levels[0] == Seen((((0, ("a", 1)),), ((0, ("b", 2)),)))
    assert shared_levels[0] == Seen((((3, ("a", 1)),), ((3, ("b", 2)),)))


def test_a_restart_of_the_legacy_engine_changes_nothing_but_windows_with_an_inverse(
    sc: SparkContext,
) -> None:
    def both(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [*zeros(ssc, inputs), inputs[0].updateStateByKey(f.total), inputs[0].window(3)]

    undisturbed = replay(both, LONG, "legacy", sc=sc)
    restarted = replay(both, LONG, "legacy", sc=sc, restarts=[6])
    assert difference(undisturbed[1:], restarted[1:], ordered=True) is None
    # the batch that is run again has lost the key that had stayed: D43
    assert undisturbed[0][5] == Seen(((("a", 0),), ())) or undisturbed[0][5] == Seen(
        ((), (("a", 0),))
    )
    assert isinstance(restarted[0][5], Rerun)
    assert restarted[0][5].first == undisturbed[0][5]
    assert restarted[0][5].again == Seen(((), ()))
    assert restarted[0][6] == Seen(((), ()))


def test_in_process_a_restart_leaves_the_pickled_graph_and_the_state() -> None:
    undisturbed = replay(zeros, LONG, "in-process")
    assert difference(undisturbed, replay(zeros, LONG, "in-process", restarts=[1, 6])) is None


def test_in_process_a_transform_that_raises_fails_all_outputs_of_its_batch() -> None:
    def odd_ticks(time: Any, rdd: Any) -> Any:
        if time.second % 2:
            return rdd
        raise KeyError(time.second)

    plain, transformed = replay_in_process(
        lambda ssc, inputs: [inputs[0], inputs[0].transform(odd_ticks)], TICKS
    )
    assert plain == transformed
    assert plain[1::2] == [Raised("KeyError", "2"), Raised("KeyError", "4")]


def test_in_process_what_an_rdd_cannot_do_without_spark_is_named() -> None:
    (outcomes,) = replay_in_process(
        lambda ssc, inputs: [inputs[0].transform(lambda rdd: rdd.saveAsTextFile("x"))], TICKS[:1]
    )
    assert outcomes == [
        Raised(
            "NotImplementedError",
            "the in-process engine has no RDD.saveAsTextFile: replay the pipeline on Spark",
        )
    ]


def test_in_process_keys_are_placed_without_a_hash_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    (outcomes,) = replay(lambda ssc, i: [i[0].reduceByKey(f.plus, 1)], TICKS[:1], "in-process")
    assert isinstance(outcomes[0], Seen)
    assert "PYTHONHASHSEED" not in os.environ


def two_lines(x: Any) -> Any:
    raise ValueError("one\ntwo: three")


def failing(ssc: Any, inputs: list[Any]) -> list[Any]:
    (pairs,) = inputs
    return [
        pairs.map(two_lines),
        pairs.map(two_lines).transform(f.unchanged).map(f.text),
        pairs.map(two_lines).transform(f.unchanged).updateStateByKey(f.total),
    ]


def test_in_process_the_whole_text_of_an_exception_is_there() -> None:
    raised = Raised("ValueError", "one\ntwo: three")
    assert replay(failing, TICKS[:1], "in-process") == [[raised]] * 3


def without_numbers(ssc: Any, inputs: list[Any]) -> list[Any]:
    """RDD methods that take a number of partitions, called without one."""

    def all_of(rdd: Any) -> Any:
        other = rdd.map(f.swap).map(f.swap)
        united = rdd.reduceByKey(f.concat).union(rdd.groupByKey().mapValues(list))
        for method in ("join", "leftOuterJoin", "rightOuterJoin", "fullOuterJoin"):
            united = united.union(getattr(rdd, method)(other))
        return united.union(rdd.combineByKey(f.box, f.put, f.pour)).union(rdd.partitionBy(None))

    return [inputs[0].transform(all_of)]


def test_in_process_an_rdd_has_as_many_partitions_by_default_as_on_spark(sc: SparkContext) -> None:
    legacy, local = (replay(without_numbers, TICKS, e, sc=sc) for e in ("legacy", "in-process"))
    assert difference(legacy, local) is None


@pytest.mark.parametrize("engine", ["legacy", "compat"])
def test_a_time_out_names_the_engine_and_the_pipeline(sc: SparkContext, engine: Any) -> None:
    waits = threading.Event().wait

    def stuck(time: Any, rdd: Any) -> Any:
        waits(3)
        return rdd

    def slow(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [inputs[0].transform(stuck)]

    with pytest.raises(TimeoutError) as caught:
        replay(slow, TICKS[:1], engine, sc=sc, timeout=0.5)
    assert str(caught.value).startswith(f'engine "{engine}": ')
    assert "def slow(ssc" in str(caught.value)


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        (lambda ssc, i: i[0], r"as in `return \[counts\]`; this one returned DStream"),
        (lambda ssc, i: None, "this one returned nothing"),
        (
            lambda ssc, i: [],
            "a pipeline must return the streams to compare; this one returned an empty list",
        ),
    ],
)
def test_a_pipeline_that_returns_no_streams_is_refused_in_a_sentence(
    pipeline: Any, message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        replay(pipeline, TICKS, "in-process")
    with pytest.raises((TypeError, ValueError), match=message):
        assert_parity(pipeline, TICKS, reference="in-process", engine="in-process")


def test_streams_may_come_in_any_iterable() -> None:
    (outcomes,) = replay(lambda ssc, i: (s for s in [i[0].count()]), TICKS[:1], "in-process")
    assert outcomes == [Seen(((2,),))]


def test_an_output_that_is_not_due_is_missing() -> None:
    (outcomes,) = replay(lambda ssc, i: [i[0].window(2, 2)], TICKS[:2], "in-process")
    assert outcomes[0] == Missing()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((TICKS, "flink"), {}, "unknown engine 'flink': use one of legacy, compat, in-process"),
        (([], "in-process"), {}, "a replay needs at least one batch"),
        (([[[]], [[], []]], "in-process"), {}, "ticks have 1, 2 inputs"),
        (([[[[1]]], [1]], "in-process"), {}, "a list of partitions, each a list of elements"),
        (([[[1, 2]]], "in-process"), {}, "a list of partitions, each a list of elements"),
        ((TICKS, "legacy"), {"together": 2}, "the legacy engine runs one batch at a time"),
        ((TICKS, "in-process"), {"restarts": [4]}, "ticks from 1 to 3, not 4"),
        ((TICKS, "in-process"), {"restarts": [0]}, "ticks from 1 to 3, not 0"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    arguments: Any, options: Any, message: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=message.replace("(", r"\(")):
        replay(build, *arguments, **options)
