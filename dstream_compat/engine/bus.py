"""The thread that calls listeners."""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import Any

from dstream_compat.engine.events import Event

logger = logging.getLogger(__name__)


class ListenerBus:
    """Delivers events to listeners on one daemon thread, in the order they were posted.

    ``post`` never waits for a listener. What a listener raises is logged; the other listeners and
    later events are not affected. The thread starts with the first event that has a listener.
    """

    def __init__(self) -> None:
        self._listeners: tuple[Any, ...] = ()
        self._queue: deque[Event] = deque()
        self._wake = threading.Condition()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def add(self, listener: Any) -> None:
        """Deliver to ``listener``, too, from now on. Any object with the nine methods will do."""
        with self._wake:
            self._listeners += (listener,)

    def post(self, event: Event) -> None:
        """Queue ``event`` for all listeners; dropped after ``stop``."""
        with self._wake:
            if self._stopping or not self._listeners:
                return
            self._queue.append(event)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="streaming-listener-bus", daemon=True
                )
                self._thread.start()
            self._wake.notify_all()

    def stop(self, timeout: float | None = None) -> bool:
        """Deliver what is queued, then nothing more; True if all was delivered within ``timeout``.

        A callback still running after ``timeout`` seconds is left to end by itself, and what was
        queued after it is dropped. Called from a callback, it does not wait.
        """
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
            thread = self._thread
        if thread is None or self.in_bus_thread():
            return True
        thread.join(timeout)
        with self._wake:
            self._queue.clear()
        return not thread.is_alive()

    def in_bus_thread(self) -> bool:
        """Whether the caller is a listener's callback."""
        return threading.current_thread() is self._thread

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._queue or self._stopping)
                if not self._queue:
                    return
                event, listeners = self._queue.popleft(), self._listeners
            for listener in listeners:
                try:
                    getattr(listener, event.callback)(event)
                except BaseException:  # sys.exit() in a callback must not end the bus either
                    logger.exception("A StreamingListener raised in %s", event.callback)
