"""A Kafka stream is read in ranges of offsets, and its group is a Kafka group.

## Why

Every batch of `createDirectStream` and `createStream` is a range of offsets per partition, written
to the checkpoint before it is processed: every record comes exactly once. `createStream` no longer
has a receiver and keeps its group in Kafka, not in ZooKeeper. Partitions that are added to a topic
are read from their beginning. If the brokers do not answer, the job waits for them. A parameter
that Kafka does not know is refused when the stream is made. If retention has deleted the first
records of a range, the batch has the rest, and `awaitTermination` raises.

## What to do

Nothing, unless a second process shared the group of a `createStream`: this stream now reads all
partitions. See [Kafka](../kafka.md).
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._examples import KAFKA
from migrator.rules._notes import Note, calls

RULE = Note(
    "DS216",
    "kafka-ranges",
    "Kafka streams are read in ranges of offsets, without receivers",
    on=calls(Kind.UTILS, "createStream", "createDirectStream", owners=("KafkaUtils",)),
    message="Kafka is read in ranges of offsets, without a receiver",
    help="nothing to do, unless another process shares the group",
    differences=("D49", "D50", "D51", "D52", "D64"),
)

VALID = [KAFKA + "KafkaUtils.createRDD(sc, params, ranges).count()\n"]
INVALID = [
    Example(KAFKA + 'KafkaUtils.createDirectStream(ssc, ["events"], params).pprint()\n', lines=(4,))
]
