"""Replaying batches on the legacy engine, with a clock that moves only when told to."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from typing import Any

from pyspark import RDD, SparkContext
from pyspark.streaming import DStream, StreamingContext

from dstream_compat.testing.outcomes import Batches, Missing, Outcomes, Seen, raised

_CLOCK = "spark.streaming.clock"
_POLL = 0.05  # seconds; only a batch that fails to be generated waits for it

Build = Callable[[StreamingContext, list[Any]], Sequence[Any]]


def replay_legacy(
    build: Build,
    batches: Batches,
    *,
    sc: SparkContext,
    interval: float = 1.0,
    timeout: float = 180.0,
) -> Outcomes:
    """What ``pyspark.streaming`` makes of ``batches``: one outcome per output and tick.

    ``sc`` stays alive and can be used for any number of replays, one at a time. The batch times
    are ``interval``, ``2 * interval``, … seconds after the epoch. If a batch cannot be generated
    (a transform function raises), every output has raised in it. A batch that is not over after
    ``timeout`` seconds raises TimeoutError.
    """
    if not batches:
        raise ValueError("a replay needs at least one batch")
    milliseconds = int(interval * 1000)
    ssc = _context_with_manual_clock(sc, interval)
    try:
        inputs = [
            ssc.queueStream([_rdd(sc, partitions) for partitions in column])
            for column in zip(*batches, strict=True)
        ]
        outputs = build(ssc, list(inputs))
        outcomes: Outcomes = [[Missing()] * len(batches) for _ in outputs]
        for seen, output in zip(outcomes, outputs, strict=True):
            _record(output, seen, milliseconds)
        # Jobs run one by one in order of registration, so this one says that a batch is over.
        over = threading.Event()
        ssc.queueStream([sc.emptyRDD()]).foreachRDD(lambda rdd: over.set())
        ssc.start()
        clock = ssc._jssc.ssc().scheduler().clock()
        errors = _GenerationErrors(ssc)
        for tick in range(len(batches)):
            clock.advance(milliseconds)
            deadline = time.monotonic() + timeout
            while not over.wait(_POLL):
                if (error := errors.fresh()) is not None:
                    for seen in outcomes:
                        seen[tick] = raised(error)
                    break
                if ssc._jssc.getState().toString() == "STOPPED":
                    return outcomes  # by the job itself
                if time.monotonic() > deadline:
                    raise TimeoutError(
                        f"batch {tick + 1} of {len(batches)} was not over after {timeout} s"
                    )
            over.clear()
        return outcomes
    finally:
        ssc.stop(stopSparkContext=False)


def _context_with_manual_clock(sc: SparkContext, interval: float) -> StreamingContext:
    # The clock is chosen when the context is made, from the live configuration of the JVM.
    with _conf(sc, _CLOCK, "org.apache.spark.util.ManualClock"), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return StreamingContext(sc, interval)  # type: ignore[arg-type]  # fractions work, too


@contextmanager
def _conf(sc: SparkContext, key: str, value: str) -> Iterator[None]:
    conf = sc._jsc.sc().conf()
    before = conf.get(key) if conf.contains(key) else None
    conf.set(key, value)
    try:
        yield
    finally:
        if before is None:
            conf.remove(key)
        else:
            conf.set(key, before)


def _rdd(sc: SparkContext, partitions: list[list[Any]]) -> RDD[Any]:
    """An RDD of exactly these partitions. All have the same serializer, so that unions work."""
    whole: RDD[Any] = sc.parallelize(partitions, len(partitions)) if partitions else sc.emptyRDD()
    return whole.mapPartitions(chain.from_iterable)


def _record(output: DStream[Any], seen: list[Any], milliseconds: int) -> None:
    def collect(batch_time: datetime, rdd: RDD[Any]) -> None:
        tick = round(batch_time.timestamp() * 1000) // milliseconds - 1
        try:
            seen[tick] = Seen(tuple(tuple(partition) for partition in rdd.glom().collect()))
        except BaseException as error:
            seen[tick] = raised(error)

    output.foreachRDD(collect)


class _GenerationErrors:
    """Looks at the error the context would raise in awaitTermination, which it never forgets."""

    def __init__(self, ssc: StreamingContext) -> None:
        self._ssc = ssc
        self._known: int | None = None

    def fresh(self) -> Exception | None:
        """An error not returned before that kept a batch from being generated."""
        try:
            self._ssc._jssc.awaitTerminationOrTimeout(0)
        except Exception as error:
            origin = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
            if origin is None:
                raise
            if origin.hashCode() != self._known:
                self._known = origin.hashCode()
                stack = self._ssc._jvm.org.apache.spark.util.Utils.exceptionString(origin)  # type: ignore[union-attr]
                # Jobs that fail report here, too, but then the batch goes on to its end.
                if "scheduler.JobGenerator" in stack:
                    return error
        return None
