"""The input log of a job whose ticks may have several phases."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dstream_compat.engine.rdds import packed_partitions
from dstream_compat.input.log import InputLog, LogEntry
from dstream_compat.stages.partitions import Batch


class PhaseLog:
    """Logs ticks in order: the next one follows the last phase of the one before it.

    ``first`` is the entry after which this job's own begin. ``submitted`` is called with
    every new tick, even if the tick has to wait.
    """

    def __init__(
        self, log: InputLog, last_phase: int, first: int, submitted: Callable[[LogEntry], None]
    ) -> None:
        self._log = log
        self._last_phase = last_phase
        self._first = first
        self._submitted = submitted
        self._backlog: list[LogEntry] = []
        self._accepted: int | None = None  # the latest tick of the generator
        self._ordering = threading.RLock()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Ticks submitted in here become visible at once: one micro-batch can cover them."""
        with self._ordering, self._log.together():
            yield

    def submit(self, tick: int, batches: Mapping[int, Batch]) -> None:
        """A new tick. If this raises, call it again with the same tick: nothing is lost."""
        with self._ordering:
            if tick != self._accepted:  # else: this is another attempt to log it
                self._accepted = tick
                entry = LogEntry(tick, _now(), batches)
                self._submitted(entry)
                self._backlog.append(entry)
            self._log_ready()

    def hand_over(self, tick: int, phase: int, rdds: Mapping[int, Any], failed: str) -> None:
        """Log what a phase starts from, once: the RDDs that the phase before it computed."""
        with self._ordering:
            if self._log.number_of(tick, phase):
                return  # the batch runs again after a crash: what was logged first counts
        batches = {number: Batch(packed_partitions(rdd)) for number, rdd in rdds.items()}
        with self._ordering:
            self._log.append(LogEntry(tick, _now(), batches, phase, failed))
            self._log_ready()

    def has_open_tick(self) -> bool:
        """Whether the newest tick has phases to come."""
        with self._ordering:
            return self._is_open()

    def _log_ready(self) -> None:
        while self._backlog and not self._is_open():
            self._log.append(self._backlog[0])  # may fail, and stays in the backlog then
            self._backlog.pop(0)

    def _is_open(self) -> bool:
        phase = self._log.last_phase
        # a tick from before a rebuild has no phases to come: the new job's may be others
        return phase is not None and phase < self._last_phase and self._log.last > self._first


def _now() -> int:
    return int(time.time() * 1000)
