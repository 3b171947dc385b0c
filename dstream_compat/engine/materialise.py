"""Computes a micro-batch once and brings its results to the driver."""

from __future__ import annotations

import logging
import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from dstream_compat.base.errors import StreamingError
from dstream_compat.base.settings import size
from dstream_compat.engine.abort import Abort
from dstream_compat.engine.metrics import StateUsage, Usage
from dstream_compat.engine.orders import Table
from dstream_compat.engine.rdds import run_again
from dstream_compat.engine.setup import JobSetup
from dstream_compat.stages.failures import unpicklable
from dstream_compat.stages.frames import MARK, STATE, Frame, Tick, told_by
from dstream_compat.stages.orders import KafkaOrders
from dstream_compat.stages.tasks import EVERY

logger = logging.getLogger(__name__)

SMALL_INPUT = 4 * 1024 * 1024  # up to here a batch is collected without being cached first
# bytes of outputs that may come to the driver: from a task, when the batch is cached and when it is
# not, and from all tasks together
INLINE = 8 * 1024 * 1024
INLINE_UNCACHED = 64 * 1024 * 1024
BUDGET = 256 * 1024 * 1024


@dataclass(frozen=True)
class MicroBatch:
    """The results of some ticks: ``frames`` by tick and route, the bytes of large ones in ``df``.

    With a ``failure`` nothing was computed: the functions could not be sent.
    """

    df: DataFrame
    ticks: Mapping[int, Tick]  # in order
    frames: Mapping[tuple[int, int], list[Frame]]
    failure: str = ""


class Materialiser:
    """Runs the stages of a micro-batch once, and again where a worker dies.

    ``input_size`` gives the bytes of input of the batch that is about to run, ``kafka`` what its
    Kafka tasks are to read.
    """

    def __init__(
        self,
        setup: JobSetup,
        table: Table,
        usage: StateUsage,
        abort: Abort,
        input_size: Callable[[], int],
        kafka: Callable[[], KafkaOrders | None],
    ) -> None:
        self._setup = setup
        self._table = table
        self._usage = usage
        self._abort = abort
        self._input_size = input_size
        self._kafka = kafka
        self._heavy_before = False

    @contextmanager
    def micro_batch(self, df: DataFrame) -> Iterator[MicroBatch]:
        """Compute a micro-batch. Its large frames can be read only inside the ``with``."""
        pickled, failure = self._pickled()
        if failure:
            # only initial states are computed: they come once and must not be lost
            frames = self._collect(df, pickled, False, {EVERY: failure})
            yield self._sorted(df, frames, failure)
            return
        cached = self._heavy_before or self._input_size() > SMALL_INPUT
        if cached:
            df = df.persist()
        try:
            frames = self._frames(df, pickled, cached)
            heavy = any(frame.src < 0 for frame in frames)
            if heavy and not cached:
                # small input, large output: compute it again, and cache it this time
                cached, df = True, df.persist()
                frames = self._frames(df, pickled, cached)
            self._heavy_before = heavy
            yield self._sorted(df, frames)
        finally:
            if cached:
                df.unpersist()

    def _pickled(self) -> tuple[bytes, str]:
        """The user's functions as they are now; none, and the error, if they cannot be pickled."""
        plan = self._setup.plan
        try:
            return self._table.pickle(plan.functions), ""
        except BaseException as error:  # legacy: a function that cannot be pickled fails the batch
            path = zip(plan.sites, plan.functions, strict=True)
            text = unpicklable(error, path, lambda function: self._table.pickle((function,)))
            return self._table.pickle(()), text

    def _frames(self, df: DataFrame, pickled: bytes, cached: bool) -> list[Frame]:
        """All frames of the batch; if a worker dies, that tick's data is replaced by an error."""
        try:
            return self._collect(df, pickled, cached, {})
        except Exception as error:
            self._abort.check()
            reason = _short(error)
            logger.warning("a batch failed and runs again without the tick that killed its worker")
        poisoned = self._poisoned(df, pickled, cached, reason)
        run_again(df)
        return self._collect(df, pickled, cached, poisoned)

    def _poisoned(self, df: DataFrame, pickled: bytes, cached: bool, reason: str) -> dict[int, str]:
        """The ticks that kill their worker, each with the error."""
        run_again(df)
        marks = self._collect(df, pickled, cached, {EVERY: reason})
        ticks = sorted({frame.tick for frame in marks if frame.route == MARK})
        if len(ticks) <= 1:
            return dict.fromkeys(ticks, reason)
        # find out which: run each alone, with the others disabled
        poisoned: dict[int, str] = {}
        for tick in ticks:
            self._abort.check()
            others = {other: "" for other in ticks if other != tick}
            run_again(df)
            try:
                self._collect(df, pickled, cached, others)
            except Exception as error:
                poisoned[tick] = _short(error)
        return poisoned

    def _collect(
        self, df: DataFrame, pickled: bytes, cached: bool, poisoned: Mapping[int, str]
    ) -> list[Frame]:
        kafka = self._kafka()
        inline = min(INLINE if cached else INLINE_UNCACHED, self._share(kafka))
        self._table.send(pickled, inline, poisoned, not cached, kafka)
        if not cached:  # the tasks themselves leave out the bytes of heavy frames
            return [Frame(*row) for row in df.collect()]
        chunk = F.when(F.col("src") >= 0, F.col("chunk")).otherwise(F.lit(b""))
        rows = df.select("route", "tick", "part", "src", "seq", chunk.alias("chunk")).collect()
        return [Frame(*row) for row in rows]

    def _share(self, kafka: KafkaOrders | None) -> int:
        """How much a task of a stage may send: Spark fails a job that sends too much in all."""
        most = size(self._setup.conf, "spark.driver.maxResultSize", 2**30)
        budget = min(BUDGET, most // 4) if most else BUDGET
        spans = sum(len(spans) for _, spans in kafka.reads.values()) if kafka else 0
        return budget // (self._setup.slots * len(self._setup.plan.stages) + spans)

    def _sorted(self, df: DataFrame, frames: Sequence[Frame], failure: str = "") -> MicroBatch:
        ticks: dict[int, Tick] = {}
        arrived: dict[tuple[int, int], list[Frame]] = defaultdict(list)
        for frame in frames:
            if frame.route == MARK:
                ticks[frame.tick] = told_by(frame)
            elif frame.route == STATE:
                for operator, part, *usage in pickle.loads(frame.chunk):
                    self._usage.note(operator, part, Usage(*usage))
            else:
                arrived[frame.tick, frame.route].append(frame)
        return MicroBatch(df, dict(sorted(ticks.items())), arrived, failure)


def _short(error: Exception) -> str:
    text = str(error) if not isinstance(error, StreamingError) else error.message
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("at ", "..."))]
    return ("a worker died: " + " ".join(lines))[:600]
