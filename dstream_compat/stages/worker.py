"""What executors call: Arrow batches in, a stage run on them, Arrow batches out."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from typing import Any

import pyarrow as pa
from pyspark import TaskContext

from dstream_compat.base.pyspark_internals import rows_of
from dstream_compat.stages.chunks import chunks
from dstream_compat.stages.frames import LAST_TICK, Frame
from dstream_compat.stages.orders import received
from dstream_compat.stages.partitions import read_partition
from dstream_compat.stages.plan import Stage
from dstream_compat.stages.run import run_input, run_ranges, run_stage
from dstream_compat.stages.tasks import Records, Setting, Task

ARROW = pa.schema(
    [
        ("route", pa.int32()),
        ("tick", pa.int64()),
        ("part", pa.int32()),
        ("src", pa.int32()),
        ("seq", pa.int32()),
        ("chunk", pa.binary()),
    ]
)
_BATCH_BYTES = 4 * 1024 * 1024


def read_task(stage: bytes, slots: int, task: bytes) -> Iterator[pa.RecordBatch]:
    """Stage 0 on one input task."""
    opened: Task = pickle.loads(task)
    return to_arrow(run_input(pickle.loads(stage), opened, _setting(slots)))


def read_kafka(
    stage: bytes, slots: int, source: int, described: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Stage 0 on a Kafka partition, as Spark's connector reads it."""
    context, orders = TaskContext.get(), received()
    assert context is not None
    assert orders is not None
    first, spans = orders.kafka.reads[source]
    topic, partition, slices = spans[context.partitionId() - first]
    records = Records(topic, partition, described, _rows(batches, partition))
    ticks, setting = dict(orders.kafka.ticks), orders.setting(slots)
    return to_arrow(run_ranges(pickle.loads(stage), source, slices, ticks, records, setting))


def handle_messages(key: Any, value: Any, handler: Any, rows: Iterable[Any]) -> Iterator[Any]:
    """A ``messageHandler`` on the rows of ``createRDD``."""
    from dstream_compat.stages.kafka_messages import KafkaMessageAndMetadata

    for topic, partition, offset, *raw in rows:
        content = (None if part is None else bytes(part) for part in raw)
        message = KafkaMessageAndMetadata(topic, partition, offset, *content)
        message._set_key_decoder(key)
        message._set_value_decoder(value)
        yield handler(message)


def _rows(batches: Iterable[pa.RecordBatch], partition: int) -> Iterator[tuple[int, Any, Any]]:
    """Offset, key and value of every record."""
    for batch in batches:
        keys, values, partitions, offsets = (column.to_pylist() for column in batch.columns)
        if partitions and {partitions[0], partitions[-1]} != {partition}:
            raise RuntimeError("this task was given a Kafka partition other than the planned one")
        yield from zip(offsets, keys, values, strict=True)


