"""Driving ``pyspark.streaming`` batch by batch, with a clock that moves only when told to."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

from dstream_parity.engines import ContextStopped
from dstream_parity.engines.callbacks import calling

CLOCK, MANUAL_CLOCK = "spark.streaming.clock", "org.apache.spark.util.ManualClock"
_POLL = 0.05  # seconds; only a batch that fails to be generated waits for it


class LegacyDriver:
    """Runs the batches of a StreamingContext one by one.

    Register :attr:`output` after all other outputs, on a stream that has a batch at every tick:
    the outputs of a batch run in the order of their registration, so this one says that a batch is
    over. Then :meth:`take_over` the context before it starts, and one that was restored from its
    checkpoint as well.
    """

    def __init__(self, interval_ms: int) -> None:
        self._interval_ms = interval_ms
        self._news = threading.Condition()
        self._over: set[int] = set()  # batch times, of this run of the context
        self.output = calling(self._batch_over)

    def _batch_over(self, batch_time: datetime, rdd: Any) -> None:
        with self._news:
            self._over.add(round(batch_time.timestamp() * 1000))
            self._news.notify_all()

    def take_over(self, ssc: StreamingContext, batch_ms: int = 0) -> None:
        """Drive this context from now on; its last batch, if it had any, was at ``batch_ms``."""
        self._over.clear()
        self._ssc = ssc
        self._batch_ms = batch_ms
        self._clock = clock_of(ssc)
        self._errors = _GenerationErrors(ssc)

    def tick(self, timeout: float) -> Exception | None:
        """Run the next batch and :meth:`wait` until it is over."""
        self._batch_ms += self._interval_ms
        self._clock.advance(self._interval_ms)
        return self.wait(timeout)

    def wait(self, timeout: float) -> Exception | None:
        """Wait until the current batch is over; the error if it could not be generated.

        Raises TimeoutError, and ContextStopped if no batch will come.
        """
        deadline = time.monotonic() + timeout
        while not self._wait_briefly():
            if (error := self._errors.fresh()) is not None:
                return error
            if self._ssc._jssc.getState().toString() == "STOPPED":
                raise ContextStopped
            if time.monotonic() > deadline:
                raise TimeoutError(f"the batch was not over after {timeout:g} s")
        return None

    def _wait_briefly(self) -> bool:
        with self._news:
            return self._news.wait_for(self.is_over, _POLL)

    def is_over(self) -> bool:
        """Whether the current batch ran to its end."""
        return self._batch_ms in self._over


class _GenerationErrors:
    """Looks at the error the context would raise in awaitTermination, which it never forgets.

    There is no event for a batch that cannot be generated.
    """

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


def clock_of(ssc: StreamingContext) -> Any:
    """The clock of a context, in Java."""
    return ssc._jssc.ssc().scheduler().clock()


def with_manual_clock(sc: SparkContext, make: Callable[[], StreamingContext]) -> StreamingContext:
    """A context whose clock stands still until it is advanced."""
    # The clock is chosen when the context is made, from the live configuration of the JVM.
    with _conf(sc, CLOCK, MANUAL_CLOCK), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return make()


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
