"""RDDs of Kafka records: those a direct stream hands out, and ``createRDD``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pyspark import RDD, SparkContext
from pyspark.sql import SparkSession

from dstream_compat.base.errors import spark_error
from dstream_compat.connectors.kafka.admin import KafkaAdmin
from dstream_compat.connectors.kafka.jars import require_connector
from dstream_compat.connectors.kafka.params import Consumer
from dstream_compat.connectors.kafka.source import Unreachable
from dstream_compat.connectors.kafka.starting import dump_offsets
from dstream_compat.engine.rdds import BatchRDD, PartitionData
from dstream_compat.graph.nodes import Node, Source
from dstream_compat.graph.specs import KafkaSpec
from dstream_compat.input.log import LogEntry
from dstream_compat.stages.kafka_messages import KafkaMessageAndMetadata, OffsetRange, utf8_decoder
from dstream_compat.stages.partitions import Batch, KafkaRange, Partition, portable_data


class KafkaRDD(RDD[Any]):
    """An RDD of Kafka records: that of ``createRDD``, or of a direct stream at a tick."""

    _ranges: Sequence[OffsetRange] = ()

    def offsetRanges(self) -> list[OffsetRange]:
        """Which offsets are in it, one range per partition."""
        return list(self._ranges)


class KafkaBatchRDD(BatchRDD, KafkaRDD):
    """The RDD of a direct stream at a tick."""


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
    rdd = KafkaBatchRDD(sc, partitions, heavy)
    rdd._ranges = [
        OffsetRange(part.topic, part.partition, part.start, part.until)
        for part in (batch.partitions if batch is not None else ())
        if isinstance(part, KafkaRange)
    ]
    return rdd


def with_records(
    sc: SparkContext, entries: Sequence[LogEntry], sources: Sequence[Source]
) -> list[LogEntry]:
    """Log entries with Kafka's records in them, where they only had the offsets."""
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
    key: Callable[[Any], Any],
    value: Callable[[Any], Any],
    handler: Callable[[KafkaMessageAndMetadata], Any] | None,
) -> KafkaRDD:
    """The records of ``ranges``, a partition for each, decoded."""
    _check_there(sc, consumer, ranges)
    raw = raw_rdd(sc, consumer, ranges)
    made = raw.mapPartitions(_decoding(key, value, handler))
    rdd = KafkaRDD(made._jrdd, sc, made._jrdd_deserializer)
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
    """legacy: offsets that the brokers do not have are an error when the RDD is made."""
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
                f"createRDD: there is no {place[0]}, partition {place[1]}", "createRDD"
            )
        if each.fromOffset < first[place] or each.untilOffset > last[place]:
            raise spark_error(
                f"Offsets not available on leader: {each} (the brokers have {first[place]} to "
                f"{last[place]})",
                "createRDD",
            )


def _decoding(
    key: Callable[[Any], Any],
    value: Callable[[Any], Any],
    handler: Callable[[KafkaMessageAndMetadata], Any] | None,
) -> Callable[[Any], Iterator[Any]]:
    """A function for executors, which may know nothing of this package."""
    if handler is None:
        # the default by value: a reference to it would ask for the package
        key_is_text, value_is_text = key is utf8_decoder, value is utf8_decoder
        decoders = (None if key_is_text else key, None if value_is_text else value)

        def text(raw: Any) -> Any:
            return None if raw is None else raw.decode("utf-8")

        def decode(rows: Any) -> Iterator[Any]:
            of_key, of_value = decoders[0] or text, decoders[1] or text
            for row in rows:
                yield of_key(_plain(row[3])), of_value(_plain(row[4]))

        def _plain(raw: Any) -> Any:
            return None if raw is None else bytes(raw)

        return decode

    from dstream_compat.engine.shipping import on_workers

    return on_workers("handle_messages", key, value, handler)
