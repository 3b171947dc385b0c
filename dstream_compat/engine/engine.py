"""A running job: the generator, the query and the sink, from start to stop."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import sys
import tempfile
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dstream_compat.base.errors import StreamingError, job_error, spark_error
from dstream_compat.base.pyspark_internals import setting, temp_dir
from dstream_compat.base.requirements import check_libraries
from dstream_compat.base.settings import flag, time_ms
from dstream_compat.connectors.hadoop.storage import storage_for
from dstream_compat.connectors.kafka.source import KafkaSource
from dstream_compat.engine import rebuild
from dstream_compat.engine.checkpoint import Checkpoint, set_aside
from dstream_compat.engine.initial_state import Initials, initials_after
from dstream_compat.engine.inputs import make_source
from dstream_compat.engine.metrics import StateMetrics, summed
from dstream_compat.engine.orders import Table
from dstream_compat.engine.progress import Progress
from dstream_compat.engine.query import Query
from dstream_compat.engine.rdds import packed_partitions
from dstream_compat.engine.shutdown import ShutdownHook
from dstream_compat.engine.sink import Sink
from dstream_compat.engine.slicing import slice_rdds
from dstream_compat.graph.compiler import Plan, compile_graph
from dstream_compat.graph.demand import Demand
from dstream_compat.graph.nodes import Node, call_site, has_state
from dstream_compat.graph.phases import in_phases
from dstream_compat.graph.specs import InitialStateSpec
from dstream_compat.input.clock import ManualClock, clock_for
from dstream_compat.input.generator import Generator
from dstream_compat.input.log import Entry
from dstream_compat.input.queues import InitialSource
from dstream_compat.input.receiver import ReceiverSource
from dstream_compat.input.storage import LocalStorage
from dstream_compat.stages.partitions import Batch, InputSource, Stored

if TYPE_CHECKING:
    from dstream_compat.context import StreamingContext

logger = logging.getLogger(__name__)

_GRACE = 2.0  # legacy: seconds that a stop leaves to running outputs


class Engine:
    """Everything that exists only while a context runs. Made by ``StreamingContext.start``."""

    def __init__(self, ssc: StreamingContext) -> None:
        self.site = " " + call_site("start")
        self._ssc = ssc
        self._sc = ssc._sc
        self._interval = ssc._interval_ms
        self._clock = clock_for(ssc._sc)
        _use_this_python(ssc._sc)
        if ssc._checkpoint_dir is not None:
            self._temporary = None
            storage = storage_for(ssc._checkpoint_dir)
            if not ssc._restored:
                set_aside(storage)
        else:
            self._temporary = tempfile.mkdtemp(prefix="dstream-")
            storage = LocalStorage(self._temporary, durable=False)
            # also if the process ends without stop()
            atexit.register(shutil.rmtree, self._temporary, ignore_errors=True)
        self._checkpoint = Checkpoint(storage)
        self._backlog: list[Entry] = []
        self._accepted: int | None = None  # the latest tick of the generator's
        self._ordering = threading.RLock()
        self._ended = threading.Event()
        self._error: StreamingError | None = None
        self._stopping = threading.Lock()
        self._stopper: threading.Thread | None = None
        self._hook: ShutdownHook | None = None

    # -- start ---------------------------------------------------------------------------------

    def start(self) -> None:
        try:
            self._start()
        except BaseException:
            self._abandon()
            self._clean_up()
            raise

    def _abandon(self) -> None:
        """Stop what a start that fails has started already."""
        generator, query = (getattr(self, name, None) for name in ("_generator", "_query"))
        if generator is not None:
            generator.freeze()
        for source in getattr(self, "_sources", {}).values():
            source.stop()
        if query is not None:
            query.abandon()

    def _start(self) -> None:
        ssc = self._ssc
        durable = self._temporary is None
        self._log = self._checkpoint.read_log()
        self._slots = self._checkpoint.slots(self._sc.defaultParallelism)
        self._demand = Demand([output.node for output in ssc._outputs])
        self._phases = in_phases([output.node for output in ssc._outputs])
        outputs = [replace(o, node=self._phases.nodes[o.node]) for o in ssc._outputs]
        nodes = [output.node for output in outputs] + list(self._phases.imports.values())
        self._plan: Plan = compile_graph(nodes, self._slots, self._phases)
        check_libraries(state=any(stage.stateful for stage in self._plan.stages))
        if durable:
            self._save_job()
        self._sources: dict[int, InputSource] = {}
        self._progress = Progress(ssc._bus, outputs, self._interval, self._conf, self._job_failed)
        blocks = self._checkpoint.storage.within("blocks") if durable else None
        for source in self._plan.sources:
            if not source.external and source not in self._phases.imports:
                made = make_source(source, ssc, blocks, self._conf, self._progress.receiver_event)
                self._sources[source.id] = made
                if isinstance(made, (ReceiverSource, KafkaSource)):
                    self._progress.watch(source.id, made)
        kafka = {n for n, made in self._sources.items() if isinstance(made, KafkaSource)}
        self._log.keep_last_of = frozenset(kafka)
        history = list(self._log.items())
        self._initials = Initials(self._checkpoint.fact("initials", None), self._plan.sources)
        for number, input_source in self._sources.items():
            if isinstance(input_source, InitialSource):
                if self._initials.is_over(number, (entry for _, entry in history)):
                    input_source.skip()
                continue
            input_source.recover(
                (entry.tick, entry.batches[number])
                for _, entry in history
                if number in entry.batches
            )
        shared = tempfile.mkdtemp(prefix="dstream-", dir=temp_dir(self._sc))
        self._sink = Sink(
            self._sc,
            self._plan,
            outputs,
            Table(self._sc, shared),
            lambda: self._query.input_size(),
            self._progress,
            self._phases,
            self._hand_over,
        )
        self._query = Query(
            self._sc,
            self._plan,
            self._slots,
            self._log,
            self._checkpoint,
            self._sink,
            self._progress,
            self._processed,
        )
        self._query.behind = self._is_behind
        self._query.inputs = self._sources
        self._query.amended = self._initials.amended
        self._sink.logged = self._logged
        self._sink.remember_ms = ssc._remember_ms or 0
        self._progress.state = self.state_metrics
        if history:  # batches of an earlier run go on as soon as the query is up
            self._set_first_tick()
        self._query.start()
        if not history:  # starting a query takes seconds in a fresh JVM: the grid begins now
            self._set_first_tick()
        for entry_number, entry in history:
            if entry_number > self._query.committed and entry.phase == 0:
                self._progress.submitted(entry)
        for input_source in self._sources.values():
            input_source.start(self._zero)
        self._generator = Generator(
            self._clock,
            self._interval,
            self._first,
            self._sources,
            self._append,
            self._asks,
            self._job_failed,
        )
        self._generator.start()
        if flag(self._conf, "spark.streaming.stopGracefullyOnShutdown"):
            limit = 2 * self._grace_ms() / 1000.0
            self._hook = ShutdownHook(self._sc, self._shut_down, max(30.0, limit))
        self._progress.streaming_started(self._clock.now_ms())
        threading.Thread(target=self._watch, name="dstream-watch", daemon=True).start()

    def _save_job(self) -> None:
        """Write the job down; in a rebuild, also what of the old state goes where."""
        ssc, checkpoint = self._ssc, self._checkpoint
        operators = rebuild.describe_operators(self._plan.operators)
        sources = {
            str(source.id): type(source.spec).__name__
            for source in self._plan.sources
            if source not in self._phases.imports
        }
        stores = sum(stage.stateful for stage in self._plan.stages)
        facts = {
            "interval_ms": self._interval,
            "operators": operators,
            "sources": sources,
            "stores": stores,
            "hash_seed": self._sc.environment.get("PYTHONHASHSEED", "0"),
        }
        if ssc._rebuild is None:
            checkpoint.check_unchanged(facts)
            checkpoint.save_graph(ssc)
            checkpoint.describe(**facts)
            return
        checkpoint.check_unchanged({k: facts[k] for k in ("interval_ms", "hash_seed")})
        rebuild.check_external(checkpoint.fact("sources", {}), sources)
        self._check_waiting(sources)
        origin = checkpoint.origin
        found: dict[int, int] = {}
        if origin is not None:
            found = rebuild.match(origin["operators"], operators, ssc._rebuild)
        seeding = {**(origin or {"generation": None, "stores": 0, "operators": []}), "found": found}
        facts["initials"] = initials_after(
            self._plan.operators,
            self._phases.imports,
            found,
            list(self._log.items()),
            checkpoint.committed(),
        )
        checkpoint.next_generation(ssc, seeding, **facts)

    def _check_waiting(self, sources: dict[str, str]) -> None:
        """A rebuilt job must be able to run what its predecessor has logged and not run."""
        known = self._checkpoint.fact("sources", {})
        done = self._checkpoint.committed()
        waiting: dict[int, str] = {}
        for number, entry in self._log.items():
            if number > done:
                for source, batch in entry.batches.items():
                    if batch.partitions and known.get(str(source)) != InitialStateSpec.__name__:
                        waiting[source] = known.get(str(source), "stream behind a transform")
        rebuild.check_pending(waiting, {int(number): kind for number, kind in sources.items()})

    def _set_first_tick(self) -> None:
        """legacy: the first batch is at the next full interval since the epoch, never right now.

        After a restart: the tick after the last logged one, so that missed ones are made up for.
        """
        last = [entry.tick for _, entry in self._log.items()]
        now = self._clock.now_ms()
        self._first = last[-1] if last else now // self._interval * self._interval
        self._first += self._interval
        self._zero = self._checkpoint.zero_time(self._first - self._interval)
        self._sink.zero_time = self._query.zero_time = self._progress.zero_time = self._zero

    def _asks(self, source: int, tick: int) -> bool:
        return self._demand.asks(source, tick - self._zero)

    def _append(self, tick: int, batches: dict[int, Batch]) -> None:
        with self._ordering:
            if tick != self._accepted:  # else: it could not be logged the last time
                self._accepted = tick
                entry = Entry(tick, int(time.time() * 1000), batches)
                self._progress.submitted(entry)
                self._backlog.append(entry)
            self._log_ready()

    def _log_ready(self) -> None:
        """Log the ticks that wait. The next one follows the last phase of the one before it."""
        while self._backlog and not self._is_open():
            self._log.append(self._backlog[0])  # may fail: then it is still there
            self._backlog.pop(0)

    def _is_open(self) -> bool:
        """Whether the newest tick has phases to come. One from before a rebuild has none."""
        phase = self._log.last_phase
        return (
            phase is not None
            and phase < self._phases.last
            and self._log.last > self._checkpoint.first
        )

    def _is_behind(self) -> bool:
        with self._ordering:
            return self._is_open()

    def _hand_over(self, tick: int, phase: int, rdds: dict[int, Any], failed: str) -> None:
        """The sink is done with a phase: log what the next one starts from, once."""
        with self._ordering:
            if self._log.number_of(tick, phase):
                return  # a batch that is run again after a crash: the first complete write counts
        batches = {number: Batch(packed_partitions(rdd)) for number, rdd in rdds.items()}
        with self._ordering:
            self._log.append(Entry(tick, int(time.time() * 1000), batches, phase, failed))
            self._log_ready()

    def _processed(self, number: int) -> None:
        """Entries up to ``number`` are done: forget what nobody can ask for any more."""
        keep = max(self._ssc._remember_ms or 0, self._interval, self._longest_memory())
        oldest = self._log.get(number).tick - keep
        self._checkpoint.drop_older()
        storage = self._checkpoint.storage
        for entry in self._log.older(number, oldest):
            # blocks before entries: a block that no entry knows would be taken for new
            for batch in entry.batches.values():
                for partition in batch.partitions:
                    if isinstance(partition, Stored):
                        storage.delete(storage.name_of(partition.path))
        self._log.forget(number, oldest)
        self._tell_done(number)

    def _tell_done(self, number: int) -> None:
        """A committed batch: Kafka's consumer groups may know, when the last phase is over."""
        entry = self._log.get(number)
        over = entry.tick if entry.phase == self._phases.last else entry.tick - 1
        for source, made in self._sources.items():
            if isinstance(made, KafkaSource):
                batch = self._log.newest_batch(source, over)
                if batch is not None:
                    made.processed(batch)

    def _logged(self, tick: int, source: int) -> Batch | None:
        number = self._log.number_of(tick)
        return self._log.get(number).batches.get(source) if number else None

    def _longest_memory(self) -> int:
        memory = [getattr(source, "remember_ms", 0) for source in self._sources.values()]
        return max(memory, default=0)

    def _conf(self, key: str) -> str | None:
        return setting(self._sc, key)

    # -- while it runs -------------------------------------------------------------------------

    def _job_failed(self, text: str) -> None:
        self._error = job_error(text)
        if flag(self._conf, "spark.dstream_compat.stopOnError"):
            self.ask_to_stop()

    def _watch(self) -> None:
        """A query that ends by itself (which it should not) ends the context with its error."""
        reason = self._query.wait()
        if reason is not None and not self._sink.abort.is_set():
            self._error = spark_error(reason, "awaitTermination")
            self.ask_to_stop()

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

    def state_metrics(self) -> list[StateMetrics]:
        names = [o["name"] for o in rebuild.describe_operators(self._plan.operators)]
        return summed(self._plan.operators, names, dict(self._sink.state_used))

    def slice(self, node: Node, begin_ms: int, end_ms: int) -> list[Any]:
        begin, end = (self._on_grid(ms) for ms in (begin_ms, end_ms))
        if has_state(node):
            return self._slice_remembered(node, begin, end)
        entries = [entry for _, entry in self._log.items() if entry.phase == 0]
        covered = [entry for entry in entries if max(begin, self._zero + 1) <= entry.tick <= end]
        return slice_rdds(self._sc, node, covered, self._zero)

    def _slice_remembered(self, node: Node, begin: int, end: int) -> list[Any]:
        kept = self._sink.remembered.get(self._phases.nodes.get(node, node))
        if kept is None:
            raise spark_error(
                f"{node.site} has windows or state behind it and no output of its own: slice can "
                "give only streams with an output operation then",
                "slice",
            )
        return [rdd for tick, rdd in sorted(kept.items()) if begin <= tick <= end]

    def tick_by_hand(self, ticks: int, timeout: float) -> None:
        """For replays: log some ticks at once and wait until their outputs have run."""
        with self._ordering, self._log.together():
            for _ in range(ticks):
                self._generator.tick_now()
        self._query.wait_done(timeout)

    def _on_grid(self, ms: int) -> int:
        """legacy: times between two batches count as the earlier one."""
        return self._zero + (ms - self._zero) // self._interval * self._interval

    # -- stop ----------------------------------------------------------------------------------

    def stop(self, gracefully: bool) -> None:
        with self._stopping:
            if self._ended.is_set():
                return
            self._freeze(gracefully)
            self._finish(gracefully)
            self._ssc._bus.stop(1.0)
            self._ended.set()
            self._clean_up()

    def in_output(self) -> bool:
        """Whether the caller is an output operation of this job."""
        return self._sink.thread is threading.current_thread()

    def ask_to_stop(self, stop_spark: bool = False, at_once: bool = False) -> None:
        """Stop as soon as whoever asks (an output, for one) is out of the way.

        legacy: when an output stops the context, no other runs after it (``at_once``).
        """

        def stop() -> None:
            self.stop(gracefully=False)
            if stop_spark:
                self._sc.stop()

        self._ssc._mark_stopped()
        if at_once:
            self._sink.abort.set()
        if self._stopper is None:
            self._generator.freeze()
            self._stopper = threading.Thread(target=stop, name="dstream-stopper", daemon=True)
            self._stopper.start()

    def _freeze(self, gracefully: bool) -> None:
        """No more ticks. Gracefully: after those that take what was received."""
        for source in self._sources.values():
            if isinstance(source, KafkaSource):
                source.interrupt()
        if not gracefully:
            self._generator.stop()
        for source in self._sources.values():
            source.stop()
        if gracefully:
            if isinstance(self._clock, ManualClock):
                self._generator.stop()  # nobody would advance it
                if not all(
                    s.drained() for s in self._sources.values() if isinstance(s, ReceiverSource)
                ):
                    self._generator.tick_now()
            else:
                self._generator.finish(self._grace_ms() / 1000.0)

    def _grace_ms(self) -> int:
        return time_ms(self._conf, "spark.streaming.gracefulStopTimeout", 10 * self._interval)

    def _shut_down(self) -> None:
        self._ssc._mark_stopped()
        self.stop(gracefully=True)

    def _finish(self, gracefully: bool) -> None:
        """Let what is logged be processed: all of it, or as much as two seconds allow."""
        seconds = 3600.0 if gracefully else _GRACE
        if self._sink.abort.is_set():
            self._sink.idle.wait(seconds)
        elif not self._query.drain(seconds):
            self._sink.abort.set()
        self._query.stop()
        done = self._checkpoint.committed()
        if any(number == done for number, _ in self._log.items()):
            self._tell_done(done)

    def _clean_up(self) -> None:
        if self._hook is not None:
            self._hook.remove()
        for source in getattr(self, "_sources", {}).values():
            if isinstance(source, KafkaSource):
                source.close()
        for name in ("_log", "_query"):
            part = getattr(self, name, None)
            if part is not None:
                part.close()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)


def _use_this_python(sc: Any) -> None:
    """Workers on this machine run the driver's Python, where the user has not named another one.

    Spark's default is whatever ``python3`` comes first on the path, virtual environment or not.
    """
    named = "PYSPARK_PYTHON" in os.environ or setting(sc, "spark.pyspark.python")
    if not named and str(sc.master).startswith("local"):
        sc.pythonExec = sys.executable
