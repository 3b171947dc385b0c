"""Measuring one engine: batches back to back, or one every two seconds.

Saturated, a clock that stands still is moved by hand, so ticks follow one another without a pause
and what an engine puts off shows in the next batch. Idle, the machine's clock ticks, and what is
measured is the delay from the batch time to the end of the batch's output.
"""

from __future__ import annotations

import threading
import time
import warnings
from datetime import datetime
from typing import TYPE_CHECKING, Any

from benchmarks.workloads import IDLE, WORKLOADS, IdleWorkload, Workload

if TYPE_CHECKING:
    from pyspark import SparkContext

INTERVAL = 1  # seconds between batches of the saturated regime, by the clock moved by hand
IDLE_INTERVAL = 2  # seconds
WARM_UP = 5  # idle batches that are not counted: workers start, plans are compiled
TIMEOUT = 120.0
_LEGACY_CLOCK = "spark.streaming.clock"
_OUR_CLOCK = "_dstream_compat_clock"  # where dstream_compat looks for a clock to use


class HandClock:
    """A clock for dstream_compat that stands still until it is advanced.

    Not the package's own, so that another checkout of it can be measured with this code.
    """

    def __init__(self) -> None:
        self._now = 0
        self._moved = threading.Condition()

    def now_ms(self) -> int:
        with self._moved:
            return self._now

    def advance(self, ms: int) -> None:
        with self._moved:
            self._now += ms
            self._moved.notify_all()

    def wait_until(self, ms: int, stopped: threading.Event) -> bool:
        with self._moved:
            while self._now < ms and not stopped.is_set():
                self._moved.wait(0.05)
        return not stopped.is_set()


def measure(sc: SparkContext, engine: str, name: str, batches: int) -> list[float]:
    """Seconds per batch of the workload ``name`` on ``engine``, "legacy" or "ours"."""
    for workload in WORKLOADS:
        if workload.name == name:
            return _saturated(sc, engine, workload, batches)
    (idle,) = (workload for workload in IDLE if workload.name == name)
    return _idle(sc, engine, idle, batches)


def _context(sc: SparkContext, engine: str, interval: int) -> Any:
    if engine == "ours":
        from dstream_compat import StreamingContext as Ours

        return Ours(sc, interval)
    from pyspark.streaming import StreamingContext

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return StreamingContext(sc, interval)


def _saturated(sc: SparkContext, engine: str, workload: Workload, batches: int) -> list[float]:
    """The first batch, which starts workers and compiles plans, is not counted."""
    _legacy_conf(sc).set(_LEGACY_CLOCK, "org.apache.spark.util.ManualClock")
    clock = sc.__dict__[_OUR_CLOCK] = HandClock()
    ssc = _context(sc, engine, INTERVAL)
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
            moved = clock if engine == "ours" else ssc._jssc.ssc().scheduler().clock()
            moved.advance(INTERVAL * 1000)
            if not over.wait(TIMEOUT):
                raise TimeoutError(f"a batch of {workload.name} took over {TIMEOUT:.0f} seconds")
            seconds.append(time.perf_counter() - began)
        _raise_failure(ssc)
    finally:
        ssc.stop(stopSparkContext=False)
    return seconds[1:]


def _idle(sc: SparkContext, engine: str, workload: IdleWorkload, batches: int) -> list[float]:
    """Delays from batch time to end of output; the first few batches are not counted."""
    _legacy_conf(sc).remove(_LEGACY_CLOCK)
    sc.__dict__.pop(_OUR_CLOCK, None)
    ssc = _context(sc, engine, IDLE_INTERVAL)
    delays: list[float] = []
    enough = threading.Event()
    given = list(workload.batch)
    stream = ssc.queueStream([], default=given) if given else ssc.queueStream([[]])

    def output(moment: datetime, rdd: Any) -> None:
        rdd.collect()
        delays.append(time.time() - moment.timestamp())
        if len(delays) >= WARM_UP + batches:
            enough.set()

    workload.job(stream).foreachRDD(output)
    ssc.start()
    try:
        limit = TIMEOUT + (WARM_UP + batches) * IDLE_INTERVAL
        if not enough.wait(limit):
            raise TimeoutError(f"{workload.name} took over {limit:.0f} seconds")
        _raise_failure(ssc)
    finally:
        ssc.stop(stopSparkContext=False)
    return delays[WARM_UP : WARM_UP + batches]


def _legacy_conf(sc: SparkContext) -> Any:
    """The settings as the JVM's streaming context reads them when it is made."""
    java: Any = sc._jsc
    return java.sc().conf()


def _raise_failure(ssc: Any) -> None:
    """Raise what a batch raised: a failed batch is not a measurement."""
    ssc.awaitTerminationOrTimeout(0)
