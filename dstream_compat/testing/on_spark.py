"""Our engine on Spark, driven tick by tick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from pyspark import RDD, SparkContext

from dstream_compat.context import StreamingContext
from dstream_compat.dstream import DStream
from dstream_compat.sources.clock import CLOCK, ManualClock
from dstream_compat.sources.specs import PartitionedSpec
from dstream_compat.testing.outcomes import Batches, Missing, Outcome, Outcomes, Seen, raised


def replay_on_spark(
    build: Callable[[Any, list[DStream[Any]]], Sequence[DStream[Any]]],
    batches: Batches,
    *,
    sc: SparkContext,
    interval: float = 1.0,
    together: int = 1,
    timeout: float = 60.0,
) -> Outcomes:
    """Run a pipeline on batches through our engine; ``together`` ticks share a micro-batch.

    If a batch cannot be generated (a transform function raises), every output has raised in it.
    Raises TimeoutError if a batch is not over in ``timeout`` seconds.
    """
    sc.__dict__[CLOCK] = ManualClock()
    try:
        ssc = StreamingContext(sc, interval)
        width = len(batches[0]) if batches else 1
        columns = [tuple(tuple(map(tuple, tick[i])) for tick in batches) for i in range(width)]
        inputs = [ssc._input("input", PartitionedSpec(column)) for column in columns]
        outputs = build(ssc, inputs)
        seen: list[dict[int, Outcome]] = [{} for _ in outputs]
        for number, stream in enumerate(outputs):
            stream.foreachRDD(_recorder(seen[number]))
        return _drive(ssc, seen, len(batches), together, timeout)
    finally:
        del sc.__dict__[CLOCK]


def _recorder(seen: dict[int, Outcome]) -> Callable[[datetime, RDD[Any]], None]:
    def record(time: datetime, rdd: RDD[Any]) -> None:
        tick = round(time.timestamp() * 1000)
        try:
            seen[tick] = Seen(tuple(map(tuple, rdd.glom().collect())))
        except BaseException as error:
            seen[tick] = raised(error)

    return record


def _drive(
    ssc: StreamingContext,
    seen: list[dict[int, Outcome]],
    ticks: int,
    together: int,
    timeout: float,
) -> Outcomes:
    ssc.start()
    engine = ssc._engine
    assert engine is not None
    tell = engine._progress.failed

    def note(tick: int, text: str) -> None:
        for output in seen:
            output[tick] = raised(RuntimeError(text))
        tell(tick, text)

    engine._progress.failed = note  # type: ignore[method-assign]
    try:
        for at in range(0, ticks, together):
            engine.tick_by_hand(min(together, ticks - at), timeout)
    finally:
        ssc.stop(stopSparkContext=False)
    times = [(number + 1) * ssc._interval_ms for number in range(ticks)]
    surplus = [time for output in seen for time in output if time not in times]
    if surplus:
        raise AssertionError(f"batches nobody asked for, at {sorted(surplus)} ms")
    return [[output.get(time, Missing()) for time in times] for output in seen]
