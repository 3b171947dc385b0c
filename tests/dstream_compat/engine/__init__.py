"""The engine on real Spark. Helpers: a context whose clock is moved by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark import SparkContext

from dstream_compat import StreamingContext
from dstream_compat.input.clock import CLOCK, ManualClock


@contextmanager
def by_hand(sc: SparkContext, interval: float = 1, now_ms: int = 0) -> Iterator[StreamingContext]:
    """A context that ticks only when :func:`tick` is called; stopped at the end."""
    sc.__dict__[CLOCK] = ManualClock(now_ms)
    ssc = StreamingContext(sc, interval)
    try:
        yield ssc
    finally:
        sc.__dict__.pop(CLOCK, None)
        ssc.stop(stopSparkContext=False)


def tick(ssc: StreamingContext, ticks: int = 1, timeout: float = 60.0) -> None:
    """Let some batches happen, one micro-batch each, and wait until their outputs have run."""
    assert ssc._engine is not None
    for _ in range(ticks):
        ssc._engine.tick_by_hand(1, timeout)
