"""Initial states on Spark: where they come from, and first batches that fail."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark import SparkContext

from dstream_compat import StateSpec
from dstream_parity import Batches, Seen
from dstream_parity.engines.on_spark import replay_on_spark

INITIAL = [("a", 100), ("idle", 7)]
BATCHES: Batches = [[[[("a", n)]]] for n in (13, 1, 1)]


@pytest.fixture(autouse=True)
def _directory(sc: SparkContext) -> Iterator[None]:
    with tempfile.TemporaryDirectory() as directory:
        sc.setCheckpointDir(directory)
        yield


def running(key: str, value: int, state: Any) -> tuple[str, int]:
    state.update(state.getOption(0) + value)
    return key, state.get()


def elements(outcome: Any) -> list[Any]:
    assert isinstance(outcome, Seen), outcome
    return sorted(sum(outcome.partitions, ()))


def test_map_with_state_takes_an_rdd(sc: SparkContext) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        spec = StateSpec.function(running).initialState(sc.parallelize(INITIAL, 3))
        mapped = inputs[0].mapWithState(spec)
        return [mapped, mapped.stateSnapshots()]

    mapped, snapshots = replay_on_spark(build, BATCHES, sc=sc, restarts=[1])
    assert [elements(outcome) for outcome in mapped] == [[("a", n)] for n in (113, 114, 115)]
    assert elements(snapshots[2]) == [("a", 115), ("idle", 7)]


def failing(how: str) -> tuple[Callable[[Any], Any], Callable[[int], None]]:
    """What fails in the first batch, in front of an operator with state; called before each."""
    lock: list[Any] = []

    def die(pair: tuple[str, int]) -> tuple[str, int]:
        if pair[1] == 13:
            os._exit(1)
        return pair

    def fail(time: Any, rdd: Any) -> Any:
        if time.timestamp() == 1:
            raise ValueError("the first batch")
        return rdd

    def locked(pair: tuple[str, int]) -> tuple[str, int]:
        assert not lock
        return pair

    def unlock(tick: int) -> None:
        lock[:] = [threading.Lock()] if tick == 0 else []

    ways: dict[str, Callable[[Any], Any]] = {
        "a worker dies": lambda stream: stream.map(die),
        "a worker dies in front of a transform": lambda stream: stream.map(die).transform(
            lambda rdd: rdd
        ),
        "a transform raises": lambda stream: stream.transform(fail),
        "a function cannot be pickled": lambda stream: stream.map(locked),
        "a function in front of a transform cannot be pickled": lambda stream: stream.map(
            locked
        ).transform(lambda rdd: rdd),
    }
    return ways[how], unlock


@pytest.mark.parametrize(
    "how",
    [
        "a worker dies",
        "a worker dies in front of a transform",
        "a transform raises",
        "a function cannot be pickled",
        "a function in front of a transform cannot be pickled",
    ],
)
def test_an_initial_state_outlives_a_first_batch_that_fails(sc: SparkContext, how: str) -> None:
    way, before = failing(how)

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        stream = way(inputs[0])
        return [
            stream.updateStateByKey(lambda new, state: sum(new) + (state or 0), 2, INITIAL),
            stream.mapWithState(StateSpec.function(running).initialState(INITIAL)),
        ]

    summed, mapped = replay_on_spark(build, BATCHES, sc=sc, before=before)
    assert not isinstance(summed[0], Seen)
    assert not isinstance(mapped[0], Seen)
    assert [elements(o) for o in summed[1:]] == [[("a", n), ("idle", 7)] for n in (101, 102)]
    assert [elements(o) for o in mapped[1:]] == [[("a", n)] for n in (101, 102)]
