"""Stages → one streaming query."""

from __future__ import annotations

import pickle
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from dstream_compat.base.pyspark_internals import is_local, is_stopped, jvm
from dstream_compat.connectors.kafka.scan import KafkaScan
from dstream_compat.connectors.kafka.source import KafkaSource
from dstream_compat.engine import rebuild
from dstream_compat.engine.checkpoint import Checkpoint
from dstream_compat.engine.log_source import LogServer, input_source, split_tasks, task_count
from dstream_compat.engine.progress import Progress
from dstream_compat.engine.shipping import on_workers
from dstream_compat.engine.sink import Sink
from dstream_compat.graph.compiler import Plan, Stage
from dstream_compat.graph.nodes import Source
from dstream_compat.graph.specs import KafkaSpec
from dstream_compat.input.log import Entry, InputLog
from dstream_compat.stages.frames import SCHEMA
from dstream_compat.stages.operators.placement import slot_ids
from dstream_compat.stages.partitions import InputSource
from dstream_compat.stages.state_store import processor

if TYPE_CHECKING:
    from pyspark import SparkContext

_SETTINGS = {
    # stages in front of an exchange must not run before the sink has sent the functions
    "spark.sql.adaptive.streaming.stateless.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    # a task is one partition of one of the united inputs, never of two of them
    "spark.sql.unionOutputPartitioning": "false",
    "spark.sql.streaming.stopTimeout": "0",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
_STOP_SECONDS = 10.0
_BINARY = "spark.sql.execution.pyspark.binaryAsBytes"
_FILE_MANAGER = "spark.sql.streaming.checkpointFileManagerClass"
_FAST_FILE_MANAGER = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)


