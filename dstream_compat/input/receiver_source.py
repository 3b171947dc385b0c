"""The input source that runs a receiver in the driver process."""

from __future__ import annotations

import logging
import pickle
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from dstream_compat.input.blocks import BlockStore, DirectoryBlockStore
from dstream_compat.input.rate import RateLimiter
from dstream_compat.input.receiver import Receiver
from dstream_compat.input.source import InputSource
from dstream_compat.stages.chunks import pickle_chunks, pickle_portably
from dstream_compat.stages.partitions import Batch, Data, InputInfo, Partition, Stored

_log = logging.getLogger(__name__)

T = TypeVar("T")

_STOP_SECONDS = 10.0  # legacy: how long a stopping context waits for its receivers
_START_SECONDS = 1.0  # an onStart that takes longer is taken to block
_PLAIN = frozenset({str, bytes, int, float, bool, type(None)})


@dataclass(frozen=True)
class _Request:
    message: str
    error: BaseException | None
    restart_after_ms: int | None  # None: never


class ReceiverSource(InputSource):
    """An input source fed by a receiver.

    ``on_event`` gets "started", "stopped" or "error" and what a listener may know of a receiver;
    it is called from several threads. The source has three threads: one calls ``onStart``, one
    supervises it, and one cuts stored elements into blocks.
    """

    adapts = True

    def __init__(
        self,
        receiver: Receiver,
        stream_id: int,
        *,
        store: BlockStore,
        block_interval_ms: int = 200,
        restart_delay_ms: int = 2000,
        max_rate: float | None = None,
        initial_rate: float | None = None,
        on_event: Callable[[str, dict[str, Any]], None],
        name: str | None = None,
    ) -> None:
        if block_interval_ms <= 0:
            raise ValueError(f"The block interval must be positive, not {block_interval_ms} ms.")
        self.stream_id = stream_id
        self.name = name or f"{type(receiver).__name__}-{stream_id}"
        self.state = "initialized"
        self._receiver = receiver
        self._store = store
        self._interval = block_interval_ms / 1000
        self._restart_delay_ms = restart_delay_ms
        self._on_event = on_event
        self._changed = threading.Condition()  # guards everything below
        self._buffer: list[Any] = []  # the block under construction
        self._pending: list[Partition] = []
        self._request: _Request | None = None
        self._receiving = False  # onStart has not returned
        self._closed = False  # nothing more is accepted
        self._last_error = ("", "", -1)
        self._finished = threading.Event()  # stopped and not to be restarted
        self._no_more_cuts = threading.Event()
        self._putting = threading.Lock()  # blocks reach the store and _pending in the same order
        self._store_failing = False
        self._limiter = RateLimiter(initial_rate, max_rate, stopped=self._finished)
        self._supervisor = self._thread(self._supervise, "supervisor")
        self._cutter = self._thread(self._keep_cutting, "blocks")
        receiver.attach(self)

    # What the generator calls.

    def start(self, zero_time: int) -> None:
        self._cutter.start()
        self._supervisor.start()

    def take(self, tick: int) -> Batch:
        with self._changed:
            blocks, self._pending = tuple(self._pending), []
        return Batch(blocks, InputInfo(records=sum(_records(block) for block in blocks)))

    def recover(self, history: Iterable[tuple[int, Batch]]) -> None:
        """Queue the blocks that no batch of ``history`` refers to.

        So a block must be deleted from the store before its batch leaves the history.
        """
        batches = [batch.partitions for _, batch in history]
        with self._changed:
            used = {p.path for ps in (*batches, self._pending) for p in ps if isinstance(p, Stored)}
            self._pending[:0] = self._store.pending(self.stream_id, used)

    def stop(self) -> None:
        """Stop the receiver, waiting for it at most ten seconds; what it stored stays pending."""
        self.finish("Stopped by driver", None)
        until = time.monotonic() + _STOP_SECONDS
        if self._supervisor.is_alive() and self._supervisor is not threading.current_thread():
            self._supervisor.join(_STOP_SECONDS)
        with self._changed:
            left = max(0.0, until - time.monotonic())
            if not self._changed.wait_for(lambda: not self._receiving, left):
                _log.warning("Receiver %s is still running after it was stopped.", self.name)
            self._closed = True
        self._no_more_cuts.set()
        if self._cutter.is_alive():
            self._cutter.join()
        self._cut(last=True)

    @property
    def durable(self) -> bool:
        """Whether stored blocks survive the process."""
        return isinstance(self._store, DirectoryBlockStore)

    def drained(self) -> bool:
        """Whether every block was taken."""
        with self._changed:
            return not self._pending

    def update_rate(self, rate: float) -> None:
        # legacy: rates are whole numbers, and a rate of zero is ignored
        self._limiter.update(int(rate))

    # What the receiver calls, from any thread.

    def add(self, item: Any) -> None:
        kept = _own_copy(item)
        self._limiter.acquire()
        with self._changed:
            if not self._closed:
                self._buffer.append(kept)

    def paced(self, groups: Iterable[Sequence[T]]) -> Iterator[list[T]]:
        """Joins ``groups`` to blocks, no faster than the rate limit allows; ends at a stop.

        For receivers that store blocks, as ``add`` is for those that store elements. Groups are
        not split.
        """
        block: list[T] = []
        began = time.monotonic()
        for group in groups:
            if not all(self._limiter.acquire() for _ in group):
                return
            block += group
            if self._limiter.rate is not None and time.monotonic() - began >= self._interval:
                yield block
                block, began = [], time.monotonic()
        if block:
            yield block

    def add_block(self, items: Iterable[Any]) -> bool:
        """Store a block; False if there was nothing to store, or the source is closed."""
        elements = list(items)
        try:
            chunks = pickle_chunks(elements)
        except Exception as error:
            raise _unpicklable(error, "one of the elements") from error
        with self._putting:
            if not elements or self._closed:
                return False
            block = self._store.put(self.stream_id, chunks, len(elements))
            with self._changed:
                self._pending.append(block)
            return True

    def restart(self, message: str, error: BaseException | None, delay_ms: int | None) -> None:
        delay_ms = self._restart_delay_ms if delay_ms is None else delay_ms
        message = f"Restarting receiver with delay {delay_ms}ms: {message}"
        self._ask(_Request(message, error, delay_ms))

    def finish(self, message: str, error: BaseException | None) -> None:
        self._finished.set()
        self._ask(_Request(message, error, None))

    def report_error(self, message: str, error: BaseException | None) -> None:
        with self._changed:
            # legacy: a reported error keeps the time of the one before
            self._last_error = (message, _text(error), self._last_error[2])
        self._post("error")

    # The supervisor.

    def _ask(self, request: _Request) -> None:
        with self._changed:
            # a stopped receiver needs no second stop, and one restart is enough
            if self.state == "started":
                self._request = request
            if self.state == "started" or request.restart_after_ms is None:
                self.state = "stopped"
            self._changed.notify_all()

    def _supervise(self) -> None:
        while (request := self._run_once()) is not None and request.restart_after_ms is not None:
            self._finished.wait(request.restart_after_ms / 1000)
            with self._changed:
                # two onStart at once would receive everything twice
                self._changed.wait_for(lambda: not self._receiving or self._finished.is_set())
        with self._changed:
            self._closed = True

    def _run_once(self) -> _Request | None:
        """Start the receiver and stop it on request; None if it may no longer start."""
        with self._changed:
            if self._finished.is_set():
                return None
            self.state, self._request, self._receiving = "started", None, True
            self._last_error = ("", "", -1)
        self._post("started")
        started_by = time.monotonic() + _START_SECONDS
        self._thread(self._receive, "receiver").start()
        with self._changed:
            self._changed.wait_for(lambda: self._request is not None)
            request = self._request
            # onStop may rely on onStart having returned, unless onStart blocks
            left = max(0.0, started_by - time.monotonic())
            self._changed.wait_for(lambda: not self._receiving, left)
        assert request is not None
        quiet = request.restart_after_ms is None and request.error is None
        _log.log(logging.INFO if quiet else logging.WARNING, "%s: %s", self.name, request.message)
        try:
            self._receiver.onStop()
        except Exception:
            _log.exception("Error stopping receiver %s", self.name)
        when = -1 if request.error is None else int(time.time() * 1000)
        with self._changed:
            self._last_error = (request.message, _text(request.error), when)
        self._post("stopped")
        return request

    def _receive(self) -> None:
        try:
            self._receiver.onStart()
        except BaseException as error:
            self.restart(f"Error starting receiver {self.stream_id}", error, None)
        finally:
            with self._changed:
                self._receiving = False
                self._changed.notify_all()

    def _post(self, event: str) -> None:
        with self._changed:
            message, error, when = self._last_error
            active = self.state == "started" if event == "error" else event == "started"
        fields: dict[str, Any] = {
            "stream_id": self.stream_id,
            "name": self.name,
            "active": active,
            "location": socket.gethostname(),
            "executor_id": "driver",
            "last_error_message": message,
            "last_error": error,
            "last_error_time": when,
        }
        try:
            self._on_event(event, fields)
        except Exception:
            _log.exception("Reporting a receiver's event failed")

    # The blocks.

    def _keep_cutting(self) -> None:
        # legacy: blocks are cut at multiples of the interval since the epoch.
        while not self._no_more_cuts.wait(self._interval - time.time() % self._interval):
            self._cut()

    def _cut(self, last: bool = False) -> None:
        """Make a block of the elements stored since the last cut."""
        failure: Exception | None = None
        with self._putting:
            with self._changed:
                elements, self._buffer = self._buffer, []
            if not elements:
                return
            chunks = pickle_chunks(elements)
            block: Partition = Data(chunks, len(elements))  # the last resort
            try:
                block = self._store.put(self.stream_id, chunks, len(elements))
            except Exception as error:
                failure = error
            with self._changed:
                if failure is None or last:
                    self._pending.append(block)
                else:  # the next cut tries again
                    self._buffer[:0] = elements
        if failure is not None and not self._store_failing:
            self.report_error("Error in block pushing thread", failure)
        self._store_failing = failure is not None

    def _thread(self, target: Callable[[], None], role: str) -> threading.Thread:
        return threading.Thread(target=target, name=f"{self.name} {role}", daemon=True)


def _own_copy(item: Any) -> Any:
    """A picklable copy of the element as it is now: its receiver may change it later."""
    if type(item) in _PLAIN:
        return item
    if type(item) is tuple and all(type(part) in _PLAIN for part in item):
        return item
    try:
        return pickle.loads(pickle_portably(item))
    except Exception as error:
        raise _unpicklable(error, f"an element of type {type(item).__name__}") from error


def _unpicklable(error: Exception, what: str) -> TypeError:
    return TypeError(f"A receiver can only store what can be pickled, and {what} cannot: {error}")


def _records(block: Partition) -> int:
    return block.records if isinstance(block, Data | Stored) else 0


def _text(error: BaseException | None) -> str:
    return "" if error is None else "".join(traceback.format_exception(error))
