"""The streaming query that runs the stages."""

from __future__ import annotations

import pickle
import threading
import time
import uuid
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from dstream_compat.base.pyspark_internals import is_stopped, jvm
from dstream_compat.engine import rebuild
from dstream_compat.engine.abort import Abort
from dstream_compat.engine.checkpoint import Checkpoint
from dstream_compat.engine.kafka_scans import KafkaScans
from dstream_compat.engine.log_source import LogServer, input_source
from dstream_compat.engine.phase_log import PhaseLog
from dstream_compat.engine.retention import Retention
from dstream_compat.engine.setup import JobSetup
from dstream_compat.engine.shipping import on_workers
from dstream_compat.engine.sink import Sink
from dstream_compat.graph.specs import KafkaSpec
from dstream_compat.input.log import InputLog
from dstream_compat.stages.frames import SCHEMA
from dstream_compat.stages.operators.placement import slot_ids
from dstream_compat.stages.plan import Stage
from dstream_compat.stages.state_store import processor

_SETTINGS = {
    # stages before an exchange must not run before the sink has sent the functions
    "spark.sql.adaptive.streaming.stateless.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    # a task must be one partition of a single input of the union
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
        setup: JobSetup,
        checkpoint: Checkpoint,
        log: InputLog,
        phase_log: PhaseLog,
        server: LogServer,
        kafka: KafkaScans,
        sink: Sink,
        retention: Retention,
        abort: Abort,
    ) -> None:
        self._sc = setup.sc
        self._setup = setup
        self._plan = setup.plan
        self._slots = setup.slots
        self._checkpoint = checkpoint
        self._log = log
        self._phase_log = phase_log
        self._server = server
        self._kafka = kafka
        self._sink = sink
        self._retention = retention
        self._abort = abort
        self.committed = checkpoint.committed()
        self._done = self.committed  # the last entry whose outputs have run
        self._advanced = threading.Condition()
        self._query: Any = None
        self._stderr: Any = None

    def start(self) -> None:
        """Start Spark's query. It waits for entries of the log."""
        if self._setup.stateful:
            self._stderr = self._silence()
        session = self._session()
        stages = [pickle.dumps(stage, protocol=5) for stage in self._plan.stages]
        seeds = self._seeds(session)
        frames = self._input(session, stages[0])
        for stage, pickled in zip(self._plan.stages[1:], stages[1:], strict=True):
            frames = self._run_stage(frames, stage, pickled, seeds)
        self._query = (
            frames.writeStream.foreachBatch(self._batch)
            .option("checkpointLocation", self._checkpoint.query)
            .start()
        )

    def _input(self, session: SparkSession, stage: bytes) -> DataFrame:
        """All inputs: the log, which stage 0 reads, and what Spark reads beside it."""
        name = f"dstream_input_{uuid.uuid4().hex}"
        read = on_workers("read_task", stage, self._slots)
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
        frames = session.readStream.format(name).load()
        for source in self._plan.sources:
            if isinstance(source.spec, KafkaSpec) and source.spec.topics:
                frames = frames.unionAll(self._kafka.frames(session, source, stage))
        for source in self._plan.sources:  # after Kafka's, whose tasks are counted
            if source.external:
                frames = frames.unionAll(self._rows(source.id, source.spec.df))
        return frames

    def _run_stage(
        self, frames: DataFrame, stage: Stage, pickled: bytes, seeds: DataFrame | None
    ) -> DataFrame:
        """A stage after the first: its frames come by an exchange, slot by slot."""
        slot = F.pmod("part", F.lit(self._slots))
        if not stage.stateful:
            run = on_workers("run_frames", pickled, self._slots)
            return frames.repartitionById(self._slots, slot).mapInArrow(run, SCHEMA)
        run = on_workers("run_stateful", pickled, self._slots)
        key = F.element_at(F.array(*map(F.lit, slot_ids(self._slots))), slot + 1)
        mine = None if seeds is None else self._of_stage(seeds, stage).groupBy("slot")
        return (
            frames.withColumn("slot", key)
            .groupBy("slot")
            .transformWithState(processor(run), SCHEMA, "append", "none", mine)
        )

    def _silence(self) -> Any:
        """Hide the six lines per stage that Spark's check of a stateful plan prints to stderr."""
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
        """A new session, so that the user's settings stay as they are."""
        user = SparkSession(self._sc)
        session = user.newSession()
        for key, value in _SETTINGS.items():
            session.conf.set(key, value)
        session.conf.set("spark.sql.shuffle.partitions", str(self._slots))
        if self._checkpoint.storage.is_local and session.conf.get(_FILE_MANAGER, None) is None:
            # the default one forks a process for every rename on a local disk
            session.conf.set(_FILE_MANAGER, _FAST_FILE_MANAGER)
        return session

    def _seeds(self, session: SparkSession) -> DataFrame | None:
        """The state a rebuilt job starts from; None once its first batch is committed."""
        seeding = self._checkpoint.seeding
        if seeding is None:
            return None
        # a whole slot in one call: with an initial state Spark splits a key's rows at this size
        session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(2**31 - 1))
        return rebuild.seeds(
            session,
            self._checkpoint.query_of(seeding["generation"]),
            seeding["stores"],
            {int(number): old for number, old in seeding["found"].items()},
        )

    def _of_stage(self, seeds: DataFrame, stage: Stage) -> DataFrame:
        inputs = stage.inputs.values()
        numbers = [i.keeping.operator for i in inputs if i.keeping is not None]
        return seeds.where(F.col("operator").isin(numbers))

    def _rows(self, route: int, df: DataFrame) -> DataFrame:
        as_bytes = str(df.sparkSession.conf.get(_BINARY, "true")).lower() == "true"
        wrap = on_workers("wrap_rows", route, self._slots, df.schema, as_bytes)
        # by number: column names may repeat and may contain dots
        numbered = df.toDF(*map(str, range(len(df.columns))))
        return numbered.mapInArrow(wrap, SCHEMA)

    def _batch(self, df: DataFrame, batch_id: int) -> None:
        """``foreachBatch``'s function. A batch begins only when the one before it is committed."""
        self._speak()
        if self._done > self.committed:
            self.committed = self._done
            self._retention.committed(self.committed)
        last = self._sink.run(df)
        if last is not None:
            with self._advanced:
                self._done = self._log.number_of(*last)
                self._advanced.notify_all()

    def wait_done(self, seconds: float) -> None:
        """Wait until the outputs of everything logged have run."""
        with self._advanced:
            deadline = time.monotonic() + seconds
            while self._done < self._log.last or self._phase_log.has_open_tick():
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"a batch did not finish within {seconds} seconds")
                if not self._query.isActive:
                    raise RuntimeError(f"the query ended: {self.wait()}")
                self._advanced.wait(min(left, 0.2))

    def drain(self, seconds: float) -> bool:
        """Wait until everything logged is processed; False if that takes too long."""
        try:
            self.wait_done(seconds)
        except (TimeoutError, RuntimeError):
            return False
        # The last batch is done; wait until Spark has committed it, too. Not by closing the log and
        # processAllAvailable: a source beside the log would continue without any tick.
        deadline = time.monotonic() + _STOP_SECONDS
        while self._checkpoint.committed() < self._done and self._query.isActive:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005 if self._checkpoint.storage.is_local else 0.05)
        return True

    def wait(self) -> str | None:
        """Wait until the query ends; the error, or None if it was stopped."""
        try:
            self._query.awaitTermination()
            return None
        except Exception as error:
            return str(error)[:2000]

    def stop(self) -> None:
        if self._query.isActive:
            # a planner stopped during its startup dies with a traceback on stderr
            self._server.asked.wait(_STOP_SECONDS)
        stopper = threading.Thread(target=self._query.stop, name="dstream-query-stop", daemon=True)
        stopper.start()
        deadline = time.monotonic() + 5
        while self._query.isActive and time.monotonic() < deadline:
            time.sleep(0.005)
        self._abort.query_stopped()
        # a user's function that never returns must not block this forever
        stopper.join(_STOP_SECONDS)

    def abandon(self) -> None:
        """Stop after a failed start; perhaps the query was not started."""
        if self._query is not None:
            self._abort.request()
            self.stop()

    def close(self) -> None:
        if not is_stopped(self._sc):
            self._speak()
