"""The RDDs that a direct Kafka stream hands out: they know their offsets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyspark import SparkContext

from dstream_compat.connectors.kafka.records import KafkaRDD
from dstream_compat.engine.rdds import BatchRDD, PartitionData
from dstream_compat.graph.nodes import Node
from dstream_compat.stages.kafka_messages import OffsetRange
from dstream_compat.stages.partitions import Batch, KafkaRange


class KafkaBatchRDD(BatchRDD, KafkaRDD):
    """The RDD of a direct stream at a tick."""

    def __init__(
        self,
        sc: SparkContext,
        partitions: Sequence[PartitionData],
        heavy: Callable[[], Any] | None,
        ranges: Sequence[OffsetRange],
    ) -> None:
        super().__init__(sc, partitions, heavy)
        self._ranges = ranges


def batch_rdd(
    sc: SparkContext,
    node: Node,
    tick: int,
    partitions: Sequence[PartitionData],
    heavy: Callable[[], Any] | None,
    logged: Callable[[int, int], Batch | None],
) -> BatchRDD:
    """The RDD of a stream at a tick; that of a direct Kafka stream knows its offsets.

    ``logged`` gives what a source had at a tick.
    """
    source = node.marks.ranges_of
    if source is None:
        return BatchRDD(sc, partitions, heavy)
    batch = logged(tick, source)
    ranges = [
        OffsetRange(part.topic, part.partition, part.start, part.until)
        for part in (batch.partitions if batch is not None else ())
        if isinstance(part, KafkaRange)
    ]
    return KafkaBatchRDD(sc, partitions, heavy, ranges)
