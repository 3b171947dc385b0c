"""``toDF``: a DStream as a streaming DataFrame, so that native queries can follow a legacy part.

The batches of the stream are logged, as input is; a data source reads that log. A query on it has
its own checkpoint and its own pace.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pyspark import RDD
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType, TimestampType

from dstream_compat.engine.log_source import LogServer, input_source
from dstream_compat.engine.planner import split_tasks
from dstream_compat.engine.shipping import on_workers
from dstream_compat.graph.specs import _cannot_be_restored
from dstream_compat.input.log import InputLog, LogEntry
from dstream_compat.input.storage import LocalStorage
from dstream_compat.stages.partitions import Batch, portable_data

if TYPE_CHECKING:
    from pyspark import SparkContext

TIME_COLUMN = "batch_time"


def to_dataframe(
    sc: SparkContext, register: Callable[[Callable[..., None]], None], schema: StructType | str
) -> DataFrame:
    """A streaming DataFrame of the elements of a stream, with their batch time.

    ``register`` adds an output operation to the stream.
    """
    session = SparkSession(sc)
    columns = _parsed(session, schema)
    if TIME_COLUMN in columns.fieldNames():
        raise ValueError(f"{TIME_COLUMN} is the column of the batch time; rename yours")
    logged = _LoggedStream(sc.defaultParallelism)
    register(logged)
    full = StructType([*columns.fields]).add(TIME_COLUMN, TimestampType())
    name = f"dstream_logged_{uuid.uuid4().hex}"
    read = on_workers("read_rows", tuple(columns.fieldNames()))
    server = logged.server
    session.dataSource.register(
        input_source(name, server.address, server.secret, read, full.simpleString())
    )
    return session.readStream.format(name).schema(full).load()


def _parsed(session: SparkSession, schema: Any) -> StructType:
    if isinstance(schema, str):
        parsed = StructType.fromDDL(schema)
        if isinstance(parsed, StructType):
            return parsed
    if isinstance(schema, StructType):
        return schema
    raise TypeError(f"schema should be a StructType or a DDL string, got {type(schema).__name__}")


class _LoggedStream:
    """The output operation of a ``toDF``: logs every batch once."""

    def __init__(self, slots: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="dstream-logged-")
        self._log = InputLog(LocalStorage(self._folder.name, durable=False))
        self.server = LogServer(
            self._log, lambda entries: split_tasks(entries, {0}, slots, 0), False
        )

    def __call__(self, time: datetime, rdd: RDD[Any]) -> None:
        tick = round(time.timestamp() * 1000)
        if self._log.number_of(tick):
            return  # the batch runs again after a crash
        packed = rdd.glom().collect()
        self._log.append(LogEntry(tick, tick, {0: Batch(tuple(map(portable_data, packed)))}))

    def __reduce__(self) -> Any:
        return _cannot_be_restored, ("toDF cannot be restored from a checkpoint.",)
