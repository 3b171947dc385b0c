"""A checkpoint directory that only Hadoop can reach: state, received data and ticks survive."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark import RDD, SparkContext

from dstream_compat import Receiver, StreamingContext
from dstream_compat.input.clock import CLOCK, ManualClock
from tests.dstream_compat.input.test_storage import mounted


class Lines(Receiver):
    """Stores the lines of a file, and takes the file away."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def onStart(self) -> None:
        if self._path.exists():
            self.storeAll(self._path.read_text().split())
            self._path.unlink()

    def onStop(self) -> None:
        pass


def total(new: list[int], state: int | None) -> int:
    return sum(new) + (state or 0)


def recorder(folder: Path) -> Callable[[datetime, RDD[Any]], None]:
    def record(at: datetime, rdd: RDD[Any]) -> None:
        seconds = round(at.timestamp())
        (folder / str(seconds)).write_text(json.dumps(sorted(rdd.collect())))

    return record


@pytest.fixture
def run(sc: SparkContext, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Runs a counting job for some ticks; what the output was at each second so far."""
    sc.__dict__[CLOCK] = ManualClock()
    lines, seen, checkpoint = (tmp_path / name for name in ("lines", "seen", "checkpoint"))
    seen.mkdir()
    uri = mounted(sc, checkpoint)
    record = recorder(seen)

    def setup() -> StreamingContext:
        ssc = StreamingContext(sc, 1)
        words = ssc.receiverStream(Lines(lines))
        words.map(lambda w: (w, 1)).updateStateByKey(total).foreachRDD(record)
        return ssc

    def run(text: str, ticks: int, make: Callable[[str, Any], StreamingContext]) -> Any:
        lines.write_text(text)
        ssc = make(uri, setup)
        ssc.start()
        try:
            assert ssc._engine is not None
            until = time.monotonic() + 60
            while lines.exists():
                assert time.monotonic() < until
                threading.Event().wait(0.01)
            for _ in range(ticks):
                ssc._engine.tick_by_hand(1, 120)
        finally:
            ssc.stop(stopSparkContext=False)
        found = sorted(seen.iterdir(), key=lambda path: int(path.name))
        return [dict(json.loads(path.read_text())) for path in found]

    yield run
    del sc.__dict__[CLOCK]


def new(uri: str, setup: Callable[[], StreamingContext]) -> StreamingContext:
    ssc = setup()
    ssc.checkpoint(uri)
    return ssc


def rebuilt(uri: str, setup: Callable[[], StreamingContext]) -> StreamingContext:
    return StreamingContext.getOrCreate(uri, setup, rebuild=True)


def test_a_job_continues_across_restarts_and_a_rebuild_and_a_new_one_starts_from_nothing(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    assert run("a b a", 2, StreamingContext.getOrCreate) == [{"a": 2, "b": 1}] * 2
    # received, but stopped before any batch: the next run has it
    assert len(run("c", 0, StreamingContext.getOrCreate)) == 2
    assert run("a", 1, StreamingContext.getOrCreate)[2:] == [{"a": 3, "b": 1, "c": 1}]
    assert run("b", 1, rebuilt)[3:] == [{"a": 3, "b": 2, "c": 1}]
    assert {"dstream.json", "input", "blocks", "query-1", "graph-1"} <= {
        path.name for path in (tmp_path / "checkpoint").iterdir()
    }
    assert run("z", 1, new)[0] == {"z": 1}
    assert len(list((tmp_path / "checkpoint").glob("previous-*/dstream.json"))) == 1