class Query:
    """The query of one context. ``committed`` is the last log entry whose batch is over."""

    def __init__(
        self,
        sc: SparkContext,
        plan: Plan,
        slots: int,
        log: InputLog,
        checkpoint: Checkpoint,
        sink: Sink,
        progress: Progress,
        processed: Callable[[int], None],
    ) -> None:
        self._sc = sc
        self._plan = plan
        self._log = log
        self._checkpoint = checkpoint
        self._sink = sink
        self._progress = progress
        self._processed = processed
        self._slots = slots
        self.zero_time = 0
        self.behind: Callable[[], bool] = lambda: False  # ticks that wait for phases before them
        self.committed = checkpoint.committed()
        self._done = self.committed
        self._advanced = threading.Condition()
        self._query: Any = None
        self._stderr: Any = None
        self._server = LogServer(log, self._tasks)
        self._scans: list[KafkaScan] = []
        self.inputs: Mapping[int, InputSource] = {}
        self.amended: Callable[[Entry], Entry] = lambda entry: entry
        sink.kafka = self._reads
        sink.slots = slots

    def start(self) -> None:
        if any(stage.stateful for stage in self._plan.stages):
            self._stderr = self._silence()
        session = self._session()
        name = f"dstream_input_{uuid.uuid4().hex}"
        stages = [pickle.dumps(stage, protocol=5) for stage in self._plan.stages]
        read = on_workers("read_task", stages[0], self._slots)
        session.dataSource.register(
            input_source(
                name,
                self._server.address,
                self._server.secret,
                read,
                commits=False,
                first=self._checkpoint.first,
            )
        )
        seeds = self._seeds(session)
        frames = session.readStream.format(name).load()
        _slot = F.pmod("part", F.lit(self._slots))
        for source in self._plan.sources:
            if isinstance(source.spec, KafkaSpec) and source.spec.topics:
                frames = frames.unionAll(self._kafka(session, source, stages[0]))
        for source in self._plan.sources:  # behind Kafka's, whose tasks are counted
            if source.external:
                frames = frames.unionAll(self._rows(source.id, source.spec.df))
        for stage, pickled in zip(self._plan.stages[1:], stages[1:], strict=True):
            if stage.stateful:
                run = on_workers("run_stateful", pickled, self._slots)
                slot = F.element_at(F.array(*map(F.lit, slot_ids(self._slots))), _slot + 1)
                mine = None if seeds is None else self._of_stage(seeds, stage).groupBy("slot")
                frames = (
                    frames.withColumn("slot", slot)
                    .groupBy("slot")
                    .transformWithState(processor(run), SCHEMA, "append", "none", mine)
                )
            else:
                exchanged = frames.repartitionById(self._slots, _slot)
                run = on_workers("run_frames", pickled, self._slots)
                frames = exchanged.mapInArrow(run, SCHEMA)
        self._query = (
            frames.writeStream.foreachBatch(self._batch)
            .option("checkpointLocation", self._checkpoint.query)
            .start()
        )

    def _silence(self) -> Any:
        """Spark's check of a stateful plan prints six lines for every stage: not to our users."""
        java = jvm(self._sc).java
        before = java.lang.System.err
        nowhere = java.io.OutputStream.nullOutputStream()
        java.lang.System.setErr(java.io.PrintStream(nowhere))
        return before

    def _speak(self) -> None:
        if self._stderr is not None:
            jvm(self._sc).java.lang.System.setErr(self._stderr)
            self._stderr = None

    def _session(self) -> SparkSession:
        """A session of our own: the user's settings are left alone."""
        user = SparkSession(self._sc)
        session = user.newSession()
        for key, value in _SETTINGS.items():
            session.conf.set(key, value)
        session.conf.set("spark.sql.shuffle.partitions", str(self._slots))
        if self._checkpoint.storage.is_local and session.conf.get(_FILE_MANAGER, None) is None:
            # the default one forks processes for every rename on a local disk
            session.conf.set(_FILE_MANAGER, _FAST_FILE_MANAGER)
        return session

    def _seeds(self, session: SparkSession) -> DataFrame | None:
        """The state a rebuilt job begins with, until its first batch is committed."""
        seeding = self._checkpoint.seeding
        if seeding is None:
            return None
        # all of a slot in one call: with an initial state Spark cuts the rows of a key at this
        session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(2**31 - 1))
        return rebuild.seeds(
            session,
            self._checkpoint.query_of(seeding["generation"]),
            seeding["stores"],
            {int(number): old for number, old in seeding["found"].items()},
        )

    def _of_stage(self, seeds: DataFrame, stage: Stage) -> DataFrame:
        entries = stage.entries.values()
        numbers = [entry.keeping.operator for entry in entries if entry.keeping is not None]
        return seeds.where(F.col("operator").isin(numbers))

    def _kafka(self, session: SparkSession, source: Source, stage: bytes) -> DataFrame:
        """The frames of a Kafka stream: read by Spark's connector, run through stage 0."""
        spec: KafkaSpec = source.spec
        options = {
            **spec.consumer.options,
            "subscribe": ",".join(spec.topics),
            "failOnDataLoss": "false",  # we look for ourselves, and fail the batch only
        }
        made = self.inputs[source.id]
        assert isinstance(made, KafkaSource)
        first = self._checkpoint.first
        scan = KafkaScan(
            session,
            source.id,
            options,
            first,
            self._server,
            self._log.between,
            made.earliest,
            self._progress.failed,
        )
        self._scans.append(scan)
        run = on_workers("read_kafka", stage, self._slots, source.id, spec.described)
        return scan.df.mapInArrow(run, SCHEMA)

    def _reads(self) -> dict[str, Any] | None:
        """What the tasks of Kafka's scans are to read in the batch that is about to run."""
        if not self._scans:
            return None
        entries = [self.amended(entry) for entry in self._scans[0].planned]
        task = task_count(entries, self._known(), self._slots)
        reads = {}
        for scan in self._scans:
            spans = [(span.topic, span.partition, span.slices) for span in scan.spans]
            reads[scan.source] = (task, spans)
            task += len(spans)
        ticks = [(entry.tick, tuple(entry.told(self.zero_time))) for entry in entries]
        return {"reads": reads, "ticks": ticks, "lost": [x for s in self._scans for x in s.lost]}

    def _known(self) -> set[int]:
        return {source.id for source in self._plan.sources if not source.external}

    def _rows(self, route: int, df: DataFrame) -> DataFrame:
        as_bytes = str(df.sparkSession.conf.get(_BINARY, "true")).lower() == "true"
        wrap = on_workers("wrap_rows", route, self._slots, df.schema, as_bytes)
        # by number: two columns may have one name, and a name may have dots
        numbered = df.toDF(*map(str, range(len(df.columns))))
        return numbered.mapInArrow(wrap, SCHEMA)

    def _tasks(self, entries: Any) -> list[bytes]:
        storage = self._checkpoint.storage
        entries = [self.amended(entry) for entry in entries]
        if not (storage.is_local and is_local(self._sc)):  # executors have other disks
            entries = [
                entry.self_contained(lambda path: storage.read(storage.name_of(path)))
                for entry in entries
            ]
        return split_tasks(entries, self._known(), self._slots, self.zero_time)

    def _batch(self, df: DataFrame, batch_id: int) -> None:
        self._speak()
        # a batch begins only when the one before it is committed
        if self._done > self.committed:
            self.committed = self._done
            self._processed(self.committed)
        self._sink(df, batch_id)
        with self._advanced:
            self._done = self._log.number_of(*self._progress.done)
            self._advanced.notify_all()

    def input_size(self) -> int:
        """Bytes of input of the micro-batch that is about to run; 0 if not known."""
        start, end = self._server.planned
        return sum(self._log.get(number).size for number in range(start + 1, end + 1))

    def wait_done(self, seconds: float) -> None:
        """Wait until the outputs of all that is logged have run."""
        with self._advanced:
            deadline = time.monotonic() + seconds
            while self._done < self._log.last or self.behind():
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"a batch was not over after {seconds} seconds")
                if not self._query.isActive:
                    raise RuntimeError(f"the query ended: {self.wait()}")
                self._advanced.wait(min(left, 0.2))

    def drain(self, seconds: float) -> bool:
        """Wait until all that is logged is processed; False if the time is over first."""
        try:
            self.wait_done(seconds)
        except (TimeoutError, RuntimeError):
            return False
        # The last batch is done; wait until Spark has written that down, too. Not by closing the
        # log and processAllAvailable: a source beside the log would go on without any tick.
        deadline = time.monotonic() + _STOP_SECONDS
        while self._checkpoint.committed() < self._done and self._query.isActive:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005 if self._checkpoint.storage.is_local else 0.05)
        return True

    def wait(self) -> str | None:
        """Wait for the end of the query; why it ended, or None if it was stopped."""
        try:
            self._query.awaitTermination()
            return None
        except Exception as error:
            return str(error)[:2000]

    def stop(self) -> None:
        if self._query.isActive:
            # a planner that is stopped while it starts up dies with a traceback on stderr
            self._server.asked.wait(_STOP_SECONDS)
        stopper = threading.Thread(target=self._query.stop, name="dstream-query-stop", daemon=True)
        stopper.start()
        deadline = time.monotonic() + 5
        while self._query.isActive and time.monotonic() < deadline:
            time.sleep(0.005)
        self._sink.terminated.set()
        # a user's function that never returns must not hold up its own end for ever
        stopper.join(_STOP_SECONDS)

    def abandon(self) -> None:
        """Stop without having run; nothing was started yet, perhaps."""
        if self._query is not None:
            self._sink.abort.set()
            self.stop()

    def close(self) -> None:
        if not is_stopped(self._sc):
            self._speak()
        self._server.close()
