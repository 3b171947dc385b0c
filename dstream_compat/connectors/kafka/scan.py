"""Spark's Kafka connector reading exactly the offsets that the input log names.

The connector's own stream decides for itself which offsets a micro-batch covers. Here that is
decided tick by tick by the generator, so the connector's stream is wrapped: Spark asks a Python
object in the driver for offsets and partitions, and executors read with the connector as usual. An
offset of the wrapped stream is the number of a log entry, as it is for the log itself.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pyspark.sql import DataFrame, SparkSession

from dstream_compat.base.pyspark_internals import (
    accept_callbacks,
    no_read_limit,
    source_offset,
    with_table,
)
from dstream_compat.connectors.kafka.kafka_source import Unreachable
from dstream_compat.input.log import LogEntry
from dstream_compat.stages.partitions import KafkaRange, TopicPartition

logger = logging.getLogger(__name__)

_CONNECTOR = "org.apache.spark.sql.connector"
COLUMNS = ("key", "value", "partition", "offset")
Slice = tuple[int, int, int, int]  # tick, index of the partition in its batch, offsets from, until
Lost = tuple[int, int, int, str]  # source, tick, index, message


@dataclass(frozen=True)
class OffsetSpan:
    """What one task reads: the slices of a Kafka partition, in order."""

    topic: str
    partition: int
    slices: tuple[Slice, ...]

    @property
    def key(self) -> TopicPartition:
        return self.topic, self.partition


def spans_of(entries: Sequence[LogEntry], source: int) -> list[OffsetSpan]:
    """The Kafka partitions that some ticks read from, in order, without those that are empty."""
    found: dict[TopicPartition, list[Slice]] = {}
    for entry in entries:
        batch = entry.batches.get(source)
        for index, part in enumerate(batch.partitions if batch is not None else ()):
            if isinstance(part, KafkaRange) and part.records:
                slices = found.setdefault((part.topic, part.partition), [])
                slices.append((entry.tick, index, part.start, part.until))
    return [OffsetSpan(*key, tuple(slices)) for key, slices in sorted(found.items())]


def without_lost(
    spans: Sequence[OffsetSpan], earliest: Mapping[TopicPartition, int], source: int
) -> tuple[list[OffsetSpan], list[Lost], list[tuple[int, str]]]:
    """What the brokers still have of some spans, and what to report about the rest.

    A slice that is gone fails its batch. One that has lost its beginning is read from what is left;
    the third part of the answer, tick and text, reports that loss.
    """
    kept: list[OffsetSpan] = []
    lost: list[Lost] = []
    cut: list[tuple[int, str]] = []
    for span in spans:
        first = earliest.get(span.key, 0)
        slices: list[Slice] = []
        for tick, index, start, until in span.slices:
            text = (
                f"Kafka no longer has offsets {start} to {min(first, until)} of {span.topic}, "
                f"partition {span.partition}: they were deleted before this batch was read "
                "(retention). "
            )
            if until <= first:
                lost.append((source, tick, index, text + "Later batches are not affected"))
                continue
            if start < first:
                cut.append((tick, text + "The batch has the records after them"))
            slices.append((tick, index, max(start, first), until))
        if slices:
            kept.append(replace(span, slices=tuple(slices)))
    return kept, lost, cut


class KafkaScan:
    """One Kafka stream of a query: its DataFrame, and what its tasks are about to read.

    ``decide`` gives the log entry up to which the next micro-batch reads, after the one it is told.
    """

    def __init__(
        self,
        session: SparkSession,
        source: int,
        options: Mapping[str, str],
        first: int,
        decide: Callable[[int], int],
        entries: Callable[[int, int], Sequence[LogEntry]],
        earliest: Callable[[Sequence[TopicPartition]], Mapping[TopicPartition, int]],
        tell: Callable[[int, str], None],
    ) -> None:
        self.source = source
        self.first = first
        self.decide = decide
        self.planned: Sequence[LogEntry] = ()
        self.spans: list[OffsetSpan] = []
        self.lost: list[Lost] = []
        self._entries = entries
        self._earliest = earliest
        self._tell = tell
        self.sc = session.sparkContext
        accept_callbacks(self.sc)
        self.df = self._steered(session, options)

    def _steered(self, session: SparkSession, options: Mapping[str, str]) -> DataFrame:
        """The connector's DataFrame with our table in the place of its own."""
        df = session.readStream.format("kafka").options(**options).load()
        steered = with_table(session, df, "KafkaTable", lambda table: _Table(table, self))
        return steered.select(*COLUMNS)

    def offset(self, entry: int) -> Any:
        return source_offset(self.sc, json.dumps({"entry": entry}))

    def plan(self, stream: Any, start: int, end: int) -> Any:
        """The connector's input partitions for the entries after ``start`` up to ``end``."""
        self.planned = self._entries(start, end)
        spans = spans_of(self.planned, self.source)
        spans, self.lost, cut = without_lost(spans, self._still_there(spans), self.source)
        for tick, text in cut:
            logger.error("%s", text)  # the batch itself does not fail
            self._tell(tick, text)
        begin = {span.key: span.slices[0][2] for span in spans}
        until = {span.key: span.slices[-1][3] for span in spans}
        parts = stream.planInputPartitions(
            stream.deserializeOffset(_offsets(begin)), stream.deserializeOffset(_offsets(until))
        )
        # their order is the connector's
        by_key = {span.key: span for span in spans}
        ranges = [part.offsetRange() for part in parts]
        self.spans = [by_key.pop((read.topic(), read.partition())) for read in ranges]
        if by_key:
            raise RuntimeError(f"Spark's connector left out {sorted(by_key)}")
        return parts

    def _still_there(self, spans: Sequence[OffsetSpan]) -> Mapping[TopicPartition, int]:
        try:
            return self._earliest([span.key for span in spans]) if spans else {}
        except Unreachable:
            return {}  # the tasks will wait for the brokers


