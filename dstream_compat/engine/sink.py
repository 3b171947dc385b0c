"""The end of the query: a micro-batch is materialised once, then outputs run tick by tick."""

from __future__ import annotations

import logging
import pickle
import threading
import time
import traceback
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from dstream_compat.base.durations import to_datetime
from dstream_compat.base.errors import Interrupted, StreamingError
from dstream_compat.base.pyspark_internals import is_stopped, setting
from dstream_compat.base.settings import size
from dstream_compat.connectors.kafka.rdds import batch_rdd
from dstream_compat.engine.evaluation import Evaluation
from dstream_compat.engine.metrics import Usage
from dstream_compat.engine.orders import Table
from dstream_compat.engine.rdds import (
    BatchRDD,
    PartitionData,
    WritingOver,
    gather,
    heavy_rdd,
    run_again,
)
from dstream_compat.graph.compiler import Plan
from dstream_compat.graph.nodes import Node, Output, has_state, is_void
from dstream_compat.graph.phases import Phases
from dstream_compat.stages.failures import shortened, unpicklable
from dstream_compat.stages.frames import MARK, STATE, Frame, Tick, told_by
from dstream_compat.stages.partitions import Batch
from dstream_compat.stages.run import EVERY

if TYPE_CHECKING:
    from pyspark import SparkContext

logger = logging.getLogger(__name__)

HandOver = Callable[[int, int, dict[int, Any], str], None]

SMALL_INPUT = 4 * 1024 * 1024  # up to here a batch is collected without being cached first
# bytes of outputs that may come to the driver: from a task, when the batch is cached and when it is
# not, and from all tasks together
INLINE = 8 * 1024 * 1024
INLINE_UNCACHED = 64 * 1024 * 1024
BUDGET = 256 * 1024 * 1024


class Reports:
    """What the sink tells of its work; the engine turns it into listener events and errors."""

    def batch_started(self, tick: int, began_ms: int) -> None: ...

    def output_started(self, tick: int, number: int, output: Output) -> None: ...

    def output_ended(self, tick: int, number: int, output: Output, error: str | None) -> None: ...

    def batch_ended(self, tick: int) -> None: ...

    def failed(self, tick: int, text: str) -> None: ...

    def passed(self, tick: int, phase: int, last: bool) -> None: ...


