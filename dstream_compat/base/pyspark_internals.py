"""Every private name of PySpark, and every way into its JVM, that this package borrows.

Each has one line or one small function here, with the reason, so an upgrade of Spark is one file's
work. Executors import this module too: what only the driver needs, or what PySpark itself does not
import, is imported inside functions.

What differs between the versions of Spark that we support:

- 4.2 and 4.3: nothing that we borrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError as Py4JError
from py4j.protocol import Py4JJavaError as Py4JJavaError
from pyspark import RDD, Broadcast, SparkContext
from pyspark.core.rdd import portable_hash as portable_hash  # where a key goes
from pyspark.resultiterable import ResultIterable as ResultIterable  # what groupByKey gives
from pyspark.serializers import BatchedSerializer, CPickleSerializer
from pyspark.shuffle import Aggregator, ExternalGroupBy, ExternalMerger
from pyspark.util import fail_on_stopiteration as fail_on_stopiteration

if TYPE_CHECKING:
    from pyspark import SparkConf
    from pyspark.sql import DataFrame, SparkSession

# -- the SparkContext and its JVM ------------------------------------------------------------------


def active_context() -> SparkContext | None:
    """The SparkContext that runs. ``SparkContext.getOrCreate`` would make one."""
    return SparkContext._active_spark_context


def is_stopped(sc: SparkContext) -> bool:
    """Whether the context is stopped: its JVM must not be asked any more."""
    return sc._jsc is None


def launch_jvm(conf: SparkConf | None = None) -> Any:
    """The JVM of this process, started if need be; a new SparkContext will use it."""
    SparkContext._ensure_initialized(conf=conf)
    return SparkContext._jvm


def running_jvm() -> Any | None:
    """The JVM of this process; None if none was started."""
    return SparkContext._jvm


def jvm(sc: SparkContext) -> Any:
    """The driver's JVM: Java's packages are its attributes."""
    return sc._jvm


def java_context(sc: SparkContext) -> Any:
    """The Scala SparkContext."""
    java: Any = sc._jsc
    return java.sc()


def is_local(sc: SparkContext) -> bool:
    """Whether the executors are in the driver's process, so that they read its disks."""
    java: Any = sc._jsc
    local: bool = java.isLocal()
    return local


def hadoop_conf(sc: SparkContext) -> Any:
    java: Any = sc._jsc
    return java.hadoopConfiguration()


def default_hadoop_conf() -> Any:
    """The Hadoop configuration of the context that runs, or what a new one would have."""
    active = active_context()
    if active is not None:
        return hadoop_conf(active)
    spark: Any = running_jvm()
    return spark.org.apache.spark.deploy.SparkHadoopUtil.get().conf()


def setting(sc: Any, key: str) -> str | None:
    """A setting of the context. ``getConf`` would copy all of them for each question."""
    conf = getattr(sc, "_conf", None)  # stand-ins for a context have none
    return None if conf is None else conf.get(key, None)


def all_settings(sc: SparkContext) -> dict[str, str]:
    return dict(sc._conf.getAll())


def temp_dir(sc: SparkContext) -> str:
    """A directory of the driver that goes with the context."""
    directory: str = sc._temp_dir
    return directory


def encrypts_files(sc: SparkContext) -> bool:
    """Whether files that Spark writes are encrypted, those of broadcasts among them."""
    return bool(sc._encryption_enabled)


def accept_callbacks(sc: SparkContext) -> None:
    """Let the JVM call Python objects: shutdown hooks, the Kafka scan."""
    from pyspark.java_gateway import ensure_callback_server_started

    ensure_callback_server_started(sc._gateway)  # type: ignore[no-untyped-call]


def scala_object(name: str) -> Any:
    """The one instance of a Scala ``object``; ``name`` ends with ``$``."""
    package: Any = running_jvm()
    for part in name.split("."):
        package = getattr(package, part)
    return getattr(package, "MODULE$")


def is_java_class(sc: SparkContext, name: str) -> bool:
    """Whether a class is on the driver's class path."""
    part = jvm(sc)
    for step in name.split("."):
        part = getattr(part, step)
    return type(part).__name__ == "JavaClass"


