"""State on Spark: when things go wrong, how much of it there is, and what of it is gone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark import SparkContext, StorageLevel
from pyspark.errors import IllegalArgumentException
from pyspark.sql import SparkSession

from dstream_compat import StateSpec, StreamingContext, StreamingListener
from dstream_compat.graph.specs import PartitionedSpec
from dstream_parity import Raised, Seen
from dstream_parity.engines.legacy import replay_legacy
from dstream_parity.engines.on_spark import replay_on_spark
from tests.dstream_compat.engine import by_hand, tick


@pytest.fixture(autouse=True)
def _directory(sc: SparkContext) -> Iterator[None]:
    with tempfile.TemporaryDirectory() as directory:
        sc.setCheckpointDir(directory)
        yield


def add(new: list[int], state: int | None) -> int:
    return sum(new) + (state or 0)


def elements(outcome: Any) -> list[Any]:
    assert isinstance(outcome, Seen), outcome
    return sorted(sum(outcome.partitions, ()))


def test_a_failed_tick_leaves_state_as_it_was_and_fails_the_windows_over_it(
    sc: SparkContext,
) -> None:
    def refuse(pair: tuple[str, int]) -> tuple[str, int]:
        if pair[1] == 13:
            raise ValueError("thirteen")
        return pair

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        checked = inputs[0].map(refuse)
        return [
            checked.updateStateByKey(add),
            checked.window(2, 1),
            checked.reduceByKeyAndWindow(lambda a, b: a + b, lambda a, b: a - b, 2, 1),
            inputs[0].updateStateByKey(
                lambda new, state: add([refuse(("", n))[1] for n in new], state)
            ),
        ]

    batches: Any = [[[[("a", n)], [("b", 1)]]] for n in (1, 13, 2, 3)]
    state, window, reduced, inside = replay_on_spark(build, batches, sc=sc, together=2)
    for output in (state, window, reduced, inside):
        assert isinstance(output[1], Raised)
        assert "thirteen" in output[1].text
    assert isinstance(window[2], Raised)
    assert isinstance(reduced[2], Raised)
    assert elements(state[3]) == [("a", 6), ("b", 3)]
    assert elements(window[3]) == [("a", 2), ("a", 3), ("b", 1), ("b", 1)]
    assert elements(reduced[3]) == [("a", 5), ("b", 2)]
    # the function itself failed, in the partition of one key: the others went on
    assert ("a", 6) in elements(inside[3])


@pytest.mark.parametrize("together", [1, 4])
def test_a_worker_that_dies_does_not_take_the_state_with_it(
    sc: SparkContext, together: int
) -> None:
    def die(new: list[int], state: int | None) -> int:
        if 13 in new:
            os._exit(1)
        return add(new, state)

    batches: Any = [[[[("a", n)]]] for n in (1, 13, 2, 3)]
    (outcomes,) = replay_on_spark(
        lambda ssc, inputs: [inputs[0].updateStateByKey(die)], batches, sc=sc, together=together
    )
    assert isinstance(outcomes[1], Raised)
    assert [elements(outcomes[n]) for n in (0, 2, 3)] == [[("a", 1)], [("a", 3)], [("a", 6)]]


def test_state_is_behind_transforms_too_phase_after_phase(sc: SparkContext) -> None:
    def none_at_two(time: Any, rdd: Any) -> Any:
        return None if time.second == 2 else rdd

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        ordered = inputs[0].transform(lambda rdd: rdd.sortByKey())
        state = ordered.updateStateByKey(add)
        tenfold = state.transform(lambda rdd: rdd.map(lambda pair: (pair[0], pair[1] * 10)))
        return [
            inputs[0].count(),
            state,
            ordered.window(2, 1),
            tenfold.reduceByKeyAndWindow(lambda a, b: a + b, None, 2, 1),
            tenfold.join(inputs[0]),
            inputs[0].transform(none_at_two).updateStateByKey(add),
        ]

    batches: Any = [
        [[[("b", 1), ("a", 2)], [("a", 3)]]],
        [[[("c", 1)]]],
        [[[]]],
        [[[("a", 1)], [("b", 1)]]],
    ]
    expected = replay_legacy(build, batches, sc=sc)
    assert replay_on_spark(build, batches, sc=sc, together=2, restarts=[1, 3]) == expected


def running(key: str, value: int | None, state: Any) -> tuple[str, Any]:
    if state.isTimingOut():
        return key, "gone"
    state.update(state.getOption(0) + (value or 0))
    return key, state.get()


def test_metrics_say_what_every_operator_keeps(sc: SparkContext) -> None:
    completed: list[Any] = []

    class Listener(StreamingListener):
        def onBatchCompleted(self, batchCompleted: Any) -> None:
            completed.append(batchCompleted.batchInfo().stateMetrics())

    with by_hand(sc) as ssc:
        assert ssc.state_metrics() == []
        ssc.addStreamingListener(Listener())
        batches = tuple((((f"key{n}", 1), (f"key{n + 1}", 1)),) for n in range(4))
        stream: Any = ssc._input("queue", PartitionedSpec(batches))
        stream.updateStateByKey(add).foreachRDD(lambda rdd: None)
        stream.mapWithState(StateSpec.function(running)).foreachRDD(lambda rdd: None)
        stream.window(2, 1).foreachRDD(lambda rdd: None)
        ssc.start()
        tick(ssc, 4)
        state, mapped, window = ssc.state_metrics()
        assert state.name == "updateStateByKey(add)"
        assert "test_state.py:" in state.site
        assert (state.keys, mapped.keys, window.keys) == (5, 5, None)
        assert min(m.pages for m in (state, mapped, window)) > 0
        assert 0 < state.bytes < 2000
    assert completed[-1] == (state, mapped, window)


def test_what_is_dropped_or_has_left_the_window_is_gone_from_the_store(
    sc: SparkContext, tmp_path: Any
) -> None:
    ticks = 60
    batches = tuple(((tuple((f"key{n}-{i}", 1) for i in range(50)),)) for n in range(ticks))

    def forget(new: list[int], state: int | None) -> int | None:
        return sum(new) if new else None

    with by_hand(sc) as ssc:
        ssc.checkpoint(str(tmp_path))
        stream: Any = ssc._input("queue", PartitionedSpec(batches))
        stream.updateStateByKey(forget).foreachRDD(_ignore)
        stream.window(3, 1).foreachRDD(_ignore)
        stream.reduceByKeyAndWindow(_plus, _minus, 5, 1, filterFunc=_positive).foreachRDD(_ignore)
        mapped = stream.mapWithState(StateSpec.function(running).timeout(2)).checkpoint(3)
        mapped.foreachRDD(_ignore)
        ssc.start()
        sizes = []
        for _ in range(ticks // 20):
            assert ssc._engine is not None
            ssc._engine.tick_by_hand(20, 120)
            sizes.append(sum(m.bytes for m in ssc.state_metrics()))
    entries = _stored(sc, str(tmp_path / "query"))
    assert sizes[-1] < 1.3 * sizes[0]
    # pages, heads and sizes of four operators in two partitions; five batches in the windows
    assert entries < 80


def _ignore(rdd: Any) -> None:
    pass


def _plus(a: int, b: int) -> int:
    return a + b


def _minus(a: int, b: int) -> int:
    return a - b


def _positive(pair: tuple[str, int]) -> bool:
    return pair[1] > 0


def _stored(sc: SparkContext, query: str) -> int:
    reader = SparkSession(sc).read.format("statestore").option("path", query)
    options = {"stateVarName": "pages", "operatorId": "0", "flattenCollectionTypes": "true"}
    return reader.options(**options).load().count()


CHECKED: dict[str, Callable[[Any], Any]] = {
    "updateStateByKey": lambda s: s.updateStateByKey(add),
    "mapWithState": lambda s: s.mapWithState(StateSpec.function(running)),
    "an inverse": lambda s: s.reduceByKeyAndWindow(_plus, _minus, 1, 1),
    "countByWindow": lambda s: s.countByWindow(1, 1),
}


@pytest.mark.parametrize("operator", CHECKED)
def test_state_needs_a_checkpoint_directory(sc: SparkContext, operator: str) -> None:
    ssc = StreamingContext(sc, 1)
    ssc._has_checkpoint_directory = lambda: False  # type: ignore[method-assign]
    CHECKED[operator](ssc.queueStream([[("a", 1)]])).pprint()
    with pytest.raises(IllegalArgumentException) as refused:
        ssc.start()
    assert (
        "requirement failed: The checkpoint directory has not been set. Please set it by "
        in str(refused.value)
    )


def test_a_plain_window_cannot_be_checkpointed(sc: SparkContext) -> None:
    ssc = StreamingContext(sc, 1)
    # legacy: persist() on a window persists what is in front of it, and helps nothing
    ssc.queueStream([[1]]).window(2).persist(StorageLevel.MEMORY_ONLY).checkpoint(2).pprint()
    with pytest.raises(IllegalArgumentException, match="WindowedDStream has been marked for check"):
        ssc.start()


def test_a_checkpoint_interval_must_fit_the_slide(sc: SparkContext) -> None:
    for interval, text in (
        (
            0.3,
            "set to 300 ms which is lower than its slide time (500 ms). Please set it to at least",
        ),
        (0.7, "set to  700 ms which not a multiple of its slide time (500 ms). Please set it to a"),
    ):
        ssc = StreamingContext(sc, 0.5)
        state = ssc.queueStream([[("a", 1)]]).updateStateByKey(add)
        state.checkpoint(interval)  # type: ignore[arg-type]
        state.pprint()
        with pytest.raises(IllegalArgumentException) as refused:
            ssc.start()
        assert f"The checkpoint interval for PythonStateDStream has been {text}" in str(
            refused.value
        )
