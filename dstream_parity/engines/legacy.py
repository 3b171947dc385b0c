"""Replaying batches on the legacy engine."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Collection
from datetime import datetime
from functools import partial
from typing import Any

from pyspark import RDD, SparkContext
from pyspark.streaming import StreamingContext

from dstream_parity.base.compare import difference
from dstream_parity.base.outcomes import (
    Batches,
    Before,
    Build,
    Missing,
    Outcomes,
    Rerun,
    raised,
)
from dstream_parity.engines import ContextStopped
from dstream_parity.engines.callbacks import Output, calling
from dstream_parity.engines.legacy_driver import LegacyDriver, with_manual_clock
from dstream_parity.engines.rdds import outcome_of, rdd_of
from dstream_parity.engines.recoverable import file_inputs

_POLL = 0.05  # seconds between two looks for a checkpoint


def replay_legacy(
    build: Build,
    batches: Batches,
    *,
    sc: SparkContext,
    interval: float = 1.0,
    timeout: float = 180.0,
    restarts: Collection[int] = (),
    before: Before | None = None,
    ticks_of: Callable[[int], int] | None = None,
) -> Outcomes:
    """Run ``batches`` through ``pyspark.streaming``: one outcome per output and tick.

    ``sc`` stays alive and can be used for any number of replays, one at a time. The batch times
    are ``interval``, ``2 * interval``, … seconds after the epoch. If a batch cannot be generated
    (a transform function raises), the outcome of every output is that exception. A batch that takes
    longer than ``timeout`` seconds raises TimeoutError. ``before`` is called before each tick.

    After each number of ticks in ``restarts`` the context is stopped and restored from its
    checkpoint. The engine then runs the last batch again; if the outcome differs from the first
    one, it is a :class:`Rerun`. With restarts, input comes from files.

    Only the first ``ticks_of(number)`` ticks of an output are computed; later ones are missing.
    """
    if not batches:
        raise ValueError("a replay needs at least one batch")
    with tempfile.TemporaryDirectory(prefix="dstream-legacy-") as directory:
        replay = _Replay(round(interval * 1000), len(batches), timeout, before, ticks_of)
        ssc = with_manual_clock(sc, lambda: StreamingContext(sc, interval))  # type: ignore[arg-type]
        if restarts:
            ssc.checkpoint(os.path.join(directory, "checkpoint"))
            inputs, beat = file_inputs(ssc, os.path.join(directory, "in"), batches, interval)
        else:
            columns = zip(*batches, strict=True)
            inputs = [ssc.queueStream([rdd_of(sc, rdd) for rdd in column]) for column in columns]
            beat = ssc.queueStream([sc.emptyRDD()])
        replay.watch(build(ssc, list(inputs)), beat, inputs)
        saved = os.path.join(directory, "checkpoint") if restarts else None
        at = 0
        for stop in [*sorted(restarts), len(batches)]:
            try:
                replay.run(ssc, at, stop, saved)
            except ContextStopped:
                break
            if stop < len(batches):
                ssc = with_manual_clock(sc, lambda: _restored(directory))
            at = stop
        return replay.outcomes


def _restored(directory: str) -> StreamingContext:
    def nothing_there() -> StreamingContext:
        raise AssertionError("the legacy engine found no checkpoint to go on from")

    return StreamingContext.getOrCreate(os.path.join(directory, "checkpoint"), nothing_there)


class _Replay:
    """The run of a pipeline, and the outcomes so far."""

    def __init__(
        self,
        interval_ms: int,
        ticks: int,
        timeout: float,
        before: Before | None,
        ticks_of: Callable[[int], int] | None,
    ) -> None:
        self._interval_ms = interval_ms
        self._ticks = ticks
        self._timeout = timeout
        self._before = before
        self._ticks_of = ticks_of
        self._driver = LegacyDriver(interval_ms)
        self._outputs: list[Output] = []  # keeps alive what a restored context calls
        self.outcomes: Outcomes = []

    def watch(self, outputs: Any, beat: Any, inputs: Any) -> None:
        """Record ``outputs``; ``beat`` is a stream that has a batch at every tick."""
        self.outcomes = [[Missing()] * self._ticks for _ in outputs]
        self._outputs = [calling(partial(self._record, number)) for number in range(len(outputs))]
        for stream, output in zip(outputs, self._outputs, strict=True):
            stream.foreachRDD(output)
        for stream in inputs:  # a queue keeps a batch that no output asks for
            stream.foreachRDD(_asked_for)
        beat.foreachRDD(self._driver.output)

    def _record(self, number: int, batch_time: datetime, rdd: RDD[Any]) -> None:
        tick = round(batch_time.timestamp() * 1000) // self._interval_ms - 1
        if self._ticks_of is not None and tick >= self._ticks_of(number):
            return  # looking costs a Spark job
        outcome = outcome_of(rdd)
        known = self.outcomes[number][tick]
        if isinstance(known, Missing):
            self.outcomes[number][tick] = outcome
        elif difference([[known]], [[outcome]]) is not None:
            assert not isinstance(known, Rerun)
            self.outcomes[number][tick] = Rerun(known, outcome)

    def run(self, ssc: StreamingContext, start: int, stop: int, checkpoint: str | None) -> None:
        """Start, let the ticks from ``start`` to ``stop`` pass, stop."""
        try:
            self._driver.take_over(ssc, start * self._interval_ms)
            written = self._written(checkpoint, start)
            ssc.start()
            if start:  # the engine runs the last batch again
                self._note(start - 1, self._driver.wait)
                self._wait_saved(checkpoint, start, written)
            for tick in range(start, stop):
                if self._before is not None:
                    self._before(tick)
                self._note(tick, self._driver.tick)
                self._wait_saved(checkpoint, tick + 1)
        finally:
            ssc.stop(stopSparkContext=False)

    def _note(self, tick: int, passing: Callable[[float], Exception | None]) -> None:
        """Let a tick pass; an error that keeps its batch from being generated fails all outputs."""
        try:
            error = passing(self._timeout)
        except TimeoutError:
            raise TimeoutError(
                f"batch {tick + 1} of {self._ticks} was not over after {self._timeout:g} s"
            ) from None
        if error is not None:
            for seen in self.outcomes:
                seen[tick] = raised(error)

    def _wait_saved(
        self, checkpoint: str | None, ticks: int, written: tuple[int | None, ...] = ()
    ) -> None:
        """Wait for the checkpoint that the engine writes at the end of a batch.

        It writes one when a batch is generated and another when it is over. The latter must not
        come after the next batch has begun: it would pass for that one's. ``written``: what was
        there before.
        """
        if checkpoint is None or not self._driver.is_over():
            return
        deadline = time.monotonic() + self._timeout
        while None in (now := self._written(checkpoint, ticks)) or now == written:
            if time.monotonic() > deadline:
                raise TimeoutError(f"no checkpoint was written within {self._timeout} s")
            time.sleep(_POLL)

    def _written(self, checkpoint: str | None, ticks: int) -> tuple[int | None, ...]:
        """The two files that hold the context after so many ticks, the newer one first."""
        file = os.path.join(checkpoint or "", f"checkpoint-{ticks * self._interval_ms}")
        return tuple(
            os.stat(name).st_ino if os.path.exists(name) else None for name in (file, file + ".bk")
        )


def _asked_for(rdd: RDD[Any]) -> None:
    """An output that computes nothing."""
