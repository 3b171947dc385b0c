"""Contexts whose batches come when a test says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pyspark import RDD, SparkContext

from dstream_compat import StreamingContext
from dstream_compat.dstream import DStream
from dstream_compat.graph.specs import PartitionedSpec
from dstream_compat.input.clock import CLOCK, ManualClock

LIMIT = 60.0  # seconds; only a failing test waits so long


class ByHand:
    """A context on a clock that stands still; ``tick`` runs batches and waits for their outputs."""

    def __init__(self, sc: SparkContext, interval: float) -> None:
        self.clock: ManualClock = sc.__dict__[CLOCK]
        self.ssc = StreamingContext(sc, interval)

    def partitioned(self, *batches: list[list[Any]]) -> DStream[Any]:
        """A stream of batches, each a list of its partitions."""
        spec = PartitionedSpec(tuple(tuple(map(tuple, batch)) for batch in batches))
        return self.ssc._input("input", spec)

    def tick(self, ticks: int = 1, timeout: float = LIMIT) -> None:
        assert self.ssc._engine is not None
        self.ssc._engine.tick_by_hand(ticks, timeout)

    def error(self) -> str:
        """The text of the latest error of a batch, "" if there was none."""
        try:
            self.ssc.awaitTerminationOrTimeout(0)
        except Exception as error:
            return str(error)
        return ""


@contextmanager
def by_hand(sc: SparkContext, interval: float = 1.0) -> Iterator[ByHand]:
    sc.__dict__[CLOCK] = ManualClock()
    job = ByHand(sc, interval)
    try:
        yield job
    finally:
        if job.ssc._engine is not None:
            job.ssc.stop(stopSparkContext=False)
        del sc.__dict__[CLOCK]


def collected(stream: DStream[Any]) -> list[Any]:
    """What an output sees, batch by batch; an error is there as its text."""
    seen: list[Any] = []

    def see(rdd: RDD[Any]) -> None:
        try:
            seen.append(sorted(rdd.collect()))
        except Exception as error:
            seen.append(str(error))

    stream.foreachRDD(see)
    return seen


@contextmanager
def setting(sc: SparkContext, **values: str) -> Iterator[None]:
    """Settings of the SparkContext, dots written as two underscores, for the time being."""
    assert sc._conf is not None
    keys = {key.replace("__", "."): value for key, value in values.items()}
    before = {key: sc._conf.get(key, None) for key in keys}
    for key, value in keys.items():
        sc._conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is not None:
                sc._conf.set(key, old)
            else:
                java: Any = sc._conf._jconf
                java.remove(key)


Build = Callable[[Any, list[Any]], list[Any]]