def java_cause(error: BaseException) -> Any | None:
    """The Java exception that PySpark has wrapped or converted; None: it was Python's own."""
    return getattr(error, "java_exception", None) or getattr(error, "_origin", None)


# -- files: checkpoints, addFile, saving -----------------------------------------------------------


def checkpoint_file_manager() -> Any:
    """What writes the checkpoints of streaming queries: files appear whole or not at all."""
    name = "org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager$"
    return scala_object(name)


def forget_file(sc: SparkContext, name: str) -> None:
    """Take a file off the list that ``addFile`` made: executors no longer fetch it."""
    for files in _all(java_context(sc).addedFiles().valuesIterator()):
        for url in [url for url in _all(files.keysIterator()) if url.endswith(f"/{name}")]:
            files.remove(url)


def output_check(sc: SparkContext) -> Any:
    """Scala's thread-local switch that turns off Hadoop's check for an existing output directory.

    Enter it with ``value_$eq(True)``: legacy streaming jobs ran with it on.
    """
    return jvm(sc).org.apache.spark.internal.io.SparkHadoopWriterUtils.disableOutputSpecValidation()


# -- broadcasts ------------------------------------------------------------------------------------


def broadcast_id(broadcast: Broadcast[Any]) -> int:
    number: int = broadcast._jbroadcast.id()
    return number


def broadcast_file(broadcast: Broadcast[Any]) -> str | None:
    """The driver's file that holds the pickled value."""
    path: str | None = broadcast._path
    return path


def broadcast_from(path: str) -> Broadcast[Any]:
    """A broadcast, on a worker, whose pickled value is in a file there."""
    return Broadcast(path=path)


# -- RDDs ------------------------------------------------------------------------------------------


class LateRDD(RDD[Any]):
    """An RDD whose Java side is made, by :meth:`make_java`, only when something asks for it."""

    def __init__(self, sc: SparkContext) -> None:
        # not RDD.__init__: that wants the Java RDD at once
        self.ctx = sc
        self._java: Any = None
        self.is_cached = False
        self.is_checkpointed = False
        self.has_resource_profile = False
        self._jrdd_deserializer = pickled_lists()
        self.partitioner = None

    def make_java(self) -> tuple[Any, Any]:
        """The Java RDD, and what reads its elements."""
        raise NotImplementedError

    @property
    def _jrdd(self) -> Any:
        if self._java is None:
            self._java, self._jrdd_deserializer = self.make_java()
        return self._java

    @property
    def _id(self) -> int:
        number: int = self._jrdd.id()
        return number

    @_id.setter
    def _id(self, number: int) -> None:
        pass

    def id(self) -> int:
        return self._id


def java_rdd(rdd: RDD[Any]) -> Any:
    """The Java RDD. legacy: it is by asking for it that what is no RDD fails."""
    return rdd._jrdd


def deserializer(rdd: RDD[Any]) -> Any:
    """What reads the elements of the Java RDD."""
    return rdd._jrdd_deserializer


def rdd_of_lists(java: Any, sc: SparkContext) -> RDD[Any]:
    """The RDD of the elements of a Java RDD of pickled lists."""
    return RDD(java, sc, pickled_lists())


def rdd_of_file(sc: SparkContext, path: str, partitions: int) -> Any:
    """The Java RDD of a file of byte strings, each after its length; one per partition."""
    return jvm(sc).PythonRDD.readRDDFromFile(sc._jsc, path, partitions)


def spilling_merger(functions: Sequence[Callable[..., Any]], memory_mb: int, size: int) -> Any:
    """What ``combineByKey`` merges with: it spills to disk in lists of ``size``."""
    return ExternalMerger(Aggregator(*functions), memory_mb, pickled_lists(size))


def spilling_group_by(functions: Sequence[Callable[..., Any]], memory_mb: int, size: int) -> Any:
    """What ``groupByKey`` merges with: it can also spill the values of one key."""
    return ExternalGroupBy(Aggregator(*functions), memory_mb, pickled_lists(size))


# -- DataFrames ------------------------------------------------------------------------------------


def java_rdd_of_bytes(df: DataFrame) -> Any:
    """The Java RDD of a DataFrame's only column, which is binary."""
    encoder = jvm(df.sparkSession.sparkContext).org.apache.spark.sql.Encoders.BINARY()
    return getattr(df._jdf, "as")(encoder).toJavaRDD()


