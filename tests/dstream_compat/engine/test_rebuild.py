"""``getOrCreate(…, rebuild=True)``: changed code takes over old state, or is refused by name."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.errors import IllegalArgumentException

from dstream_compat import DStream, StateSpec, StreamingContext
from dstream_compat.graph.specs import PartitionedSpec
from dstream_compat.input.clock import CLOCK, ManualClock

BATCHES: Any = [[[("a", 1), ("b", 1)], [("a", 1)]], [[("a", 1)]], [[("c", 1)]], [[("a", 1)]]] * 3
Build = Callable[[DStream[Any]], dict[str, DStream[Any]]]


def total(new: list[int], state: int | None) -> int:
    return sum(new) + (state or 0)


def tenfold(new: list[int], state: int | None) -> int:
    return 10 * sum(new) + (state or 0)


def files(directory: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def running(key: str, value: int, state: Any) -> tuple[str, int]:
    state.update(state.getOption(0) + value)
    return key, state.get()


@pytest.fixture
def job(sc: SparkContext, tmp_path: Path) -> Iterator[Callable[..., dict[str, Any]]]:
    """Runs a job for some ticks on a checkpoint directory; the last batch of each output."""
    sc.__dict__[CLOCK] = ManualClock()

    def run(build: Build, ticks: int, rebuild: Any = True, interval: float = 1) -> dict[str, Any]:
        seen: dict[str, list[Any]] = {}

        def setup() -> StreamingContext:
            ssc = StreamingContext(sc, interval)
            source: DStream[Any] = ssc._input("queue", PartitionedSpec(tuple(BATCHES)))
            for name, stream in build(source).items():
                stream.foreachRDD(note(name))
            return ssc

        def note(name: str) -> Callable[[Any], None]:
            return lambda rdd: seen.setdefault(name, []).append(sorted(rdd.collect()))

        # the outputs write into a dict of this process: they must not come from the checkpoint
        ssc = StreamingContext.getOrCreate(str(tmp_path), setup, rebuild)
        ssc.start()
        try:
            engine = ssc._engine
            assert engine is not None
            for _ in range(ticks):
                engine.tick_by_hand(1, 120)
        finally:
            ssc.stop(stopSparkContext=False)
        return {name: batches[-1] for name, batches in seen.items()}

    yield run
    del sc.__dict__[CLOCK]


def test_a_changed_function_takes_over_the_state(job: Any, tmp_path: Path) -> None:
    assert job(lambda s: {"sum": s.updateStateByKey(total).named("sum")}, 1) == {
        "sum": [("a", 2), ("b", 1)]
    }
    changed = lambda s: {"sum": s.filter(bool).updateStateByKey(tenfold).named("sum")}  # noqa: E731
    assert job(changed, 1) == {"sum": [("a", 12), ("b", 1)]}
    # and once more, from the generation that was itself rebuilt
    assert job(lambda s: {"sum": s.updateStateByKey(total).named("sum")}, 1) == {
        "sum": [("a", 12), ("b", 1), ("c", 1)]
    }
    meta = json.loads((tmp_path / "dstream.json").read_text())
    assert meta["generation"] == 2


def test_operators_come_and_go(job: Any, caplog: pytest.LogCaptureFixture) -> None:
    def one(s: DStream[Any]) -> dict[str, DStream[Any]]:
        return {"sum": s.updateStateByKey(total)}

    def three(s: DStream[Any]) -> dict[str, DStream[Any]]:
        return {
            "pairs": s.window(2, 1),
            "runs": s.mapWithState(StateSpec.function(running).initialState([("c", 100)])),
            "sum": s.updateStateByKey(total).map(lambda pair: pair),
        }

    job(one, 1)
    with caplog.at_level(logging.WARNING):
        assert job(three, 2) == {
            "pairs": [("a", 1), ("c", 1)],
            "runs": [("c", 101)],
            "sum": [("a", 3), ("b", 1), ("c", 1)],
        }
    assert "window is new and starts empty" in caplog.text
    assert "mapWithState(running) is new and starts empty" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        assert job(one, 1) == {"sum": [("a", 4), ("b", 1), ("c", 1)]}
    assert "the state of mapWithState(running) is dropped" in caplog.text


def test_a_renamed_operator_is_refused_by_name_and_nothing_is_touched(
    job: Any, tmp_path: Path
) -> None:
    job(lambda s: {"sum": s.updateStateByKey(total)}, 1)
    before = files(tmp_path)
    with pytest.raises(IllegalArgumentException) as refused:
        job(lambda s: {"sum": s.updateStateByKey(tenfold)}, 1)
    text = str(refused.value)
    assert "nothing takes over the state of updateStateByKey(total)" in text
    assert "updateStateByKey(tenfold) is new" in text
    assert "test_rebuild.py:" in text
    assert files(tmp_path) == before
    said = {"updateStateByKey(tenfold)": "updateStateByKey(total)"}
    assert job(lambda s: {"sum": s.updateStateByKey(tenfold)}, 1, said) == {
        "sum": [("a", 12), ("b", 1)]
    }
    assert job(
        lambda s: {"sum": s.updateStateByKey(total)}, 1, {"updateStateByKey(total)": None}
    ) == {"sum": [("c", 1)]}


def test_what_state_cannot_outlive_is_refused(job: Any) -> None:
    job(lambda s: {"sum": s.updateStateByKey(total)}, 1)
    with pytest.raises(IllegalArgumentException, match=r"numPartitions of .* was 2 and is 3"):
        job(lambda s: {"sum": s.updateStateByKey(total, 3)}, 1)
    with pytest.raises(IllegalArgumentException, match=r"batch interval \(ms\) 1000, this job has"):
        job(lambda s: {"sum": s.updateStateByKey(total)}, 1, interval=2)
    with pytest.raises(IllegalArgumentException, match="rebuild names sums, but there is no such"):
        job(lambda s: {"sum": s.updateStateByKey(total)}, 1, {"sums": "x"})


def test_a_window_of_another_length_continues_with_the_batches_it_has(job: Any) -> None:
    def counts(window: int) -> Build:
        def build(s: DStream[Any]) -> dict[str, DStream[Any]]:
            counted = s.countByValueAndWindow(window, 1)
            return {"counts": counted.named("counts")}

        return build

    assert job(counts(5), 2) == {"counts": [(("a", 1), 3), (("b", 1), 1)]}
    assert job(counts(2), 1) == {"counts": [(("a", 1), 1), (("c", 1), 1)]}


def test_a_rebuild_that_never_got_to_a_batch_is_rebuilt_from_where_it_began(job: Any) -> None:
    def build(s: DStream[Any]) -> dict[str, DStream[Any]]:
        return {"sum": s.updateStateByKey(total)}

    assert job(build, 0) == {}  # nothing to go on with yet
    assert job(build, 1) == {"sum": [("a", 2), ("b", 1)]}
    assert job(build, 0) == {}
    assert job(build, 1) == {"sum": [("a", 3), ("b", 1)]}
    assert job(build, 0) == {}
    assert job(build, 0, False) == {}
    assert job(build, 1) == {"sum": [("a", 3), ("b", 1), ("c", 1)]}


def test_a_rebuilt_job_runs_many_batches(job: Any) -> None:
    def build(s: DStream[Any]) -> dict[str, DStream[Any]]:
        return {"sum": s.updateStateByKey(total)}

    job(build, 1)
    assert job(build, 4) == {"sum": [("a", 6), ("b", 2), ("c", 1)]}


def test_state_that_is_taken_over_is_not_overwritten_by_an_initial_one(job: Any) -> None:
    def runs(s: DStream[Any]) -> DStream[Any]:
        return s.mapWithState(StateSpec.function(running).initialState([("a", 100)]))

    def more(s: DStream[Any]) -> dict[str, DStream[Any]]:
        first = s.transform(lambda rdd: rdd).updateStateByKey(tenfold, None, [("z", 1)])
        return {"new": first, "runs": runs(s), "sum": s.updateStateByKey(total, None, [("a", 100)])}

    def fewer(s: DStream[Any]) -> dict[str, DStream[Any]]:
        return {"runs": runs(s), "sum": s.updateStateByKey(total)}

    job(fewer, 2)
    assert job(more, 0) == {}
    assert job(more, 2) == {
        "new": [("a", 10), ("c", 10), ("z", 1)],
        "runs": [("a", 104)],
        "sum": [("a", 4), ("b", 1), ("c", 1)],
    }
    assert job(fewer, 1) == {  # without the transform, and so without its second phase
        "runs": [("a", 105), ("a", 106), ("b", 2)],
        "sum": [("a", 6), ("b", 2), ("c", 1)],
    }