def _offsets(positions: Mapping[TopicPartition, int]) -> str:
    nested: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in positions.items():
        nested.setdefault(topic, {})[str(partition)] = offset
    return json.dumps(nested)


class _Wrapped:
    """A Java object as Spark sees it: what is not defined here, the original answers."""

    def __init__(self, original: Any, scan: KafkaScan) -> None:
        self._original = original
        self._scan = scan

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def hashCode(self) -> int:
        code: int = self._original.hashCode()
        return code

    def equals(self, other: Any) -> bool:
        return other is self

    def toString(self) -> str:
        return f"kafka stream {self._scan.source}"


class _Table(_Wrapped):
    def newScanBuilder(self, options: Any) -> Any:
        return _ScanBuilder(self._original.newScanBuilder(options), self._scan)

    class Java:
        implements: ClassVar = [f"{_CONNECTOR}.catalog.SupportsRead"]


class _ScanBuilder(_Wrapped):
    def build(self) -> Any:
        return _Scan(self._original.build(), self._scan)

    class Java:
        implements: ClassVar = [f"{_CONNECTOR}.read.ScanBuilder"]


class _Scan(_Wrapped):
    def toMicroBatchStream(self, location: str) -> Any:
        return _Stream(self._original.toMicroBatchStream(location), self._scan)

    class Java:
        implements: ClassVar = [f"{_CONNECTOR}.read.Scan"]


class _Stream(_Wrapped):
    def initialOffset(self) -> Any:
        return self._scan.offset(self._scan.first)

    def deserializeOffset(self, text: str) -> Any:
        return self._scan.offset(_entry(text))

    def getDefaultReadLimit(self) -> Any:
        return no_read_limit(self._scan.sc)

    def latestOffset(self, start: Any, limit: Any) -> Any:
        return self._scan.offset(self._scan.decide(_entry(start.json())))

    def reportLatestOffset(self) -> Any:
        return None

    def planInputPartitions(self, start: Any, end: Any) -> Any:
        return self._scan.plan(self._original, _entry(start.json()), _entry(end.json()))

    def commit(self, end: Any) -> None:
        return None

    class Java:
        implements: ClassVar = [
            f"{_CONNECTOR}.read.streaming.MicroBatchStream",
            f"{_CONNECTOR}.read.streaming.SupportsAdmissionControl",
        ]


def _entry(text: str) -> int:
    return int(json.loads(text)["entry"])
