"""The clock that ticks batches: the machine's, or one moved by hand."""

from __future__ import annotations

import threading
import time
from typing import Any, Protocol

from dstream_compat.base.pyspark_internals import setting


class Clock(Protocol):
    def now_ms(self) -> int: ...

    def wait_until(self, ms: int, stopped: threading.Event) -> bool:
        """Wait until the time ``ms``; False if ``stopped`` is set first."""


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        return int(time.time() * 1000)

    def wait_until(self, ms: int, stopped: threading.Event) -> bool:
        while (left := ms - time.time() * 1000) > 0:
            # the clock may be set back: look again rather than oversleep
            if stopped.wait(min(left / 1000.0, 1.0)):
                return False
        return not stopped.is_set()


class ManualClock:
    """A clock that stands still until it is advanced: the same batches in every run.

    >>> clock = ManualClock(1000)
    >>> clock.advance(500)
    >>> clock.now_ms()
    1500
    """

    def __init__(self, now_ms: int = 0) -> None:
        self._now = now_ms
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


CLOCK = "_dstream_compat_clock"  # where a SparkContext keeps its clock, if it has one


def clock_for(sc: Any) -> Clock:
    """The clock of a SparkContext; a manual one if ``spark.streaming.clock`` says so."""
    if CLOCK in sc.__dict__:
        given: Clock = sc.__dict__[CLOCK]
        return given
    if not (setting(sc, "spark.streaming.clock") or "").endswith("ManualClock"):
        return SystemClock()
    sc.__dict__[CLOCK] = clock = ManualClock()
    return clock