class Sink:
    """``foreachBatch``'s function."""

    def __init__(
        self,
        sc: SparkContext,
        plan: Plan,
        outputs: Sequence[Output],
        table: Table,
        size: Callable[[], int],
        reports: Reports,
        phases: Phases,
        hand_over: HandOver,
    ) -> None:
        self._sc = sc
        self._plan = plan
        self._outputs = outputs
        self._table = table
        self._size = size
        self._reports = reports
        self._phases = phases
        self._hand_over = hand_over
        self.state_used: dict[tuple[int, int], Usage] = {}
        self._called: dict[int, int] = {}  # outputs called so far, by tick
        self.slots = 1
        self.zero_time = 0
        self.remember_ms = 0
        self.remembered: dict[Node, dict[int, BatchRDD]] = {}
        self._with_state = {node for node in plan.routes if has_state(node)}
        self._heavy_before = False
        self.kafka: Callable[[], Mapping[str, Any] | None] = lambda: None
        self.logged: Callable[[int, int], Batch | None] = lambda tick, source: None
        self.abort = threading.Event()  # run no further output
        self.idle = threading.Event()  # after an abort: the last output is over
        self.terminated = threading.Event()  # Spark knows that the query is being stopped
        self.thread: threading.Thread | None = None

    def __call__(self, df: DataFrame, batch_id: int) -> None:
        self.thread = threading.current_thread()
        try:
            self._batch(df)
        finally:
            self.thread = None
            if self.abort.is_set():
                self.idle.set()

    def _batch(self, df: DataFrame) -> None:
        self._check_abort()
        began = int(time.time() * 1000)
        try:
            pickled = self._table.pickle(self._plan.functions)
        except BaseException as error:  # legacy: a function that cannot be pickled fails the batch
            path = zip(self._plan.sites, self._plan.functions, strict=True)
            text = unpicklable(error, path, lambda function: self._table.pickle((function,)))
            self._fail(df, text)
            return
        cached = self._heavy_before or self._size() > SMALL_INPUT
        if cached:
            df = df.persist()
        try:
            frames = self._materialise(df, pickled, cached)
            heavy = any(frame.src < 0 for frame in frames)
            if heavy and not cached:
                # small input, large output: now that it is known, compute it again and keep it
                cached, df = True, df.persist()
                frames = self._materialise(df, pickled, cached)
            self._heavy_before = heavy
            self._run(df, frames, began)
        finally:
            if cached:
                df.unpersist()

    def _fail(self, df: DataFrame, text: str) -> None:
        """Nothing of the batch is computed; only initial states are handed on."""
        frames = self._collect(df, self._table.pickle(()), False, {EVERY: text})
        ticks, arrived = self._sorted(frames)
        for tick, told in sorted(ticks.items()):
            self._reports.failed(tick, text)
            initials = self._initials(tick, told, self._staged(df, tick, told.counts, arrived, {}))
            self._pass_on(tick, told.phase, initials, shortened(text))

    # -- materialising -------------------------------------------------------------------------

    def _materialise(self, df: DataFrame, pickled: bytes, cached: bool) -> list[Frame]:
        """All frames of the batch; if a worker dies, that tick's data is replaced by an error."""
        poisoned: dict[int, str] = {}
        try:
            return self._collect(df, pickled, cached, poisoned)
        except Exception as error:
            self._check_abort()
            reason = _short(error)
            logger.warning("a batch failed and is run again without the tick that broke it")
        run_again(df)
        ticks = sorted(
            {f.tick for f in self._collect(df, pickled, cached, {EVERY: reason}) if f.route == MARK}
        )
        if len(ticks) > 1:
            # which of them was it? run each alone, the others put to sleep
            for tick in ticks:
                self._check_abort()
                others = {other: "" for other in ticks if other != tick}
                run_again(df)
                try:
                    self._collect(df, pickled, cached, others)
                except Exception as error:
                    poisoned[tick] = _short(error)
        else:
            poisoned = dict.fromkeys(ticks, reason)
        run_again(df)
        return self._collect(df, pickled, cached, poisoned)

    def _collect(
        self, df: DataFrame, pickled: bytes, cached: bool, poisoned: Mapping[int, str]
    ) -> list[Frame]:
        kafka = self.kafka()
        inline = min(INLINE if cached else INLINE_UNCACHED, self._share(kafka))
        self._table.send(pickled, inline, poisoned, not cached, kafka)
        if not cached:  # the tasks leave the bytes of heavy frames out: no plan of ours needed
            return [Frame(*row) for row in df.collect()]
        chunk = F.when(F.col("src") >= 0, F.col("chunk")).otherwise(F.lit(b""))
        rows = df.select("route", "tick", "part", "src", "seq", chunk.alias("chunk")).collect()
        return [Frame(*row) for row in rows]

    def _share(self, kafka: Mapping[str, Any] | None) -> int:
        """How much a task of a stage may send: Spark fails a job that sends too much in all."""
        most = size(partial(setting, self._sc), "spark.driver.maxResultSize", 2**30)
        budget = min(BUDGET, most // 4) if most else BUDGET
        spans = sum(len(spans) for _, spans in kafka["reads"].values()) if kafka else 0
        return budget // (self.slots * len(self._plan.stages) + spans)

    # -- running outputs -----------------------------------------------------------------------

    def _run(self, df: DataFrame, frames: list[Frame], began: int) -> None:
        ticks, arrived = self._sorted(frames)
        for tick, told in sorted(ticks.items()):
            self._check_abort()
            done: dict[int, BatchRDD] = {}
            staged = self._staged(df, tick, told.counts, arrived, done)
            carried, failed = self._tick(tick, told, began, staged)
            self._pass_on(tick, told.phase, carried, failed)
            self._remember(tick, told, done)
            _settle_kept(done)
            began = int(time.time() * 1000)

    def _sorted(
        self, frames: Iterable[Frame]
    ) -> tuple[dict[int, Tick], dict[tuple[int, int], list[Frame]]]:
        """The ticks of a batch, and its frames by tick and route."""
        ticks: dict[int, Tick] = {}
        arrived: dict[tuple[int, int], list[Frame]] = defaultdict(list)
        for frame in frames:
            if frame.route == MARK:
                ticks[frame.tick] = told_by(frame)
            elif frame.route == STATE:
                for operator, part, *usage in pickle.loads(frame.chunk):
                    self.state_used[operator, part] = Usage(*usage)
            else:
                arrived[frame.tick, frame.route].append(frame)
        return ticks, arrived

    def _remember(self, tick: int, told: Tick, done: Mapping[int, BatchRDD]) -> None:
        """Keep what ``slice`` cannot compute again: batches of streams with state behind them."""
        for node, route in self._plan.routes.items():
            if node not in self._with_state:
                continue
            kept = self.remembered.setdefault(node, {})
            rdd = done.get(route)
            if rdd is not None and (self.remember_ms or rdd._inline):
                kept[tick] = rdd
            oldest = tick - max(self.remember_ms, node.slide_ms)
            for forgotten in [known for known in kept if known <= oldest]:
                del kept[forgotten]

    def _pass_on(self, tick: int, phase: int, carried: dict[int, Any], failed: str) -> None:
        """A phase of a tick is over: on with the next one, if there is one."""
        last = phase >= self._phases.last
        if last:
            if self._called.pop(tick, None) is not None:
                self._reports.batch_ended(tick)
        else:
            self._hand_over(tick, phase + 1, carried, failed)
        self._reports.passed(tick, phase, last)

    def _staged(
        self,
        df: DataFrame,
        tick: int,
        counts: Mapping[int, int],
        arrived: Mapping[tuple[int, int], list[Frame]],
        done: dict[int, BatchRDD],
    ) -> Callable[[Node], BatchRDD | None]:

        def staged(node: Node) -> BatchRDD | None:
            route = self._plan.routes.get(node)
            if route is None or (tick - self.zero_time) % node.slide_ms:
                return None
            if route not in done:
                count = self._plan.counts[node].at(counts)
                partitions: list[PartitionData] = gather(arrived.get((tick, route), ()), count)
                heavy = partial(heavy_rdd, df, route, tick, count)
                done[route] = batch_rdd(self._sc, node, tick, partitions, heavy, self.logged)
            return done[route]

        return staged

    def _tick(
        self, tick: int, told: Tick, began: int, staged: Callable[[Node], BatchRDD | None]
    ) -> tuple[dict[int, Any], str]:
        """Run the outputs of this phase; the RDDs that the next one needs, and why it failed.

        A stream that has no RDD is not among them.
        """
        if told.failed:
            return self._initials(tick, told, staged), told.failed
        due = [
            output
            for output in self._outputs
            if told.due(tick, output.node.slide_ms)
            and self._phases.phase_of.get(output.node, 0) == told.phase
            and not is_void(output.node)
        ]
        imports = self._imports(tick, told)
        if not due and not imports:
            return {}, ""
        evaluation = Evaluation(tick, staged, lambda node: told.due(tick, node.slide_ms))
        try:
            # legacy: all transforms of a batch run before any of its outputs, and one that fails
            # takes the whole batch with it
            jobs = [
                (output, staged(output.node) or evaluation.consume(output.node)) for output in due
            ]
            wanted = {n: staged(node) or evaluation.consume(node) for n, node in imports.items()}
        except BaseException:
            text = traceback.format_exc()
            self._reports.failed(tick, text)
            return self._initials(tick, told, staged), shortened(text)
        if due and tick not in self._called:
            self._reports.batch_started(tick, began)
        moment = to_datetime(tick)
        number = self._called.get(tick, 0)
        for output, rdd in jobs:
            if rdd is None:
                continue  # legacy: a transform that gave no RDD, and the output is not called
            self._check_abort()
            self._reports.output_started(tick, number, output)
            error = self._call(output, number, tick, moment, rdd)
            self._reports.output_ended(tick, number, output, error)
            number += 1
        if due:
            self._called[tick] = number
        return {source: rdd for source, rdd in wanted.items() if rdd is not None}, ""

    def _imports(self, tick: int, told: Tick) -> dict[int, Node]:
        """The streams that the next phase of a tick starts from."""
        into = self._phases.into(told.phase + 1).items()
        return {source.id: node for source, node in into if told.due(tick, node.slide_ms)}

    def _initials(
        self, tick: int, told: Tick, staged: Callable[[Node], BatchRDD | None]
    ) -> dict[int, Any]:
        """The initial states among them: they come once, so a failed batch hands them on, too."""
        imports = self._imports(tick, told).items()
        rdds = {n: staged(node) for n, node in imports if node in self._phases.initials}
        return {n: rdd for n, rdd in rdds.items() if rdd is not None}

    def _call(self, output: Output, number: int, tick: int, moment: Any, rdd: Any) -> str | None:
        self._sc.setLocalProperty("spark.streaming.internal.batchTime", str(tick))
        self._sc.setLocalProperty("spark.streaming.internal.outputOpId", str(number))
        try:
            with WritingOver(self._sc):
                output.function(moment, rdd)
            return None
        except BaseException:  # legacy: SystemExit, too, is just a failed job
            self._check_abort()
            return f"in {output.site}:\n{traceback.format_exc()}"
        finally:
            if not is_stopped(self._sc):  # unless the output stopped it
                self._sc.setLocalProperty("spark.streaming.internal.batchTime", None)  # type: ignore
                self._sc.setLocalProperty("spark.streaming.internal.outputOpId", None)  # type: ignore

    def _check_abort(self) -> None:
        if self.abort.is_set():
            self.idle.set()
            self.terminated.wait(10)
            raise Interrupted from None


def _settle_kept(done: dict[int, BatchRDD]) -> None:
    """Users keep RDDs beyond their batch: those somebody still holds get data of their own."""
    held = [weakref.ref(rdd) for rdd in done.values()]
    done.clear()
    for reference in held:
        rdd = reference()
        if rdd is not None:
            rdd.settle()


def _short(error: Exception) -> str:
    text = str(error) if not isinstance(error, StreamingError) else error.message
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("at ", "..."))]
    return ("a worker died: " + " ".join(lines))[:600]
