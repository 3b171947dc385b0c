"""Ending a micro-batch between two outputs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dstream_compat.base.errors import Interrupted

_QUERY_SECONDS = 10.0  # until Spark must have noticed that the query is being stopped


class Abort:
    """Tells the thread that runs outputs to run no further one, and knows which thread that is."""

    def __init__(self) -> None:
        self._requested = threading.Event()
        self._idle = threading.Event()  # after a request: the last output has returned
        self._query_stopped = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Around a micro-batch, in the thread that runs its outputs."""
        self._thread = threading.current_thread()
        try:
            self.check()
            yield
        finally:
            self._thread = None
            if self.requested:
                self._idle.set()

    def check(self) -> None:
        """Called between outputs: ends the micro-batch if that was requested."""
        if self.requested:
            self._idle.set()
            self._query_stopped.wait(_QUERY_SECONDS)
            raise Interrupted from None

    def request(self) -> None:
        self._requested.set()

    @property
    def requested(self) -> bool:
        return self._requested.is_set()

    def wait_idle(self, seconds: float) -> None:
        """After a request: wait until no output is running."""
        self._idle.wait(seconds)

    def query_stopped(self) -> None:
        """Spark knows that the query is being stopped, so an error is not a failure."""
        self._query_stopped.set()

    def in_output(self) -> bool:
        """Whether the caller is an output operation."""
        return self._thread is threading.current_thread()
