"""Our engine on Spark, driven tick by tick."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from datetime import datetime
from typing import Any

from pyspark import RDD, SparkContext

from dstream_compat.context import StreamingContext
from dstream_compat.engine.reports import Reports
from dstream_compat.graph.specs import PartitionedSpec
from dstream_compat.input.clock import CLOCK, ManualClock
from dstream_parity.base.outcomes import (
    Batches,
    Before,
    Build,
    Missing,
    Outcome,
    Outcomes,
    raised,
)
from dstream_parity.engines.callbacks import Output, calling
from dstream_parity.engines.rdds import outcome_of


def replay_on_spark(
    build: Build,
    batches: Batches,
    *,
    sc: SparkContext,
    interval: float = 1.0,
    together: int = 1,
    timeout: float = 180.0,
    restarts: Collection[int] = (),
    before: Before | None = None,
) -> Outcomes:
    """Run a pipeline on batches through our engine, ``together`` ticks per micro-batch.

    After each number of ticks in ``restarts`` the context is restored from its checkpoint.
    ``before`` is called before each tick, or before all ticks that share a micro-batch.

    If a batch cannot be generated (a transform function raises), the outcome of every output is
    that exception. A batch that takes longer than ``timeout`` seconds raises TimeoutError.
    """
    sc.__dict__[CLOCK] = ManualClock()
    try:
        ssc = StreamingContext(sc, interval)
        width = len(batches[0]) if batches else 1
        columns = [tuple(tuple(map(tuple, tick[i])) for tick in batches) for i in range(width)]
        inputs = [ssc._input("input", PartitionedSpec(column)) for column in columns]
        outputs = build(ssc, inputs)
        seen: list[dict[int, Outcome]] = [{} for _ in outputs]
        recorders = [_recorder(seen_by_it) for seen_by_it in seen]
        for stream, recorder in zip(outputs, recorders, strict=True):
            stream.foreachRDD(recorder)
        with tempfile.TemporaryDirectory(prefix="dstream-replay-") as directory:
            if restarts:
                ssc.checkpoint(directory)
            done = 0
            for stop in [*sorted(restarts), len(batches)]:
                _drive(ssc, seen, range(done, stop), together, timeout, before)
                done = stop
                if stop < len(batches):
                    restored = StreamingContext._recover(directory)
                    assert restored is not None
                    ssc = restored
        return _ordered(seen, len(batches), ssc._interval_ms)
    finally:
        del sc.__dict__[CLOCK]


def _recorder(seen: dict[int, Outcome]) -> Output:
    def record(time: datetime, rdd: RDD[Any]) -> None:
        seen[round(time.timestamp() * 1000)] = outcome_of(rdd)

    return calling(record)


class _Failures(Reports):
    """Notes batches that failed as a whole: all of their outputs did."""

    def __init__(self, seen: list[dict[int, Outcome]]) -> None:
        self._seen = seen

    def failed(self, tick: int, text: str) -> None:
        for output in self._seen:
            output.setdefault(tick, raised(RuntimeError(text)))


def _drive(
    ssc: StreamingContext,
    seen: list[dict[int, Outcome]],
    ticks: range,
    together: int,
    timeout: float,
    before: Before | None,
) -> None:
    """Start, let some ticks pass, stop."""
    ssc._report_to(_Failures(seen))
    ssc.start()
    engine = ssc._engine
    assert engine is not None
    try:
        for at in range(0, len(ticks), together):
            shared = ticks[at : at + together]
            for number in shared:
                if before is not None:
                    before(number)
            engine.tick_by_hand(len(shared), timeout)
    finally:
        ssc.stop(stopSparkContext=False)


def _ordered(seen: list[dict[int, Outcome]], ticks: int, interval_ms: int) -> Outcomes:
    times = [(number + 1) * interval_ms for number in range(ticks)]
    surplus = [time for output in seen for time in output if time not in times]
    if surplus:
        raise AssertionError(f"batches that were not in the input, at {sorted(surplus)} ms")
    return [[output.get(time, Missing()) for time in times] for output in seen]
