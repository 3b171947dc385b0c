"""StreamingContext: the life of a job, from its first input stream to ``stop``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark import RDD, StorageLevel
from pyspark.errors import IllegalArgumentException

from dstream_compat import arguments
from dstream_compat.base.durations import to_ms
from dstream_compat.base.errors import illegal_argument, illegal_state, spark_error
from dstream_compat.base.pyspark_internals import setting
from dstream_compat.dstream import DStream
from dstream_compat.engine.bus import ListenerBus
from dstream_compat.graph.checks import check_streams
from dstream_compat.graph.nodes import (
    Node,
    Output,
    Snapshots,
    Source,
    Transform,
    call_site,
    union_of,
)
from dstream_compat.graph.specs import (
    DataFrameSpec,
    FileSpec,
    InitialStateSpec,
    QueueSpec,
    ReceiverSpec,
    SocketSpec,
    SourceSpec,
    SparkSourceSpec,
)

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame

    from dstream_compat.engine.engine import Engine
    from dstream_compat.engine.metrics import StateMetrics
    from dstream_compat.engine.reports import Reports
    from dstream_compat.engine.request import StartRequest
    from dstream_compat.input.receiver import Receiver

__all__ = ["StreamingContext"]

_OPEN, _ACTIVE, _STOPPED = "initialized", "active", "stopped"
_INITIAL = 10_000  # initial states are numbered after the input streams, whose numbers users see


class StreamingContext:
    """Entry point of a streaming job: makes input streams, starts and stops the job.

    >>> ssc = StreamingContext(sc, 1)  # doctest: +SKIP
    >>> ssc.socketTextStream("localhost", 9999).count().pprint()  # doctest: +SKIP
    >>> ssc.start()  # doctest: +SKIP
    """

    _activeContext: ClassVar[StreamingContext | None] = None

    def __init__(
        self,
        sparkContext: SparkContext,
        batchDuration: float | None = None,
        jssc: Any = None,
    ) -> None:
        if jssc is None and batchDuration is None:
            raise AssertionError  # legacy: a bare one
        if jssc is not None:
            raise TypeError(
                "jssc is a Java StreamingContext of the legacy engine, which is not used here; "
                "give batchDuration instead"
            )
        self._interval_ms = to_ms(batchDuration, "batchDuration")
        if self._interval_ms <= 0:
            raise ValueError("batchDuration should be at least 0.001 seconds")
        self._sc = arguments.spark_context(sparkContext)
        self._inputs: list[Source] = []
        self._initials: list[Source] = []
        self._outputs: list[Output] = []
        self._snapshots: dict[Node, Snapshots] = {}
        self._bus = ListenerBus()
        self._status = _OPEN
        self._lock = threading.RLock()
        self._engine: Engine | None = None
        self._reports: list[Reports] = []
        self._remember_ms: int | None = None
        self._checkpoint_dir: str | None = None
        self._restored = False
        self._rebuild: dict[str, str | None] | None = None  # None: not with changed code
        self._jssc = _JavaLike(self)
        configured = setting(self._sc, "spark.streaming.checkpoint.directory")
        if configured:
            self.checkpoint(configured)

    # -- finding and making contexts -----------------------------------------------------------

    @classmethod
    def getOrCreate(
        cls,
        checkpointPath: str,
        setupFunc: Callable[[], StreamingContext],
        rebuild: bool | Mapping[str, str | None] = False,
    ) -> StreamingContext:
        """The context saved under ``checkpointPath``, or what ``setupFunc()`` makes.

        With ``rebuild`` (new), changed code continues from the saved state: ``setupFunc()`` makes
        the context, and its operators take over the state of the previous run. Where it is unclear
        which state belongs to which operator, pass a mapping of new names to old ones (None: start
        empty); see ``named``.
        """
        from dstream_compat.engine.restore import has_checkpoint

        if checkpointPath is None:
            raise IllegalArgumentException(message="Can not create a Path from a null string")
        if rebuild and has_checkpoint(checkpointPath):
            ssc = setupFunc()
            ssc.checkpoint(checkpointPath)
            ssc._restored = True
            ssc._rebuild = {} if rebuild is True else dict(rebuild)
            return ssc
        recovered = cls._recover(checkpointPath)
        if recovered is not None:
            return recovered
        ssc = setupFunc()
        ssc.checkpoint(checkpointPath)
        return ssc

    @classmethod
    def _recover(cls, directory: str) -> StreamingContext | None:
        """The context saved in ``directory``; None if nothing was."""
        from dstream_compat.engine.restore import saved_job

        saved = saved_job(directory)
        return None if saved is None else cls._restore(saved[0], directory, saved[1])

    @classmethod
    def _restore(
        cls, sc: SparkContext, directory: str, saved: Mapping[str, Any]
    ) -> StreamingContext:
        """A context with the graph and the settings that a checkpoint holds."""
        ssc = cls(sc, saved["interval_ms"] / 1000.0)
        ssc._interval_ms = saved["interval_ms"]
        ssc._inputs = saved["inputs"]
        ssc._outputs = saved["outputs"]
        ssc._remember_ms = saved["remember_ms"]
        ssc.checkpoint(directory)
        ssc._restored = True
        return ssc

    @classmethod
    def getActive(cls) -> StreamingContext | None:
        """The context that is running, or None."""
        active = StreamingContext._activeContext
        if active is not None and active._status != _ACTIVE:
            StreamingContext._activeContext = active = None
        return active

    @classmethod
    def getActiveOrCreate(
        cls, checkpointPath: str, setupFunc: Callable[[], StreamingContext]
    ) -> StreamingContext:
        """The active context, else the saved one, else what ``setupFunc()`` makes."""
        if not callable(setupFunc):
            raise TypeError("setupFunc should be callable.")
        active = cls.getActive()
        if active is not None:
            return active
        if checkpointPath is not None:
            return cls.getOrCreate(checkpointPath, setupFunc)
        return setupFunc()

    @property
    def sparkContext(self) -> SparkContext:
        """The SparkContext this context was made with."""
        return self._sc

    # -- life cycle ----------------------------------------------------------------------------

    def start(self) -> None:
        """Start the job and return at once; batches run until :meth:`stop`."""
        from dstream_compat.engine.engine import Engine

        with self._lock:
            if self._status == _ACTIVE:
                return  # legacy: starting twice does nothing
            if self._status == _STOPPED:
                raise illegal_state("StreamingContext has already been stopped", "start")
            active = StreamingContext.getActive()
            if active is not None:
                assert active._engine is not None
                raise illegal_state(
                    "Only one StreamingContext may be started in this JVM. Currently running "
                    f"StreamingContext was started at{active._engine.site}",
                    "start",
                )
            try:
                if not self._outputs:
                    raise illegal_argument("No output operations registered, so nothing to execute")
                check_streams(self._outputs, self._has_checkpoint_directory())
                self._engine = Engine(self._start_request())
                self._engine.start()
            except BaseException:
                self._status = _STOPPED  # legacy: a failed start is final
                self._engine = None
                raise
            if self._started:  # an output of a restored job called stop during the start
                self._engine.stop(gracefully=False)
                return
            self._status = _ACTIVE
            StreamingContext._activeContext = self

    def _start_request(self) -> StartRequest:
        from dstream_compat.engine.request import StartRequest

        return StartRequest(
            sc=self._sc,
            interval_ms=self._interval_ms,
            inputs=self._inputs,
            outputs=self._outputs,
            remember_ms=self._remember_ms,
            checkpoint_dir=self._checkpoint_dir,
            restored=self._restored,
            rebuild=self._rebuild,
            bus=self._bus,
            reports=self._reports,
            mark_stopped=self._mark_stopped,
        )

    def stop(self, stopSparkContext: bool = True, stopGraceFully: bool = False) -> None:
        """Stop the job. With ``stopGraceFully``, first process all received data."""
        if self._bus.in_bus_thread():
            raise spark_error("Cannot stop StreamingContext within listener bus thread.", "stop")
        if self._engine is not None and self._engine.in_output():
            self._engine.ask_to_stop(stopSparkContext, at_once=not stopGraceFully)
            return
        self._stop_streaming(stopGraceFully)
        if StreamingContext._activeContext is self:
            StreamingContext._activeContext = None
        if stopSparkContext:
            self._sc.stop()

    def _stop_streaming(self, gracefully: bool) -> None:
        with self._lock:  # waits for a start in progress
            was = self._mark_stopped()
        if was == _ACTIVE and self._engine is not None:
            self._engine.stop(gracefully)

    def _mark_stopped(self) -> str:
        was, self._status = self._status, _STOPPED
        return was

    def awaitTermination(self, timeout: float | None = None) -> None:
        """Wait until the job stops; raises the latest error of a batch, if any."""
        self._wait(timeout)

    def awaitTerminationOrTimeout(self, timeout: float) -> bool:
        """Like :meth:`awaitTermination`; False if the job still runs after ``timeout`` seconds."""
        return self._wait(to_ms(timeout, "timeout") / 1000.0)  # legacy: None is a TypeError here

    def _wait(self, timeout: float | None) -> bool:
        # legacy: negative means forever; a context that never ran is never "stopped"
        ms = -1 if timeout is None else to_ms(timeout, "timeout")
        deadline = None if ms < 0 else time.monotonic() + ms / 1000.0
        while self._engine is None:
            if deadline is not None and time.monotonic() >= deadline:
                return False
            time.sleep(
                0.05 if deadline is None else min(0.05, max(0.0, deadline - time.monotonic()))
            )
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        return self._engine.wait(left)

    def remember(self, duration: float) -> None:
        """Keep the batches of every stream for at least ``duration`` seconds (see ``slice``)."""
        if self._remember_ms is not None:
            raise illegal_argument(
                f"Remember duration already set as {self._remember_ms} ms. Cannot set it again."
            )
        self._remember_ms = to_ms(duration, "duration")

    def checkpoint(self, directory: str | None) -> None:
        """Keep everything a restart needs under ``directory``; None turns this off."""
        if directory is None:
            self._checkpoint_dir = None
            return
        from dstream_compat.connectors.hadoop.hadoop_storage import storage_for

        storage = storage_for(arguments.text(directory, "directory"))
        storage.make()
        # with its scheme, or Hadoop would look for a local directory on its default file system
        local = storage.is_local
        self._checkpoint_dir = Path(storage.path()).as_uri() if local else storage.path()
        self._sc.setCheckpointDir(directory)

    def addStreamingListener(self, streamingListener: Any) -> None:
        """Call the methods of ``streamingListener`` as batches are processed."""
        arguments.check_listener(streamingListener)
        self._bus.add(streamingListener)

    def state_metrics(self) -> list[StateMetrics]:
        """How much state each stateful operator holds after the latest batch. New.

        Listeners get the same from ``batchCompleted.batchInfo().stateMetrics()``.
        """
        return [] if self._engine is None else self._engine.state_metrics()

    # -- input streams -------------------------------------------------------------------------

    def queueStream(
        self, rdds: list[Any], oneAtATime: bool = True, default: Any = None
    ) -> DStream[Any]:
        """One of ``rdds`` (RDDs or lists) per batch, in order; then ``default``, or nothing."""
        if not rdds and default:
            rdds = [rdds]
        if len({isinstance(batch, RDD) for batch in rdds}) > 1:
            raise AttributeError(
                "queueStream takes either RDDs or lists, not both; the first element is a "
                f"{type(rdds[0]).__name__}"
            )
        if not isinstance(rdds[0], RDD):
            rdds = [batch if isinstance(batch, range) else list(batch) for batch in rdds]
        if default and not isinstance(default, (RDD, range)):
            default = list(default)
        # legacy: the queue is copied, so later changes to it have no effect
        spec = QueueSpec(tuple(rdds), oneAtATime, default or None, self._sc.defaultParallelism)
        return self._input("queueStream", spec)

    def socketTextStream(
        self,
        hostname: str,
        port: int,
        storageLevel: StorageLevel = StorageLevel.MEMORY_AND_DISK_2,
    ) -> DStream[str]:
        """Lines of text received from ``hostname:port``."""
        arguments.check_port(port)
        spec = SocketSpec(arguments.text(hostname, "hostname"), port)
        return self._input("socketTextStream", spec)

    def textFileStream(self, directory: str) -> DStream[str]:
        """Lines of the text files that appear in ``directory`` (a path or a glob pattern)."""
        spec = FileSpec(arguments.text(directory, "directory"), self._now_ms(), None)
        return self._input("textFileStream", spec)

    def binaryRecordsStream(self, directory: str, recordLength: int) -> DStream[bytes]:
        """Records of ``recordLength`` bytes of the files that appear in ``directory``."""
        arguments.check_record_length(recordLength)
        spec = FileSpec(arguments.text(directory, "directory"), self._now_ms(), recordLength)
        return self._input("binaryRecordsStream", spec)

    def receiverStream(self, receiver: Receiver) -> DStream[Any]:
        """What your own :class:`~dstream_compat.Receiver` stores. New in Python.

        Received data is kept with the checkpoint. Data from ``storeAll`` survives a crash of the
        driver at once, data from ``store`` when its block is complete (every 200 ms).
        """
        from dstream_compat.input.receiver import Receiver

        if not isinstance(receiver, Receiver):
            raise arguments.wrong("receiver", "a Receiver", receiver)
        return self._input("receiverStream", ReceiverSpec(receiver))

    def dataFrameStream(self, df: DataFrame) -> DStream[Any]:
        """The rows of a streaming DataFrame as a DStream of Rows. New.

        Rows that Spark reads in a micro-batch belong to the last batch time it covers.
        """
        if not getattr(df, "isStreaming", False):
            raise ValueError(
                "dataFrameStream takes a streaming DataFrame (spark.readStream…); use "
                "queueStream([df.rdd]) for a static one"
            )
        return self._input("dataFrameStream", DataFrameSpec(df))

    def transform(
        self, dstreams: list[DStream[Any]], transformFunc: Callable[..., Any]
    ) -> DStream[Any]:
        """``transformFunc((rdd, …))`` of each batch of several streams; runs in the driver."""
        self._require_open("transform")
        if not dstreams:
            raise spark_error("head of empty list", "transform")
        self._require_own(*dstreams)
        if len({stream._node.slide_ms for stream in dstreams}) > 1:
            raise illegal_argument("Some of the DStreams have different slide durations")
        inputs = tuple(stream._node for stream in dstreams)
        function = _listed(transformFunc)
        site = call_site("transform")
        node = Transform(site, inputs[0].slide_ms, inputs, function, folds=False)
        return DStream(node, self)

    def union(self, *dstreams: DStream[Any]) -> DStream[Any]:
        """The elements of all streams, in their order."""
        if not dstreams:
            raise ValueError("should have at least one DStream to union")
        if len(dstreams) == 1:
            return dstreams[0]
        if len({stream._slideDuration for stream in dstreams}) > 1:
            raise ValueError("All DStreams should have same slide duration")
        self._require_open("union")
        self._require_own(*dstreams)
        inputs = tuple(stream._node for stream in dstreams)
        return DStream(union_of(call_site("union"), inputs), self)

    # -- for the rest of the package -----------------------------------------------------------

    def _report_to(self, reports: Reports) -> None:
        """Before the start: have ``reports`` told of every step of every batch."""
        self._reports.append(reports)

    @property
    def _started(self) -> bool:
        return self._status != _OPEN

    def _require_open(self, call: str) -> None:
        if self._status != _OPEN:
            when = "starting" if self._status == _ACTIVE else "stopping"
            raise illegal_state(
                "Adding new inputs, transformations, and output operations after "
                f"{when} a context is not supported",
                call,
            )

    def _require_own(self, *dstreams: DStream[Any]) -> None:
        if any(stream._ssc is not self for stream in dstreams):
            raise illegal_argument("Some of the DStreams have different contexts")

    def _input(self, name: str, spec: SourceSpec) -> DStream[Any]:
        self._require_open(name)
        external = isinstance(spec, (DataFrameSpec, SparkSourceSpec))
        number = len(self._inputs)
        source = Source(call_site(name), self._interval_ms, number, spec, external)
        self._inputs.append(source)
        return DStream(source, self)

    def _has_checkpoint_directory(self) -> bool:
        # legacy: one set only on the SparkContext will do, although nothing is restored from it
        return self._checkpoint_dir is not None or self._sc.getCheckpointDir() is not None

    def _initial_state(self, site: str, pairs: Any) -> Source:
        """An initial state is an input with a single batch, the first."""
        from dstream_compat.input.queues import slices

        if isinstance(pairs, RDD):
            spec = InitialStateSpec(lru_cache(maxsize=1)(lambda: _collected(pairs)))
        else:
            parts = slices(list(pairs), self._sc.defaultParallelism)
            spec = InitialStateSpec(lambda: parts)
        source = Source(site, self._interval_ms, _INITIAL + len(self._initials), spec)
        self._initials.append(source)
        return source

    def _now_ms(self) -> int:
        from dstream_compat.input.clock import clock_for

        return clock_for(self._sc).now_ms()

    def _slice(self, node: Node, begin_ms: int, end_ms: int) -> list[Any]:
        if self._engine is None:
            raise spark_error(f"DStream ({node.site}) has not been initialized", "slice")
        return self._engine.slice(node, begin_ms, end_ms)

    def _to_dataframe(self, stream: DStream[Any], schema: Any) -> DataFrame:
        from dstream_compat.engine.to_dataframe import to_dataframe

        return to_dataframe(self._sc, partial(stream._output, "toDF"), schema)


def _collected(rdd: RDD[Any]) -> list[list[Any]]:
    return rdd.glom().collect()


class _JavaLike:
    """What jobs and tests use of ``ssc._jssc``, and no more."""

    def __init__(self, ssc: StreamingContext) -> None:
        self._ssc = ssc

    def stop(self, stopSparkContext: bool = True, stopGraceFully: bool = False) -> None:
        self._ssc._stop_streaming(stopGraceFully)
        if stopSparkContext:
            self._ssc._sc.stop()


def _listed(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda time, rdds: function(tuple(rdds))  # legacy: a tuple
