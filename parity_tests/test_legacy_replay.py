"""The replay on the legacy engine: it sees what the engine does and leaves nothing behind."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from pyspark import RDD, SparkContext

from dstream_parity import Batches, Missing, Raised, Seen
from dstream_parity.engines.legacy import replay_legacy

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


def test_an_output_can_be_looked_at_for_the_first_ticks_only(sc: SparkContext) -> None:
    ticks = (2, 4)
    first, second = replay_legacy(
        lambda ssc, i: [i[0], i[0].count()], TICKS, sc=sc, ticks_of=lambda number: ticks[number]
    )
    assert first == [Seen(((1,), (2, 3))), Seen(((1,),)), Missing(), Missing()]
    assert all(isinstance(outcome, Seen) for outcome in second)