def run_frames(
    stage: bytes, slots: int, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """A later stage on the frames of one slot."""
    opened: Stage = pickle.loads(stage)
    return to_arrow(run_stage(opened, from_arrow(batches), _setting(slots)))


def run_stateful(stage: bytes, slots: int, state: Any, rows: Iterable[Any]) -> Iterator[Any]:
    """A stage with state on the frames of one slot: rows in, rows out."""
    from dstream_compat.stages.state_store import SparkStore

    opened: Stage = pickle.loads(stage)
    frames = (Frame(*row[:6]) for row in rows)
    for frame in run_stage(opened, frames, _setting(slots), SparkStore(state)):
        yield _Out(frame)


class _Out:
    """A frame that looks enough like a Row for Spark."""

    __slots__ = ("_frame",)

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def asDict(self, recursive: bool = False) -> dict[str, Any]:
        return self._frame._asdict()


def wrap_rows(
    route: int, slots: int, schema: Any, as_bytes: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Rows that Spark read become frames of a source, dealt out over the slots.

    ``schema`` is the DataFrame's; ``as_bytes``: whether binary columns hold bytes or bytearrays.
    """
    context = TaskContext.get()
    task = context.partitionId() if context is not None else 0

    def frames() -> Iterator[Frame]:
        seq = 0
        for batch in batches:
            table = pa.Table.from_batches([batch])
            rows = rows_of(table, schema, as_bytes)
            for _, chunk in chunks(rows):
                yield Frame(route, LAST_TICK, (task + seq) % slots, task, seq, chunk)
                seq += 1

    return to_arrow(frames())


def _setting(slots: int) -> Setting:
    orders = received()
    if orders is None:
        return Setting((), slots, broken="no functions were sent")
    return orders.setting(slots)


def to_arrow(frames: Iterable[Frame]) -> Iterator[pa.RecordBatch]:
    """Frames in record batches of a few megabytes."""
    held: list[Frame] = []
    size = 0
    for frame in frames:
        held.append(frame)
        size += len(frame.chunk)
        if size > _BATCH_BYTES:
            yield _batch(held)
            held, size = [], 0
    if held:
        yield _batch(held)


def _batch(frames: list[Frame]) -> pa.RecordBatch:
    columns: list[Any] = list(zip(*frames, strict=True))
    arrays = [
        pa.array(column, type=kind) for column, kind in zip(columns, ARROW.types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=ARROW)


def from_arrow(batches: Iterable[pa.RecordBatch]) -> Iterator[Frame]:
    for batch in batches:
        yield from map(Frame, *(column.to_pylist() for column in batch.columns))


def pack(elements: Iterable[Any]) -> Iterator[tuple[list[bytes], int]]:
    """One partition as chunks, with the number of its elements."""
    packed = list(chunks(elements))
    yield [chunk for _, chunk in packed], sum(records for records, _ in packed)


def pack_values(pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[list[bytes], int]]:
    """The same for the values of pairs, as Hadoop's formats give them."""
    yield from pack(bytes(v) if isinstance(v, bytearray) else v for _, v in pairs)


def slice_task(stage: bytes, slots: int, functions: bytes, task: bytes) -> list[tuple[Any, ...]]:
    """Stage 0 for ``slice``, in a plain RDD job."""
    setting = _for_slice(functions, slots)
    return [tuple(frame) for frame in run_input(pickle.loads(stage), pickle.loads(task), setting)]


def slice_frames(
    stage: bytes, slots: int, functions: bytes, rows: Iterable[Any]
) -> Iterator[tuple[Any, ...]]:
    """A later stage for ``slice``."""
    setting = _for_slice(functions, slots)
    for frame in run_stage(pickle.loads(stage), (Frame(*row) for row in rows), setting):
        yield tuple(frame)


def _for_slice(functions: bytes, slots: int) -> Setting:
    from pyspark import cloudpickle

    def reopen() -> Any:
        return cloudpickle.loads(functions)

    return Setting(reopen(), slots, reopen=reopen)


def read_rows(columns: tuple[str, ...], task: bytes) -> Iterator[tuple[Any, ...]]:
    """The elements of a stream's ``toDF``, as rows with the batch time as their last column."""
    opened: Task = pickle.loads(task)
    for tick, _, _, partition in opened.partitions:
        moment = datetime.fromtimestamp(tick / 1000.0, timezone.utc)
        for chunk in read_partition(partition):
            for element in chunk:
                yield (*_as_row(element, columns), moment)


def _as_row(element: Any, columns: tuple[str, ...]) -> tuple[Any, ...]:
    if isinstance(element, dict):
        return tuple(element.get(column) for column in columns)
    if isinstance(element, (tuple, list)):
        if len(element) != len(columns):
            raise ValueError(
                f"toDF: an element has {len(element)} fields, the schema has {len(columns)} columns"
            )
        return tuple(element)
    if len(columns) == 1:
        return (element,)
    raise ValueError(
        f"toDF: an element is a {type(element).__name__}, the schema has {len(columns)} columns"
    )
