"""Driving both engines by hand: a tick, then the wait until the batch is over."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from pyspark import SparkContext

from benchmarks.workloads import Workload

INTERVAL = 1  # seconds of the clock that stands still, not of ours
MANUAL_CLOCK = "org.apache.spark.util.ManualClock"  # the value of spark.streaming.clock
TIMEOUT = 120.0

Measure = Callable[[SparkContext, Workload, int], list[float]]


def legacy(sc: SparkContext, workload: Workload, batches: int) -> list[float]:
    """Seconds per batch on pyspark.streaming."""
    from pyspark.streaming import StreamingContext

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        ssc = StreamingContext(sc, INTERVAL)

    def advance() -> None:
        ssc._jssc.ssc().scheduler().clock().advance(INTERVAL * 1000)

    return _measure(ssc, workload, batches, advance)


def ours(sc: SparkContext, workload: Workload, batches: int) -> list[float]:
    """Seconds per batch on dstream_compat."""
    from dstream_compat import StreamingContext
    from dstream_compat.input.clock import ManualClock, clock_for

    clock = clock_for(sc)
    assert isinstance(clock, ManualClock), "the SparkContext needs spark.streaming.clock"
    advance = clock.advance
    return _measure(StreamingContext(sc, INTERVAL), workload, batches, lambda: advance(1000))


def _measure(
    ssc: Any, workload: Workload, batches: int, advance: Callable[[], None]
) -> list[float]:
    """Ticks follow one another without a pause, so what an engine puts off shows in the next one.

    The first batch, which starts workers and compiles plans, is not counted.
    """
    over = threading.Event()
    queued = [
        ssc.queueStream([given(n) if callable(given) else given for n in range(batches + 1)])
        for given in workload.inputs
    ]
    workload.job(queued, lambda result: over.set())
    seconds = []
    ssc.start()
    try:
        for _ in range(batches + 1):
            over.clear()
            began = time.perf_counter()
            advance()
            if not over.wait(TIMEOUT):
                raise TimeoutError(f"a batch of {workload.name} took over {TIMEOUT:.0f} seconds")
            seconds.append(time.perf_counter() - began)
        _no_error(ssc)
    finally:
        ssc.stop(stopSparkContext=False)
    return seconds[1:]


def _no_error(ssc: Any) -> None:
    """Raises what a batch raised: a failed batch is no measurement."""
    ssc.awaitTerminationOrTimeout(0)
