"""The generator: one thread that logs, at every tick, what the input streams received."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from dstream_compat.input.clock import Clock
from dstream_compat.input.source import InputSource, Stopped
from dstream_compat.stages.partitions import Batch, BrokenPartition

logger = logging.getLogger(__name__)

_RETRY = 1.0  # seconds between two attempts to write the log


class Generator:
    """Ticks at ``first``, ``first + interval`` …, and never skips one, however late it is.

    ``log`` is called again for a tick that it failed to log; ``failed`` is called with the reason.
    ``asks`` says whether any output needs the batch of a source at a tick.
    """

    def __init__(
        self,
        clock: Clock,
        interval_ms: int,
        sources: Mapping[int, InputSource],
        log: Callable[[int, dict[int, Batch]], None],
        asks: Callable[[int, int], bool] = lambda source, tick: True,
        failed: Callable[[str], None] = logger.warning,
    ) -> None:
        self._clock = clock
        self._interval = interval_ms
        self._next = 0
        self._sources = sources
        self._log = log
        self._asks = asks
        self._failed = failed
        self._stopped = threading.Event()
        self._last_ticks: int | None = None
        self._thread = threading.Thread(target=self._run, name="dstream-generator", daemon=True)

    def start(self, first: int) -> None:
        self._next = first
        self._thread.start()

    def freeze(self) -> None:
        """No tick begins after this call; one may still be running."""
        self._stopped.set()

    def stop(self) -> None:
        """No tick after this call."""
        self._stopped.set()
        if threading.current_thread() is not self._thread and self._thread.ident is not None:
            self._thread.join()

    def finish(self, timeout: float) -> None:
        """legacy: a graceful stop still takes the pending tick and one more."""
        self._last_ticks = 2
        if self._thread.ident is not None:
            self._thread.join(timeout)
        self.stop()

    def _run(self) -> None:
        while self._last_ticks != 0 and self._clock.wait_until(self._next, self._stopped):
            if self._last_ticks is not None:
                self._last_ticks -= 1
            self.tick_now()

    def tick_now(self) -> None:
        """Log the next tick, whatever the clock says."""
        tick = self._next
        self._next += self._interval
        try:
            taken = {
                number: _take(source, tick)
                for number, source in self._sources.items()
                if not source.on_demand or self._asks(number, tick)
            }
        except Stopped:
            return  # a restart makes up for it
        self._write(tick, taken)

    def _write(self, tick: int, taken: dict[int, Batch]) -> None:
        """What was taken from the sources exists nowhere else: log it, however long it takes."""
        reported = False
        while True:
            try:
                return self._log(tick, taken)
            except Exception as error:  # a full disk, a file system that is away
                if not reported:
                    reported = True
                    why = f"{type(error).__name__}: {error}"
                    self._failed(f"the input of batch {tick} could not be logged yet: {why}")
            if self._stopped.wait(_RETRY):
                return  # a restart makes up for it


def _take(source: InputSource, tick: int) -> Batch:
    try:
        return source.take(tick)
    except Stopped:
        raise
    except Exception as error:  # a failing input must not stop the clock
        logger.warning("input stream failed at a batch: %s", type(error).__name__)
        return Batch((BrokenPartition(f"{type(error).__name__}: {error}"),))
