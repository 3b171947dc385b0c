"""The two engines as a run drives them: fed, started, one batch at a time, stopped."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Sequence
from itertools import chain
from typing import Any, Protocol

from dstream_parity.verify.inputs.feeds import Partitions

_POLL = 0.05  # seconds; only a batch that fails to be generated waits for it


class BatchTimeout(Exception):
    """A batch was not over in time."""


class Engine(Protocol):
    """What a run needs of an engine. ``context`` and ``stream`` are the classes jobs use."""

    name: str
    context: Any
    stream: Any

    def feed(self, ssc: Any, batches: Sequence[Partitions]) -> Any:
        """An input stream of these batches."""

    def interval_ms(self, ssc: Any) -> int: ...

    def start(self, ssc: Any, first_ms: int) -> None:
        """Start the context; its first batch will be at ``first_ms``."""

    def tick(self, ssc: Any, timeout: float) -> BaseException | None:
        """Run the next batch; the error if it could not be generated.

        Raises BatchTimeout, and StopIteration if the context is no longer running.
        """

    def stop(self, ssc: Any) -> None: ...


class Legacy:
    """``pyspark.streaming`` with a clock that moves only when told to."""

    name = "legacy"

    def __init__(self) -> None:
        from pyspark.streaming import DStream, StreamingContext

        self.context, self.stream = StreamingContext, DStream
        self._real = {
            name: getattr(StreamingContext, name) for name in ("start", "stop", "queueStream")
        }
        self._foreach = DStream.foreachRDD
        self._known_error: int | None = None

    def feed(self, ssc: Any, batches: Sequence[Partitions]) -> Any:
        rdds = [rdd_of(ssc._sc, partitions) for partitions in batches]
        return self._real["queueStream"](ssc, rdds or [rdd_of(ssc._sc, [])])

    def interval_ms(self, ssc: Any) -> int:
        return int(ssc._jssc.ssc().graph().batchDuration().milliseconds())

    def start(self, ssc: Any, first_ms: int) -> None:
        # Jobs run one by one in the order of registration, so this one says that a batch is over.
        self._foreach(self.feed(ssc, [[]]), batch_over)
        OVER.clear()
        self._known_error = None
        self._clock(ssc).setTime(first_ms - self.interval_ms(ssc))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._real["start"](ssc)

    def tick(self, ssc: Any, timeout: float) -> BaseException | None:
        OVER.clear()
        self._clock(ssc).advance(self.interval_ms(ssc))
        deadline = time.monotonic() + timeout
        while not OVER.wait(_POLL):
            error = self._generation_error(ssc)
            if error is not None:
                return error
            if str(ssc._jssc.getState().toString()) == "STOPPED":
                raise StopIteration
            if time.monotonic() > deadline:
                raise BatchTimeout
        return None

    def stop(self, ssc: Any) -> None:
        self._real["stop"](ssc, stopSparkContext=False)

    def _clock(self, ssc: Any) -> Any:
        return ssc._jssc.ssc().scheduler().clock()

    def _generation_error(self, ssc: Any) -> BaseException | None:
        """A new error that kept a batch from being generated; there is no event for it."""
        try:
            ssc._jssc.awaitTerminationOrTimeout(0)
        except Exception as error:
            origin = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
            if origin is None:
                raise
            if origin.hashCode() != self._known_error:
                self._known_error = origin.hashCode()
                stack = ssc._jvm.org.apache.spark.util.Utils.exceptionString(origin)
                # Outputs that fail report here, too, but then the batch goes on to its end.
                if "scheduler.JobGenerator" in stack:
                    return error
        return None


OVER = threading.Event()


def batch_over(moment: Any, rdd: Any) -> None:
    """The last output of every batch. By name, so that a checkpoint can hold it."""
    from dstream_parity.verify.child import engines

    engines.OVER.set()


def rdd_of(sc: Any, partitions: Partitions) -> Any:
    """An RDD of exactly these partitions. All have the same serializer, so that unions work."""
    whole = sc.parallelize(partitions, len(partitions)) if partitions else sc.emptyRDD()
    return whole.mapPartitions(chain.from_iterable)


def _failures(texts: list[str]) -> Any:
    """What notes the batches of our engine that failed as a whole."""
    from dstream_compat.engine.reports import Reports

    class Failures(Reports):
        def failed(self, tick: int, text: str) -> None:
            texts.append(text)

    return Failures()


class Ours:
    """``dstream_compat``, its ticks logged by hand."""

    name = "dstream_compat"

    def __init__(self) -> None:
        from dstream_compat.context import StreamingContext
        from dstream_compat.dstream import DStream

        self.context, self.stream = StreamingContext, DStream
        self._real = {name: getattr(StreamingContext, name) for name in ("start", "stop")}
        self._failed: list[str] = []

    def feed(self, ssc: Any, batches: Sequence[Partitions]) -> Any:
        from dstream_compat.graph.specs import PartitionedSpec

        spec = PartitionedSpec(tuple(tuple(map(tuple, batch)) for batch in batches))
        return ssc._input("input", spec)

    def interval_ms(self, ssc: Any) -> int:
        return int(ssc._interval_ms)

    def start(self, ssc: Any, first_ms: int) -> None:
        from dstream_compat.input.clock import CLOCK, ManualClock

        ssc._sc.__dict__[CLOCK] = ManualClock(first_ms - ssc._interval_ms)
        ssc._report_to(_failures(self._failed))
        self._real["start"](ssc)

    def tick(self, ssc: Any, timeout: float) -> BaseException | None:
        self._failed.clear()
        try:
            ssc._engine.tick_by_hand(1, timeout)
        except TimeoutError:
            raise BatchTimeout from None
        return RuntimeError(self._failed[0]) if self._failed else None

    def stop(self, ssc: Any) -> None:
        self._real["stop"](ssc, stopSparkContext=False)
