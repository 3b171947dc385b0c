"""Replaying batches on the legacy engine, with a clock that moves only when told to."""

from __future__ import annotations

import os
import tempfile
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from typing import Any

from pyspark import RDD, SparkContext
from pyspark.streaming import StreamingContext

from dstream_parity.base.compare import difference
from dstream_parity.base.outcomes import (
    Batches,
    Before,
    Build,
    Missing,
    Outcome,
    Outcomes,
    Rerun,
    Seen,
    raised,
)
from dstream_parity.engines.recoverable import file_inputs

_CLOCK = "spark.streaming.clock"
_POLL = 0.05  # seconds; only a batch that fails to be generated waits for it


def replay_legacy(
    build: Build,
    batches: Batches,
    *,
    sc: SparkContext,
    interval: float = 1.0,
    timeout: float = 180.0,
    restarts: Collection[int] = (),
    before: Before | None = None,
) -> Outcomes:
    """What ``pyspark.streaming`` makes of ``batches``: one outcome per output and tick.

    ``sc`` stays alive and can be used for any number of replays, one at a time. The batch times
    are ``interval``, ``2 * interval``, … seconds after the epoch. If a batch cannot be generated
    (a transform function raises), every output has raised in it. A batch that is not over after
    ``timeout`` seconds raises TimeoutError. ``before`` is called before each tick.

    After each number of ticks in ``restarts`` the context is stopped and restored from its
    checkpoint. Then the engine runs the last batch again; if that gives something else than it did
    the first time, its outcome is a :class:`Rerun`. Input comes from files, in this case.
    """
    if not batches:
        raise ValueError("a replay needs at least one batch")
    with tempfile.TemporaryDirectory(prefix="dstream-legacy-") as directory:
        replay = _Replay(sc, round(interval * 1000), len(batches), timeout, before)
        ssc = with_manual_clock(sc, lambda: StreamingContext(sc, interval))  # type: ignore[arg-type]
        if restarts:
            ssc.checkpoint(os.path.join(directory, "checkpoint"))
            inputs, beat = file_inputs(ssc, os.path.join(directory, "in"), batches, interval)
        else:
            columns = zip(*batches, strict=True)
            inputs = [ssc.queueStream([_rdd(sc, rdd) for rdd in column]) for column in columns]
            beat = ssc.queueStream([sc.emptyRDD()])
        replay.watch(build(ssc, list(inputs)), beat, inputs)
        with replay.listening():
            at = 0
            for stop in [*sorted(restarts), len(batches)]:
                saved = os.path.join(directory, "checkpoint") if restarts else None
                if not replay.run(ssc, at, stop, saved):
                    break  # the job stopped itself
                if stop < len(batches):
                    ssc = with_manual_clock(sc, lambda: _restored(directory))
                at = stop
        return replay.outcomes


def with_manual_clock(sc: SparkContext, make: Callable[[], StreamingContext]) -> StreamingContext:
    """A context whose clock stands still until it is advanced."""
    # The clock is chosen when the context is made, from the live configuration of the JVM.
    with _conf(sc, _CLOCK, "org.apache.spark.util.ManualClock"), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return make()


def _restored(directory: str) -> StreamingContext:
    def nothing_there() -> StreamingContext:
        raise AssertionError("the legacy engine found no checkpoint to go on from")

    return StreamingContext.getOrCreate(os.path.join(directory, "checkpoint"), nothing_there)


@contextmanager
def _conf(sc: SparkContext, key: str, value: str) -> Iterator[None]:
    conf = sc._jsc.sc().conf()
    before = conf.get(key) if conf.contains(key) else None
    conf.set(key, value)
    try:
        yield
    finally:
        if before is None:
            conf.remove(key)
        else:
            conf.set(key, before)


def _rdd(sc: SparkContext, partitions: list[list[Any]]) -> RDD[Any]:
    """An RDD of exactly these partitions. All have the same serializer, so that unions work."""
    whole: RDD[Any] = sc.parallelize(partitions, len(partitions)) if partitions else sc.emptyRDD()
    return whole.mapPartitions(chain.from_iterable)


_LISTENING: dict[str, _Replay] = {}  # a restored context calls copies, and these must find back


