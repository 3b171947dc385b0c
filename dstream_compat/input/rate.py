"""Limits how fast a receiver takes in data: the limiter, and the controller that sets its rate."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_BURST_SECONDS = 1.0  # how much an idle receiver may save up


class RateLimiter:
    """Grants one permit per element, at most ``rate`` a second; None means no limit.

    A permit is given at once and paid for by the next one, and up to a second's worth of unused
    permits is saved, so a burst after a pause passes. ``max_rate`` caps every rate ever set; zero
    or less means no cap. Setting ``stopped`` releases all waiting threads.
    """

    def __init__(
        self,
        rate: float | None = None,
        max_rate: float | None = None,
        *,
        stopped: threading.Event | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stopped = stopped if stopped is not None else threading.Event()
        self._clock = clock
        self._lock = threading.Lock()
        self._max_rate = max_rate if max_rate is not None and max_rate > 0 else None
        self._rate: float | None = None
        self._saved = 0.0
        self._next_free = clock()
        if rate is not None and rate > 0:
            self.update(rate)
        elif self._max_rate is not None:
            self.update(self._max_rate)

    @property
    def rate(self) -> float | None:
        """Permits per second; None if there is no limit."""
        return self._rate

    def update(self, rate: float) -> None:
        """Set the rate; zero or less changes nothing. Threads already waiting are not affected."""
        if rate <= 0:
            return
        with self._lock:
            self._save_up()
            capped = rate if self._max_rate is None else min(rate, self._max_rate)
            # what is saved stays the same fraction of a second
            self._saved *= capped / self._rate if self._rate else 0.0
            self._rate = capped

    def acquire(self) -> bool:
        """Wait for a permit; False as soon as ``stopped`` is set."""
        if self._rate is None:
            return not self._stopped.is_set()
        with self._lock:
            self._save_up()
            due = self._next_free
            from_saved = min(1.0, self._saved)
            self._saved -= from_saved
            self._next_free += (1.0 - from_saved) / self._rate
        while (left := due - self._clock()) > 0:
            if self._stopped.wait(left):
                break
        return not self._stopped.is_set()

    def _save_up(self) -> None:
        now = self._clock()
        if now > self._next_free:
            if self._rate is not None:
                gained = (now - self._next_free) * self._rate
                self._saved = min(_BURST_SECONDS * self._rate, self._saved + gained)
            self._next_free = now


class PIDRateEstimator:
    """Estimates from finished batches how many elements a second the job can take.

    A PID controller: the error is how far the last estimate was above the measured processing
    rate; its integral follows from the scheduling delay.
    """

    def __init__(
        self,
        batch_interval_ms: int,
        proportional: float = 1.0,
        integral: float = 0.2,
        derivative: float = 0.0,
        min_rate: float = 100.0,
    ) -> None:
        if batch_interval_ms <= 0:
            raise ValueError(f"The batch interval must be positive, not {batch_interval_ms} ms.")
        terms = {"proportional": proportional, "integral": integral, "derivative": derivative}
        for term, value in terms.items():
            if value < 0:
                raise ValueError(f"The {term} term of the rate estimator is negative: {value}.")
        if min_rate <= 0:
            raise ValueError(f"The minimum rate must be positive, not {min_rate}.")
        self._interval = batch_interval_ms
        self._proportional = proportional
        self._integral = integral
        self._derivative = derivative
        self._min_rate = min_rate
        self._lock = threading.Lock()
        self._last_time = -1
        self._last: tuple[float, float] | None = None  # rate, error; None before the first batch

    def compute(
        self,
        time_ms: int,
        num_elements: int,
        processing_delay_ms: int,
        scheduling_delay_ms: int,
    ) -> float | None:
        """The new rate after a batch that finished at ``time_ms``; None if there is none yet.

        legacy: batches that are late, empty or took no time are ignored, and the first of the
        others only sets the scale.
        """
        with self._lock:
            if time_ms <= self._last_time or num_elements <= 0 or processing_delay_ms <= 0:
                return None
            measured = num_elements / processing_delay_ms * 1000
            seconds = (time_ms - self._last_time) / 1000
            self._last_time = time_ms
            if self._last is None:
                self._last = (measured, 0.0)
                return None
            rate, last_error = self._last
            error = rate - measured
            backlog = scheduling_delay_ms * measured / self._interval
            change = (error - last_error) / seconds
            rate -= self._proportional * error
            rate -= self._integral * backlog
            rate -= self._derivative * change
            rate = max(rate, self._min_rate)
            self._last = (rate, error)
            return rate
