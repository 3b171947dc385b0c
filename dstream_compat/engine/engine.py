"""A running job, from start to stop.

The way of a tick: ``Generator.tick_now`` takes each input's share, ``PhaseLog.submit`` logs them as
one entry, ``LogServer`` gives it to Spark's planner as tasks, executors run the stages, and
``Sink`` runs the outputs. When Spark has committed the batch, ``Retention`` forgets its input.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import ExitStack
from typing import Any

from dstream_compat.base.errors import StreamingError, job_error, spark_error
from dstream_compat.base.pyspark_internals import setting
from dstream_compat.base.settings import flag, time_ms
from dstream_compat.engine.metrics import StateMetrics
from dstream_compat.engine.request import StartRequest
from dstream_compat.engine.shutdown import ShutdownHook
from dstream_compat.engine.slicing import slice_rdds
from dstream_compat.engine.wiring import Parts, make_parts
from dstream_compat.graph.nodes import Node, call_site, has_state
from dstream_compat.input.clock import ManualClock

_GRACE = 2.0  # legacy: seconds that a stop leaves to running outputs


class Engine:
    """Everything that exists only while a context runs. Made by ``StreamingContext.start``."""

    def __init__(self, request: StartRequest) -> None:
        self.site = " " + call_site("start")
        self._request = request
        self._ended = threading.Event()
        self._error: StreamingError | None = None
        self._stopping = threading.Lock()
        self._stopper: threading.Thread | None = None
        _use_this_python(request.sc)
        with ExitStack() as undo:
            self.parts: Parts = make_parts(request, self._job_failed, undo)
            self._clean_up = undo.pop_all()

    # -- start ---------------------------------------------------------------------------------

    def start(self) -> None:
        try:
            self._start()
        except BaseException:
            self._abandon()
            self._clean_up.close()
            raise

    def _start(self) -> None:
        """The steps of a start."""
        parts = self.parts
        last = max((entry.tick for _, entry in parts.log.items()), default=None)
        if last is None:
            parts.query.start()
            first = self._begin_grid(None)  # starting a query takes seconds in a fresh JVM
        else:
            first = self._begin_grid(last)  # logged batches run as soon as the query is up
            parts.query.start()
        self._announce_waiting()
        for source in parts.sources.values():
            source.start(parts.grid.zero)
        parts.generator.start(first)
        self._install_shutdown_hook()
        parts.progress.streaming_started(parts.clock.now_ms())
        threading.Thread(target=self._watch, name="dstream-watch", daemon=True).start()

    def _begin_grid(self, last: int | None) -> int:
        """The first tick of this run, after the ``last`` one of an earlier run."""
        parts = self.parts
        first = parts.grid.next_tick(last, parts.clock.now_ms())
        parts.grid.begin(parts.checkpoint.zero_time(first - parts.setup.interval_ms))
        return first

    def _announce_waiting(self) -> None:
        """Batches that an earlier run logged and did not run count as submitted."""
        for number, entry in self.parts.log.items():
            if number > self.parts.query.committed and entry.phase == 0:
                self.parts.progress.submitted(entry)

    def _install_shutdown_hook(self) -> None:
        if flag(self.parts.setup.conf, "spark.streaming.stopGracefullyOnShutdown"):
            limit = 2 * self._grace_ms() / 1000.0
            hook = ShutdownHook(self._request.sc, self._shut_down, max(30.0, limit))
            self._clean_up.callback(hook.remove)

    def _abandon(self) -> None:
        """Stop what a failed start has started already."""
        self.parts.generator.freeze()
        for source in self.parts.sources.values():
            source.stop()
        self.parts.query.abandon()

    # -- while it runs -------------------------------------------------------------------------

    def wait(self, timeout: float | None) -> bool:
        """True when the context has stopped; raises the latest error of a batch."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = 0.1 if deadline is None else min(0.1, max(0.0, deadline - time.monotonic()))
            ended = self._error is None and self._ended.wait(left)
            if self._error is not None:  # also one of the last moment
                raise self._error
            if ended:
                return True
            if deadline is not None and time.monotonic() >= deadline:
                return False

    def in_output(self) -> bool:
        """Whether the caller is an output operation of this job."""
        return self.parts.abort.in_output()

    def state_metrics(self) -> list[StateMetrics]:
        return self.parts.usage.metrics()

    def slice(self, node: Node, begin_ms: int, end_ms: int) -> list[Any]:
        parts = self.parts
        begin, end = (parts.grid.floor(ms) for ms in (begin_ms, end_ms))
        if has_state(node):
            return parts.remembered.between(parts.setup.phases.nodes.get(node, node), begin, end)
        zero = parts.grid.zero
        entries = [entry for _, entry in parts.log.items() if entry.phase == 0]
        covered = [entry for entry in entries if max(begin, zero + 1) <= entry.tick <= end]
        return slice_rdds(self._request.sc, node, covered, zero)

    def log_by_hand(self, ticks: int = 1) -> None:
        """For replays: log some ticks at once, whatever the clock says."""
        with self.parts.phase_log.together():
            for _ in range(ticks):
                self.parts.generator.tick_now()

    def tick_by_hand(self, ticks: int, timeout: float) -> None:
        """For replays: log some ticks at once and wait until their outputs have run."""
        self.log_by_hand(ticks)
        self.parts.query.wait_done(timeout)

    def _job_failed(self, text: str) -> None:
        self._error = job_error(text)
        if flag(self.parts.setup.conf, "spark.dstream_compat.stopOnError"):
            self.ask_to_stop()

    def _watch(self) -> None:
        """If the query ends by itself, which it should not, the context ends with its error."""
        reason = self.parts.query.wait()
        if reason is not None and not self.parts.abort.requested:
            self._error = spark_error(reason, "awaitTermination")
            self.ask_to_stop()

    # -- stop ----------------------------------------------------------------------------------

    def stop(self, gracefully: bool) -> None:
        """The steps of a stop."""
        with self._stopping:
            if self._ended.is_set():
                return
            self._stop_input(gracefully)
            self._finish_batches(gracefully)
            self.parts.query.stop()
            self._tell_committed()
            self._request.bus.stop(1.0)
            self._ended.set()
            self._clean_up.close()

    def ask_to_stop(self, stop_spark: bool = False, at_once: bool = False) -> None:
        """Stop in another thread, so that the caller (an output, for one) can return.

        legacy: when an output stops the context, no other runs after it (``at_once``).
        """

        def stop() -> None:
            self.stop(gracefully=False)
            if stop_spark:
                self._request.sc.stop()

        self._request.mark_stopped()
        if at_once:
            self.parts.abort.request()
        if self._stopper is None:
            self.parts.generator.freeze()
            self._stopper = threading.Thread(target=stop, name="dstream-stopper", daemon=True)
            self._stopper.start()

    def _shut_down(self) -> None:
        self._request.mark_stopped()
        self.stop(gracefully=True)

    def _stop_input(self, gracefully: bool) -> None:
        """No more ticks. Gracefully: after those that take what was received."""
        generator, sources = self.parts.generator, self.parts.sources.values()
        for source in sources:
            source.interrupt()
        if not gracefully:
            generator.stop()
        for source in sources:
            source.stop()
        if not gracefully:
            return
        if isinstance(self.parts.clock, ManualClock):  # nothing will advance it
            generator.stop()
            if not all(source.drained() for source in sources):
                generator.tick_now()
        else:
            generator.finish(self._grace_ms() / 1000.0)

    def _finish_batches(self, gracefully: bool) -> None:
        """Let what is logged be processed: all of it, or as much as two seconds allow."""
        seconds = 3600.0 if gracefully else _GRACE
        if self.parts.abort.requested:
            self.parts.abort.wait_idle(seconds)
        elif not self.parts.query.drain(seconds):
            self.parts.abort.request()

    def _tell_committed(self) -> None:
        """Sources hear of the last batch here: no later one will tell them."""
        done = self.parts.checkpoint.committed()
        if any(number == done for number, _ in self.parts.log.items()):
            self.parts.retention.tell_sources(done)

    def _grace_ms(self) -> int:
        setup = self.parts.setup
        return time_ms(setup.conf, "spark.streaming.gracefulStopTimeout", 10 * setup.interval_ms)


def _use_this_python(sc: Any) -> None:
    """Workers on this machine run the driver's Python, unless the user has named another one.

    Spark's default is whatever ``python3`` comes first on the path, virtual environment or not.
    """
    named = "PYSPARK_PYTHON" in os.environ or setting(sc, "spark.pyspark.python")
    if not named and str(sc.master).startswith("local"):
        sc.pythonExec = sys.executable
