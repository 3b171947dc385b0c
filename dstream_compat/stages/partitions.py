"""What one tick of an input stream consists of: partitions, and how an executor reads them.

Only plain data goes from the driver to the executors, so every partition here is a small frozen
record of built-in types. No Spark in here.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dstream_compat.stages.chunks import CHUNK, pickle_chunks, split_chunks
from dstream_compat.stages.failures import Failure
from dstream_compat.stages.reading import read_records, read_text


@dataclass(frozen=True)
class Data:
    """The elements themselves: each chunk is a pickled list."""

    chunks: tuple[bytes, ...]
    records: int


@dataclass(frozen=True)
class Stored:
    """A received block on disk, in its own file: the same chunks, each after its length."""

    path: str
    records: int
    size: int


@dataclass(frozen=True)
class TextSplit:
    """The lines of a text file that start in ``[start, start + length)``."""

    path: str
    start: int
    length: int


@dataclass(frozen=True)
class RecordSplit:
    """The fixed-length records of a binary file that start in ``[start, start + length)``."""

    path: str
    start: int
    length: int
    record_length: int


@dataclass(frozen=True)
class KafkaRange:
    """The records of a Kafka partition from offset ``start`` up to, not including, ``until``.

    Executors read them with Spark's connector, not with :func:`read_partition`.
    """

    topic: str
    partition: int
    start: int
    until: int

    @property
    def records(self) -> int:
        return self.until - self.start


@dataclass(frozen=True)
class BrokenPartition:
    """A partition that is not available: reading it, where it is used, raises ``message``."""

    message: str


@dataclass(frozen=True)
class FailedPartition:
    """A partition that a user's function failed to compute; ``text`` describes the error."""

    text: str


Partition = Data | Stored | TextSplit | RecordSplit | KafkaRange | BrokenPartition | FailedPartition
TopicPartition = tuple[str, int]


@dataclass(frozen=True)
class InputInfo:
    """What a listener is told of an input stream's batch."""

    records: int
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Batch:
    """One input stream's share of one tick. ``info`` is None for streams listeners never see."""

    partitions: tuple[Partition, ...] = ()
    info: InputInfo | None = None


def portable_data(elements: Iterable[Any]) -> Data:
    """A partition holding ``elements`` as they are now.

    >>> b"".join(bytes([e]) for c in read_partition(portable_data([1, 2, 3])) for e in c)
    b'\\x01\\x02\\x03'
    """
    listed = list(elements)
    return Data(pickle_chunks(listed), len(listed))


def read_partition(partition: Partition) -> Iterator[list[Any]]:
    """The elements of a partition, as lists of about ``CHUNK`` elements. Runs on executors."""
    if isinstance(partition, Data):
        for chunk in partition.chunks:
            yield pickle.loads(chunk)
    elif isinstance(partition, Stored):
        with open(partition.path, "rb") as file:
            for chunk in split_chunks(file.read()):
                yield pickle.loads(chunk)
    elif isinstance(partition, TextSplit):
        yield from read_text(partition.path, partition.start, partition.length, CHUNK)
    elif isinstance(partition, RecordSplit):
        yield from read_records(
            partition.path, partition.start, partition.length, partition.record_length, CHUNK
        )
    elif isinstance(partition, KafkaRange):
        if partition.records:
            raise RuntimeError("a Kafka partition is read by Spark's connector")
    elif isinstance(partition, FailedPartition):
        raise Failure(partition.text)
    else:
        raise OSError(partition.message)
