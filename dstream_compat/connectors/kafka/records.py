"""The records of Kafka offset ranges, read as RDDs by Spark's connector."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from pyspark import RDD, SparkContext
from pyspark.sql import SparkSession

from dstream_compat.base.errors import spark_error
from dstream_compat.base.pyspark_internals import deserializer, java_rdd
from dstream_compat.connectors.kafka.admin import KafkaAdmin
from dstream_compat.connectors.kafka.jars import require_connector
from dstream_compat.connectors.kafka.kafka_source import Unreachable
from dstream_compat.connectors.kafka.starting import dump_offsets
from dstream_compat.graph.nodes import Source
from dstream_compat.graph.specs import Consumer, KafkaSpec
from dstream_compat.input.log import LogEntry
from dstream_compat.stages.kafka_messages import OffsetRange
from dstream_compat.stages.partitions import KafkaRange, Partition, portable_data


class KafkaRDD(RDD[Any]):
    """An RDD of Kafka records: that of ``createRDD``, or of a direct stream at a tick."""

    _ranges: Sequence[OffsetRange] = ()

    def offsetRanges(self) -> list[OffsetRange]:
        """The offsets in it, one range per partition."""
        return list(self._ranges)


def with_records(
    sc: SparkContext, entries: Sequence[LogEntry], sources: Sequence[Source]
) -> list[LogEntry]:
    """Replace the offsets in log entries by Kafka's records."""
    specs = {source.id: source.spec for source in sources if isinstance(source.spec, KafkaSpec)}
    read = []
    for entry in entries:
        batches = dict(entry.batches)
        for number in specs.keys() & batches.keys():
            parts = tuple(_read(sc, specs[number], part) for part in batches[number].partitions)
            batches[number] = replace(batches[number], partitions=parts)
        read.append(replace(entry, batches=batches))
    return read


def _read(sc: SparkContext, spec: KafkaSpec, part: Partition) -> Partition:
    if not isinstance(part, KafkaRange) or not part.records:
        return part
    wanted = OffsetRange(part.topic, part.partition, part.start, part.until)
    rows = raw_rdd(sc, spec.consumer, [wanted]).collect()
    plain = [(*row[:3], *(None if raw is None else bytes(raw) for raw in row[3:])) for row in rows]
    return portable_data(plain if spec.described else [row[3:] for row in plain])


def kafka_rdd(
    sc: SparkContext,
    consumer: Consumer,
    ranges: Sequence[OffsetRange],
    decode: Callable[[Iterable[Any]], Iterable[Any]],
) -> KafkaRDD:
    """The records of ``ranges``, a partition for each.

    ``decode`` turns the rows of :func:`raw_rdd` into elements, on executors that may know nothing
    of this package.
    """
    _check_there(sc, consumer, ranges)
    raw = raw_rdd(sc, consumer, ranges)
    made = raw.mapPartitions(decode)
    rdd = KafkaRDD(java_rdd(made), sc, deserializer(made))
    rdd._ranges = tuple(ranges)
    return rdd


def raw_rdd(sc: SparkContext, consumer: Consumer, ranges: Sequence[OffsetRange]) -> RDD[Any]:
    """(topic, partition, offset, key, value) of the records of ``ranges``, undecoded."""
    require_connector(sc)
    session = SparkSession(sc)
    rdds: list[RDD[Any]] = []
    for each in ranges:
        if each.untilOffset <= each.fromOffset:
            rdds.append(sc.parallelize([], 1))
            continue
        place = (each.topic, each.partition)
        options = {
            **consumer.options,
            "assign": f'{{"{each.topic}": [{each.partition}]}}',
            "startingOffsets": json.dumps(dump_offsets({place: each.fromOffset})),
            "endingOffsets": json.dumps(dump_offsets({place: each.untilOffset})),
        }
        df = session.read.format("kafka").options(**options).load()
        columns = df.select("topic", "partition", "offset", "key", "value")
        rdds.append(columns.rdd.map(tuple))
    return sc.union(rdds) if rdds else sc.parallelize([], 1)


def _check_there(sc: SparkContext, consumer: Consumer, ranges: Sequence[OffsetRange]) -> None:
    """legacy: offsets that the brokers do not have are an error as soon as the RDD is made."""
    admin = KafkaAdmin(sc, consumer)
    try:
        places = {(each.topic, each.partition) for each in ranges}
        there = admin.partitions({topic for topic, _ in places})
        unknown = places - there
        first, last = admin.earliest(places & there), admin.latest(places & there)
    except Unreachable as error:
        raise spark_error(f"createRDD: {error}", "createRDD") from None
    finally:
        admin.close()
    for each in ranges:
        place = (each.topic, each.partition)
        if place in unknown:
            raise spark_error(
                f"createRDD: Kafka has no partition {place[1]} of {place[0]}", "createRDD"
            )
        if each.fromOffset < first[place] or each.untilOffset > last[place]:
            raise spark_error(
                f"Offsets not available on leader: {each} (the brokers have {first[place]} to "
                f"{last[place]})",
                "createRDD",
            )