def drop_shuffle_files(df: DataFrame) -> None:
    """Delete what the shuffles of a DataFrame have written, so that their tasks run again."""
    cleaner = java_context(df.sparkSession.sparkContext).cleaner()
    if cleaner.isDefined():
        for shuffle in _shuffles(df._jdf.queryExecution().toRdd()):
            cleaner.get().doCleanupShuffle(shuffle, True)


def source_class(sc: SparkContext, name: str) -> str | None:
    """The Java class that Spark reads the format ``name`` with; None if it knows of none."""
    from pyspark.sql import SparkSession

    session: Any = SparkSession(sc)._jsparkSession
    sources = jvm(sc).org.apache.spark.sql.execution.datasources
    try:
        found = sources.DataSource.lookupDataSource(name, session.sessionState().conf())
        return str(found.getName())
    except Py4JJavaError:
        return None


def with_table(
    session: SparkSession, df: DataFrame, name: str, wrap: Callable[[Any], Any]
) -> DataFrame:
    """A streaming DataFrame whose table, of the Java class ``name``, is what ``wrap`` makes of it.

    The table is one of the arguments of a ``StreamingRelationV2``; which one, differs.
    """
    from pyspark.sql import DataFrame

    java: Any = df._jdf
    relation = java.queryExecution().analyzed().collectLeaves().head()
    arguments = [relation.productElement(at) for at in range(relation.productArity())]
    at = next(
        number
        for number, argument in enumerate(arguments)
        if hasattr(argument, "getClass") and argument.getClass().getSimpleName() == name
    )
    arguments[at] = wrap(arguments[at])
    plan = relation.copy(*arguments)
    of_rows = jvm(session.sparkContext).org.apache.spark.sql.classic.Dataset.ofRows
    return DataFrame(of_rows(session._jsparkSession, plan), session)


def source_offset(sc: SparkContext, text: str) -> Any:
    """An offset of a stream, as Spark writes those of Python sources into its checkpoint."""
    python = jvm(sc).org.apache.spark.sql.execution.datasources.v2.python
    return python.PythonStreamingSourceOffset(text)


def no_read_limit(sc: SparkContext) -> Any:
    return jvm(sc).org.apache.spark.sql.connector.read.streaming.ReadLimit.allAvailable()


# -- workers ---------------------------------------------------------------------------------------


def rows_of(table: Any, schema: Any, binary_as_bytes: bool) -> Any:
    """The Rows of an Arrow table, as ``collect`` makes them."""
    from pyspark.sql.conversion import ArrowTableToRowsConversion

    return ArrowTableToRowsConversion.convert(table, schema, binary_as_bytes=binary_as_bytes)


def state_messages() -> Any:
    """The protocol buffers by which a stateful processor talks to the state store."""
    from pyspark.sql.streaming.proto import StateMessage_pb2

    return StateMessage_pb2


@dataclass(frozen=True)
class MapStateClient:
    """The connection of a MapState: its public methods wait for an answer to each call."""

    name: str
    stream: Any
    dumps: Callable[[Any], bytes]
    loads: Callable[[bytes], Any]
    answer: Callable[[], tuple[int, str, bytes]]  # status, message, value

    @classmethod
    def of(cls, state: Any) -> MapStateClient:
        api = state._mapStateClient._stateful_processor_api_client
        return cls(
            state._stateName,
            api.sockfile,
            api.pickleSer.dumps,
            api._deserialize_from_bytes,
            api._receive_proto_message,
        )


def pickled_lists(size: int = -1) -> Any:
    """What reads and writes pickled lists: of ``size`` elements, or (-1) one of all."""
    return BatchedSerializer(CPickleSerializer(), size)  # type: ignore[no-untyped-call]


def _all(scala: Any) -> Iterator[Any]:
    while scala.hasNext():
        yield scala.next()


def _shuffles(java: Any) -> list[int]:
    """The ids of all shuffles that a Java RDD is computed from."""
    found: list[int] = []
    dependencies = java.dependencies()
    for at in range(dependencies.size()):
        dependency = dependencies.apply(at)
        if dependency.getClass().getSimpleName() == "ShuffleDependency":
            found.append(dependency.shuffleId())
        found += _shuffles(dependency.rdd())
    return found
