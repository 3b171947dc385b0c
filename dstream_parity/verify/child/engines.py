"""The two engines as a run drives them: fed, started, one batch at a time, stopped."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from dstream_parity.engines.rdds import rdd_of
from dstream_parity.verify.inputs.feeds import Partitions

if TYPE_CHECKING:
    from dstream_parity.engines.legacy_driver import LegacyDriver


class DrivenEngine(Protocol):
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

        Raises TimeoutError, and ContextStopped if the context is no longer running.
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
        self._driver: LegacyDriver | None = None

    def feed(self, ssc: Any, batches: Sequence[Partitions]) -> Any:
        rdds = [rdd_of(ssc._sc, partitions) for partitions in batches]
        return self._real["queueStream"](ssc, rdds or [rdd_of(ssc._sc, [])])

    def interval_ms(self, ssc: Any) -> int:
        return int(ssc._jssc.ssc().graph().batchDuration().milliseconds())

    def start(self, ssc: Any, first_ms: int) -> None:
        from dstream_parity.engines.legacy_driver import LegacyDriver, clock_of

        before = first_ms - self.interval_ms(ssc)
        self._driver = LegacyDriver(self.interval_ms(ssc))
        self._foreach(self.feed(ssc, [[]]), self._driver.output)  # after all others
        clock_of(ssc).setTime(before)
        self._driver.take_over(ssc, before)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._real["start"](ssc)

    def tick(self, ssc: Any, timeout: float) -> BaseException | None:
        assert self._driver is not None
        return self._driver.tick(timeout)

    def stop(self, ssc: Any) -> None:
        self._real["stop"](ssc, stopSparkContext=False)


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
        ssc._engine.tick_by_hand(1, timeout)
        return RuntimeError(self._failed[0]) if self._failed else None

    def stop(self, ssc: Any) -> None:
        self._real["stop"](ssc, stopSparkContext=False)
