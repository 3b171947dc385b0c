"""One run of a job on one engine: its sources, its batches, what was seen of its outputs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from dstream_compat.stages.kafka_messages import OffsetRange
from dstream_parity import raised
from dstream_parity.engines import ContextStopped
from dstream_parity.engines.rdds import rdd_of
from dstream_parity.verify.child import capture, driver_state, sites
from dstream_parity.verify.child.engines import DrivenEngine
from dstream_parity.verify.child.facets import RDD, Facet, Observations, OutputOp
from dstream_parity.verify.child.patches.sources import FedSource, FedSources, ToElement
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs.feeds import START_MS, Feed

_SLEEPS = 3  # how often a job may still sleep after its last batch


class Run:
    """One execution of a job; the patches find it with :func:`current`."""

    def __init__(
        self,
        engine: DrivenEngine,
        feed: Feed,
        *,
        run_outputs: bool,
        batch_timeout: float,
        checkpoint_directory: Callable[[], str],
        tell: Callable[..., None],
    ) -> None:
        self.engine = engine
        self.sources = FedSources(feed)
        self.seen = Observations()
        self.functions: list[tuple[str, Any]] = []
        self.thread = threading.current_thread()
        self.checkpoint_directory = checkpoint_directory
        self.driven = False
        self.refused: Refused | None = None
        self.ssc: Any = None
        self._bodies: list[tuple[str, Any]] = []
        self._streams: list[Any] = []
        self._fed: list[tuple[FedSource, Any]] = []
        self._feed = feed
        self._run_outputs = run_outputs
        self._timeout = batch_timeout
        self._tell = tell
        self._driving = False
        self._driver: threading.Thread | None = None
        self._over = threading.Event()
        self._started = 0.0
        self._lock = threading.Lock()
        self._stop_asked: str | None = None
        self._now: dict[int, list[Facet]] = {}
        self._sleeps = 0
        self._times: list[int] = []
        self._rows: list[list[list[Facet]]] = []  # by batch and output
        self.offset_ranges: dict[int, Callable[[], list[Any]]] = {}

    # -- building ------------------------------------------------------------------------------

    def feed(
        self, ssc: Any, kind: str, names: Sequence[Any], from_line: ToElement = str, **more: Any
    ) -> Any:
        """An input stream of the job, fed from the replay."""
        source = self._source(kind, names, from_line, **more)
        assert source.batches is not None
        stream = self.engine.feed(ssc, source.batches)
        self._fed.append((source, stream))
        return self._with_offsets(stream, source) if source.offsets else stream

    def feed_rdd(
        self, sc: Any, kind: str, names: Sequence[Any], from_line: ToElement, **more: Any
    ) -> Any:
        """An RDD that the job reads while it builds its graph: all batches of its input."""
        source = self._source(kind, names, from_line, **more)
        assert source.batches is not None
        return rdd_of(sc, [part for batch in source.batches for part in batch])

    def _source(
        self, kind: str, names: Sequence[Any], from_line: ToElement, **more: Any
    ) -> FedSource:
        try:
            return self.sources.make(kind, names, from_line, **more)
        except Refused as refused:
            raise self._refuse(refused) from None

    def _refuse(self, refused: Refused) -> Refused:
        """Remembered, because jobs have ``except Exception`` in the strangest places."""
        self.refused = self.refused or refused
        return refused

    def _with_offsets(self, stream: Any, source: FedSource) -> Any:
        """A stream whose RDDs know their offset ranges, as those right after Kafka do."""

        def ranges() -> list[Any]:
            batch = min(len(self.seen.times), len(source.offsets)) - 1
            return [OffsetRange(*each) for each in source.offsets[batch]]

        def attached(function: Any) -> Any:
            body = capture.with_time(function)

            def call(moment: Any, rdd: Any) -> Any:
                from dstream_parity.verify.child import run  # by name: it cannot be pickled

                rdd.offsetRanges = run.current().offset_ranges[number]
                return body(moment, rdd)

            return call

        number = source.number
        self.offset_ranges[number] = ranges
        kind = type(stream)

        def transform(func: Any) -> Any:
            self.functions.append((f"transform at {sites.place(*sites.caller())}", func))
            return kind.transform(stream, attached(func))

        stream.transform = transform
        stream.foreachRDD = lambda func: kind.foreachRDD(stream, attached(func))
        return stream

    def register(
        self, operation: str, place: tuple[str, int], stream: Any, body: Any, arguments: Any
    ) -> int:
        """Note an output operation of the job; returns its number."""
        file, line = place
        if self.ssc is not None:
            self.note(
                f"{operation} at {sites.place(file, line)} comes after start, which no engine "
                "allows: it was not compared"
            )
        number = len(self.seen.outputs)
        name = getattr(stream, "_recorded_as", None)
        cell, shown = sites.place_of(file, line)
        op = OutputOp(
            number,
            operation,
            os.path.basename(file),
            shown,
            name,
            body is not None,
            arguments,
            cell,
        )
        if self.ssc is None:
            self.seen.outputs.append(op)
            self._streams.append(stream)
            if body is not None:
                self._bodies.append((str(op), body))
        return number

    def note(self, sentence: str) -> None:
        if sentence not in self.seen.notes:
            self.seen.notes.append(sentence)

    # -- running -------------------------------------------------------------------------------

    def start(self, ssc: Any) -> None:
        """``ssc.start()`` of the job; batches run when it waits for them."""
        if self.ssc is not None:
            if self.ssc is not ssc:
                self.note("the job starts a second StreamingContext: only the first was compared")
            return
        try:
            self._times = self._batch_times(self.engine.interval_ms(ssc))
            for source, stream in self._fed:
                if hasattr(stream, "_recorded_as"):
                    self.sources.check_tap(source, stream._recorded_as)
            self.seen.notes.extend(self.sources.check_all_used())
        except Refused as refused:
            raise self._refuse(refused) from None
        if not self._run_outputs:
            self.seen.conflicts = driver_state.conflicts(self._bodies, self.functions)
        self.engine.start(ssc, self._times[0])
        self.ssc, self._started = ssc, time.monotonic()
        self.seen.sources = [str(source) for source in self.sources.made]
        self.seen.fed = {s.number: s.input for s in self.sources.made if s.input is not None}
        self.seen.notes.extend(self._feed.notes)
        self.seen.planned = len(self._times)
        self._tell("started", batches=len(self._times))

    def _batch_times(self, interval: int) -> list[int]:
        feed = self._feed
        if feed.interval_ms is not None and feed.interval_ms != interval:
            raise Refused(
                f"the job's batches are {interval} ms, those of the recording {feed.interval_ms} "
                "ms: run the job with the interval it was recorded with"
            )
        longest = max([source.length for source in self.sources.made], default=0)
        count = feed.count or max(longest, feed.length)
        if count == 0:
            raise Refused(
                "there are no batches to run: the input is empty; --batches N runs N anyway"
            )
        first = feed.times[0] if feed.times else (START_MS // interval + 1) * interval
        if first % interval:
            raise Refused(f"the recorded batch time {first} is not a multiple of {interval} ms")
        return [first + number * interval for number in range(count)]

    def waits_for_batches(self) -> bool:
        return self.ssc is not None and not self._driving

    def waits_for(self, seconds: float) -> bool:
        """Whether the job was started that long ago and has not asked for its batches yet."""
        idle = self.waits_for_batches() and not self.driven
        return idle and time.monotonic() > self._started + seconds

    def drive(self, ssc: Any) -> None:
        """Run all batches, once; the job waits here while another thread does."""
        if self.ssc is None or ssc is not self.ssc:
            return
        with self._lock:
            mine = not self._driving and not self.driven
            self._driving = self._driving or mine
        if mine:
            self._driver = threading.current_thread()
            try:
                self._drive()
            finally:
                self._over.set()
        elif self._driven_for_the_job():
            self._over.wait()  # otherwise a batch is asking, and would wait for itself

    def _driven_for_the_job(self) -> bool:
        """Whether the job itself is asking, while another thread runs its batches."""
        return threading.current_thread() is self.thread and self._driver is not self.thread

    def _drive(self) -> None:
        try:
            for number in range(len(self._times)):
                if not self._tick(number) or self._stop_asked:
                    break
            self.seen.facets = [list(column) for column in zip(*self._rows, strict=True)]
        finally:
            try:
                self.engine.stop(self.ssc)
            finally:  # not earlier: a run that is through may be ended
                self.driven = True
                self._driving = False
        if self._stop_asked and len(self.seen.times) < len(self._times):
            self.note(
                f"the job stopped itself in batch {len(self.seen.times)} of {len(self._times)} "
                f"({self._stop_asked})"
            )
        self._tell("through")

    def _tick(self, number: int) -> bool:
        self._now = {}
        self.seen.times.append(self._times[number])
        began = time.monotonic()
        try:
            error = self.engine.tick(self.ssc, self._timeout)
        except ContextStopped:
            self.seen.times.pop()
            self._stop_asked = self._stop_asked or "from outside Python"
            return False
        except TimeoutError:
            late = Refused(
                f"batch {number + 1} of {len(self._times)} did not finish within "
                f"{self._timeout:g} s on the {self.engine.name} engine; --batch-timeout allows "
                "more time"
            )
            raise self._refuse(late) from None
        if error is not None:
            for op in self.seen.outputs:
                self._now.setdefault(op.number, [Facet(RDD, raised(error))])
        self._rows.append([self._now.get(op.number, []) for op in self.seen.outputs])
        self.seen.seconds.append(time.monotonic() - began)
        self._tell("batch", number=number)
        return True

    def captured(self, number: int, body: Any, moment: Any, rdd: Any) -> None:
        """An output was called."""
        seen = capture.look_at(body if self._run_outputs else None, moment, rdd)
        self._now.setdefault(number, []).extend(seen)  # a second call in a batch must show

    def stop(self, ssc: Any) -> None:
        """``stop()`` of the job: in a batch the job ends with that batch, otherwise all run."""
        if ssc is not self.ssc:
            return
        if self._driving and not self._driven_for_the_job():
            self._stop_asked = self._stop_asked or f"stop at {sites.place(*sites.caller())}"
        else:
            self.drive(ssc)

    def sleep(self) -> None:
        """The job sleeps; raises Refused if it has slept long enough."""
        if not self.driven:
            self.drive(self.ssc)
            return
        self._sleeps += 1
        if self._sleeps > _SLEEPS:
            raise Refused("the job keeps sleeping although its batches are done")


_CURRENT: list[Run] = []


def current() -> Run:
    """The run of this process."""
    return _CURRENT[-1]


def begin(run: Run) -> None:
    _CURRENT[:] = [run]