class _Replay:
    """What the outputs did so far, and when a batch was over."""

    def __init__(
        self, sc: SparkContext, milliseconds: int, ticks: int, timeout: float, before: Before | None
    ) -> None:
        self._sc = sc
        self._milliseconds = milliseconds
        self._ticks = ticks
        self._timeout = timeout
        self._before = before
        self._token = uuid.uuid4().hex
        self._news = threading.Condition()
        self._over: set[int] = set()  # ticks that this run of the context is done with
        self.outcomes: Outcomes = []

    @contextmanager
    def listening(self) -> Iterator[None]:
        _LISTENING[self._token] = self
        try:
            yield
        finally:
            del _LISTENING[self._token]

    def watch(self, outputs: Any, beat: Any, inputs: Any) -> None:
        """Record ``outputs``; ``beat`` is a stream that has a batch at every tick."""
        self.outcomes = [[Missing()] * self._ticks for _ in outputs]
        for number, output in enumerate(outputs):
            output.foreachRDD(_recorder(self._token, number))
        for stream in inputs:  # a batch nobody asks for would come later
            stream.foreachRDD(_asked_for())
        # Jobs run one by one in order of registration, so this one says that a batch is over.
        beat.foreachRDD(_recorder(self._token, None))

    def record(self, number: int | None, batch_time: datetime, rdd: RDD[Any]) -> None:
        tick = round(batch_time.timestamp() * 1000) // self._milliseconds - 1
        if number is None:
            with self._news:
                self._over.add(tick)
                self._news.notify_all()
            return
        try:
            outcome: Outcome = Seen(tuple(map(tuple, rdd.glom().collect())))
        except BaseException as error:
            outcome = raised(error)
        known = self.outcomes[number][tick]
        if isinstance(known, Missing):
            self.outcomes[number][tick] = outcome
        elif difference([[known]], [[outcome]]) is not None:
            assert not isinstance(known, Rerun)
            assert not isinstance(outcome, Rerun)
            self.outcomes[number][tick] = Rerun(known, outcome)

    def run(self, ssc: StreamingContext, start: int, stop: int, checkpoint: str | None) -> bool:
        """Start, let the ticks from ``start`` to ``stop`` pass, stop. False: it stopped itself."""
        try:
            self._over = set()
            written = self._written(checkpoint, start)
            ssc.start()
            clock = ssc._jssc.ssc().scheduler().clock()
            errors = _GenerationErrors(ssc)
            if start:  # it runs again, of itself
                if not self._wait(ssc, start - 1, errors):
                    return False
                self._wait_saved(checkpoint, start, written)
            for tick in range(start, stop):
                if self._before is not None:
                    self._before(tick)
                clock.advance(self._milliseconds)
                if not self._wait(ssc, tick, errors):
                    return False
                self._wait_saved(checkpoint, tick + 1)
            return True
        finally:
            ssc.stop(stopSparkContext=False)

    def _wait(self, ssc: StreamingContext, tick: int, errors: _GenerationErrors) -> bool:
        deadline = time.monotonic() + self._timeout
        while not self._is_over(tick):
            if (error := errors.fresh()) is not None:
                for seen in self.outcomes:
                    seen[tick] = raised(error)
                break
            if ssc._jssc.getState().toString() == "STOPPED":
                return False
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"batch {tick + 1} of {self._ticks} was not over after {self._timeout} s"
                )
        return True

    def _is_over(self, tick: int) -> bool:
        with self._news:
            return self._news.wait_for(lambda: tick in self._over, _POLL)

    def _wait_saved(
        self, checkpoint: str | None, ticks: int, written: tuple[int | None, ...] = ()
    ) -> None:
        """Wait until the engine has saved itself after a tick, as of the end of that batch.

        It saves when a batch is generated and again when it is over. The latter must not fall
        behind the next batch: it would be taken for that one's. ``written``: what there was before.
        """
        if checkpoint is None or ticks - 1 not in self._over:
            return
        deadline = time.monotonic() + self._timeout
        while None in (now := self._written(checkpoint, ticks)) or now == written:
            if time.monotonic() > deadline:
                raise TimeoutError(f"no checkpoint was written within {self._timeout} s")
            threading.Event().wait(_POLL)

    def _written(self, checkpoint: str | None, ticks: int) -> tuple[int | None, ...]:
        """The two files that hold the context after so many ticks, the newer one first."""
        file = os.path.join(checkpoint or "", f"checkpoint-{ticks * self._milliseconds}")
        return tuple(
            os.stat(name).st_ino if os.path.exists(name) else None for name in (file, file + ".bk")
        )


def _recorder(token: str, number: int | None) -> Callable[[datetime, RDD[Any]], None]:
    def record(batch_time: datetime, rdd: RDD[Any]) -> None:
        from dstream_parity.engines.legacy import _LISTENING

        _LISTENING[token].record(number, batch_time, rdd)

    return record


def _asked_for() -> Callable[[RDD[Any]], None]:
    def ask(rdd: RDD[Any]) -> None:
        pass

    return ask


class _GenerationErrors:
    """Looks at the error the context would raise in awaitTermination, which it never forgets."""

    def __init__(self, ssc: StreamingContext) -> None:
        self._ssc = ssc
        self._known: int | None = None

    def fresh(self) -> Exception | None:
        """An error not returned before that kept a batch from being generated."""
        try:
            self._ssc._jssc.awaitTerminationOrTimeout(0)
        except Exception as error:
            origin = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
            if origin is None:
                raise
            if origin.hashCode() != self._known:
                self._known = origin.hashCode()
                stack = self._ssc._jvm.org.apache.spark.util.Utils.exceptionString(origin)  # type: ignore[union-attr]
                # Jobs that fail report here, too, but then the batch goes on to its end.
                if "scheduler.JobGenerator" in stack:
                    return error
        return None
