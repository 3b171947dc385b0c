"""The one module that knows RDDs: batches handed to user code, and streams computed from them."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark import RDD, SparkContext

from dstream_compat.base.errors import spark_error
from dstream_compat.base.pyspark_internals import (
    LateRDD,
    deserializer,
    drop_shuffle_files,
    java_rdd,
    java_rdd_of_bytes,
    output_check,
    pickled_lists,
    rdd_of_file,
    rdd_of_lists,
    temp_dir,
)
from dstream_compat.engine.shipping import on_workers
from dstream_compat.stages.chunks import dumps
from dstream_compat.stages.frames import ERROR, OPEN, Frame, records_of
from dstream_compat.stages.partitions import Data, FailedPartition, Partition


@dataclass
class PartitionData:
    """One partition of a batch as the driver has it; ``heavy`` if its bytes are elsewhere."""

    chunks: list[bytes] = field(default_factory=list)
    records: int = 0
    error: str | None = None
    heavy: bool = False

    def elements(self) -> Iterator[Any]:
        for chunk in self.chunks:
            yield from pickle.loads(chunk)
        if self.error is not None:
            raise task_error(self.error)


def gather(frames: Iterable[Frame], count: int) -> list[PartitionData]:
    """The partitions of one stream at one tick, from its frames."""
    partitions = [PartitionData() for _ in range(count)]
    for frame in sorted(frames, key=lambda frame: (frame.part, frame.seq)):
        partition = partitions[frame.part]
        if frame.seq == ERROR:
            partition.error = frame.chunk.decode()
        elif frame.seq != OPEN:
            partition.records += records_of(frame.src)
            partition.heavy |= frame.src < 0
            if not partition.heavy:
                partition.chunks.append(bytes(frame.chunk))
    return partitions


def task_error(text: str) -> Exception:
    """What an action raises when a user's function failed on a worker."""
    return spark_error(
        "Job aborted due to stage failure: org.apache.spark.api.python.PythonException: " + text,
        "collectAndServe",
    )


class BatchRDD(LateRDD):
    """The RDD of a stream at a tick: a real RDD that serves what the driver already has itself.

    The Java side is made only when something asks for it. ``heavy`` gives the Java RDD of pickled
    chunks where the elements are too many for the driver.
    """

    def __init__(
        self,
        sc: SparkContext,
        partitions: Sequence[PartitionData],
        heavy: Callable[[], Any] | None = None,
    ) -> None:
        super().__init__(sc)
        self._partitions = partitions
        self._heavy = heavy

    @property
    def _inline(self) -> bool:
        return not any(partition.heavy for partition in self._partitions)

    def settle(self) -> None:
        """Take what is needed from the batch this came from: it is about to be dropped."""
        if not self._inline:
            java_rdd(self)

    def getNumPartitions(self) -> int:
        return len(self._partitions)

    def unpersist(self, blocking: bool = False) -> RDD[Any]:
        if self._inline:
            return super().unpersist(blocking)
        self.is_cached = (
            False  # its blocks are all there is of it: they go when it is no longer held
        )
        return self

    def collect(self) -> list[Any]:
        if not self._inline:
            return super().collect()
        return [element for partition in self._partitions for element in partition.elements()]

    def count(self) -> int:
        for partition in self._partitions:
            if partition.error is not None:
                raise task_error(partition.error)
        return sum(partition.records for partition in self._partitions)

    def take(self, num: int) -> list[Any]:
        """The first ``num`` elements. Looks at as many partitions as Spark would, not at all."""
        taken: list[Any] = []
        tried = 0
        while len(taken) < num and tried < len(self._partitions):
            group = 1 if tried == 0 else _next_group(num, tried, len(taken))
            left = num - len(taken)
            for partition in self._partitions[tried : tried + group]:
                found = _first(partition, left)
                if found is None:  # the answer lies in bytes that are not here
                    return super().take(num)
                taken.extend(found)
            tried += group
        return taken[:num]

    def make_java(self) -> tuple[Any, Any]:
        if self._heavy is not None and not self._inline:
            java = self._heavy()
        else:
            java = _parallelize(self.ctx, [_one_chunk(partition) for partition in self._partitions])
        errors = {i: p.error for i, p in enumerate(self._partitions) if p.error is not None}
        if not errors:
            return java, pickled_lists()
        plain: RDD[Any] = rdd_of_lists(java, self.ctx)
        failing = plain.mapPartitionsWithIndex(_failing(errors))
        return java_rdd(failing), deserializer(failing)


