"""What an input stream is, as the user said it; the runtime makes sources of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dstream_compat.stages.partitions import TopicPartition


@dataclass(frozen=True, eq=False)
class QueueSpec:
    """``batches`` and ``default`` are RDDs or lists; lists are cut as ``sc.parallelize`` does."""

    batches: tuple[Any, ...]
    one_at_a_time: bool
    default: Any
    parallelism: int

    def __reduce__(self) -> Any:
        # legacy: a checkpoint with a queue can be written and not be read
        return _cannot_be_restored, (
            "queueStream doesn't support checkpointing. Please don't use queueStream when "
            "checkpointing is enabled.",
        )


@dataclass(frozen=True, eq=False)
class InitialStateSpec:
    """The state before the first batch: ``partitions`` gives its pairs, partition by partition."""

    partitions: Callable[[], Sequence[Sequence[Any]]]

    def __reduce__(self) -> Any:
        return _restored_state, (self.partitions(),)


@dataclass(frozen=True)
class PartitionedSpec:
    """Batches given partition by partition: for replays."""

    batches: tuple[tuple[tuple[Any, ...], ...], ...]


@dataclass(frozen=True)
class SocketSpec:
    host: str
    port: int


@dataclass(frozen=True)
class FileSpec:
    """``record_length`` is None for text."""

    directory: str
    created_ms: int
    record_length: int | None


@dataclass(frozen=True, eq=False)
class ReceiverSpec:
    receiver: Any


@dataclass(frozen=True)
class Consumer:
    """What the ``kafkaParams`` of a stream come to.

    ``settings`` are for today's Kafka clients, by their plain names. ``commits`` is None where the
    job does not say whether offsets are committed.
    """

    brokers: str
    reset: str = "latest"
    group: str | None = None
    commits: bool | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, str] = field(default_factory=dict)

    @property
    def client(self) -> dict[str, str]:
        """For a client of the driver's own."""
        return {**self.settings, "bootstrap.servers": self.brokers}

    @property
    def options(self) -> dict[str, str]:
        """For Spark's connector."""
        return {f"kafka.{name}": value for name, value in self.client.items()}


@dataclass(frozen=True, eq=False)
class KafkaSpec:
    """Kafka topics. ``begin`` is where a direct stream starts, ``left_out`` what it must not read.

    The streams of a group have ``threads`` instead, by which they share a topic's partitions. An
    element is (key, value), or (topic, partition, offset, key, value) where it is ``described``.
    """

    consumer: Consumer
    topics: tuple[str, ...]
    begin: Mapping[TopicPartition, int] | None = None
    left_out: frozenset[TopicPartition] = frozenset()
    threads: Mapping[str, int] | None = None
    described: bool = False


@dataclass(frozen=True, eq=False)
class DataFrameSpec:
    """A streaming DataFrame, read by Spark beside the input log."""

    df: Any

    def __reduce__(self) -> Any:
        return _cannot_be_restored, ("dataFrameStream cannot be restored from a checkpoint.",)


@dataclass(frozen=True, eq=False)
class SparkSourceSpec:
    """A streaming source of Spark's, by its name: it can be opened again from a checkpoint."""

    format: str
    options: Mapping[str, str] = field(repr=False)  # there may be keys among them
    columns: tuple[str, ...]

    @property
    def df(self) -> Any:
        from pyspark import SparkContext
        from pyspark.sql import SparkSession

        session = SparkSession(SparkContext.getOrCreate())
        reader = session.readStream.format(self.format).options(**self.options)
        return reader.load().select(*self.columns)


def _restored_state(partitions: Sequence[Sequence[Any]]) -> InitialStateSpec:
    return InitialStateSpec(lambda: partitions)


def _cannot_be_restored(why: str) -> Any:
    raise ValueError(why)


SourceSpec = (
    QueueSpec
    | InitialStateSpec
    | PartitionedSpec
    | SocketSpec
    | FileSpec
    | ReceiverSpec
    | KafkaSpec
    | DataFrameSpec
    | SparkSourceSpec
)
