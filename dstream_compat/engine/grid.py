"""The batch times of a job."""

from __future__ import annotations


class Grid:
    """Times one interval apart, counted from the zero time: that of the batch before the first one.

    The zero time is set once, by :meth:`begin`. A new job sets it only when its query is up, since
    starting a query takes seconds in a fresh JVM; no batch exists before that.
    """

    def __init__(self, interval_ms: int) -> None:
        self.interval_ms = interval_ms
        self._zero: int | None = None

    def begin(self, zero_ms: int) -> None:
        self._zero = zero_ms

    @property
    def zero(self) -> int:
        if self._zero is None:
            raise RuntimeError("the first batch time is not known yet")
        return self._zero

    def next_tick(self, last: int | None, now_ms: int) -> int:
        """The tick after ``last``, so that a restart makes up for missed ones; else the next one.

        legacy: the first batch is at the next full interval since the epoch, never right now.

        >>> Grid(1000).next_tick(None, 5000), Grid(1000).next_tick(2500, 5000)
        (6000, 3500)
        """
        before = now_ms // self.interval_ms * self.interval_ms if last is None else last
        return before + self.interval_ms

    def since_zero(self, tick: int) -> int:
        return tick - self.zero

    def due(self, tick: int, slide_ms: int) -> bool:
        """Whether a stream that slides by ``slide_ms`` has a batch at ``tick``."""
        return self.since_zero(tick) % slide_ms == 0

    def floor(self, ms: int) -> int:
        """legacy: a time between two batches counts as the earlier one."""
        return self.zero + self.since_zero(ms) // self.interval_ms * self.interval_ms