def _next_group(num: int, tried: int, found: int) -> int:
    """How many partitions PySpark's ``take`` looks at next."""
    if found == 0:
        return tried * 4
    return min(max(int(1.5 * num * tried / found) - tried, 1), tried * 4)


def _first(partition: PartitionData, num: int) -> list[Any] | None:
    """Up to ``num`` elements of a partition; None if that needs bytes the driver does not have."""
    found: list[Any] = []
    for chunk in partition.chunks:
        found.extend(pickle.loads(chunk))
        if len(found) >= num:
            return found[:num]
    if partition.heavy:
        return None
    if partition.error is not None:
        raise task_error(partition.error)
    return found


def _one_chunk(partition: PartitionData) -> bytes:
    if len(partition.chunks) == 1:
        return partition.chunks[0]
    return dumps([element for chunk in partition.chunks for element in pickle.loads(chunk)])


def _failing(errors: dict[int, str]) -> Callable[[int, Iterable[Any]], Iterable[Any]]:
    def fail_at_the_end(index: int, iterator: Iterable[Any]) -> Iterable[Any]:
        yield from iterator
        if index in errors:
            raise RuntimeError(errors[index])

    return fail_at_the_end


def _parallelize(sc: SparkContext, chunks: list[bytes]) -> Any:
    """A Java RDD with one pickled chunk per partition."""
    if not chunks:
        return java_rdd(sc.emptyRDD())
    with tempfile.NamedTemporaryFile(delete=False, dir=temp_dir(sc)) as file:
        for chunk in chunks:
            file.write(len(chunk).to_bytes(4, "big") + chunk)
    try:
        return rdd_of_file(sc, file.name, len(chunks))
    finally:
        os.unlink(file.name)


def heavy_rdd(df: Any, route: int, tick: int, count: int) -> Any:
    """The Java RDD of the chunks of one stream and tick, cut loose from the batch it is part of.

    The query's plan must not run again for it, not even after the batch is over: so its data is
    copied into separate blocks, which Spark drops once the RDD is no longer held.
    """
    from pyspark.sql import functions as F

    chosen = (
        df.where((F.col("route") == route) & (F.col("tick") == tick))
        .where((F.col("seq") >= 0) & (F.col("seq") < ERROR))
        .repartitionById(count, F.col("part"))
        .sortWithinPartitions("seq")
        .select("chunk")
    )
    java = java_rdd_of_bytes(chosen)
    java.rdd().localCheckpoint()
    java.count()
    return java


def run_again(df: Any) -> None:
    """Have the next job on ``df`` run all of its tasks.

    Otherwise Spark would reuse what successful tasks have left: shuffle files and cached blocks.
    """
    drop_shuffle_files(df)
    if df.is_cached:
        df.unpersist(blocking=True)
        df.persist()


def packed_partitions(rdd: RDD[Any]) -> tuple[Partition, ...]:
    """The partitions of an RDD, for the input log; those that fail say why."""
    if isinstance(rdd, BatchRDD) and rdd._inline:
        return tuple(
            Data(tuple(part.chunks), part.records)
            if part.error is None
            else FailedPartition(part.error)
            for part in rdd._partitions
        )
    try:
        packed = rdd.mapPartitions(on_workers("pack")).collect()
        return tuple(Data(tuple(chunks), records) for chunks, records in packed)
    except Exception as error:  # a user's function in it, most likely
        return (FailedPartition(str(error)[:6000]),) * rdd.getNumPartitions()


def partitions_of(rdd: RDD[Any]) -> list[list[Any]]:
    """The elements of an RDD, partition by partition."""
    return rdd.glom().collect()


class WritingOver:
    """While this is entered, saving into a directory that exists replaces the files of equal name.

    legacy: Hadoop's check for an existing output directory is off inside streaming jobs. Only in
    the calling thread: the program's own saves are checked as ever.
    """

    def __init__(self, sc: SparkContext) -> None:
        self._unchecked = output_check(sc)

    def __enter__(self) -> None:
        self._set(True)

    def __exit__(self, *exc: object) -> None:
        self._set(False)

    def _set(self, unchecked: bool) -> None:
        getattr(self._unchecked, "value_$eq")(unchecked)
