"""``KafkaUtils``: streams and RDDs of Kafka topics."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark import RDD, SparkConf, SparkContext, StorageLevel

from dstream_compat.base.errors import illegal_state, spark_error
from dstream_compat.base.pyspark_internals import setting
from dstream_compat.connectors.kafka.params import read_params, should_be
from dstream_compat.dstream import DStream
from dstream_compat.graph.nodes import Narrow, call_site
from dstream_compat.graph.specs import Consumer, KafkaSpec
from dstream_compat.kafka.decoding import Handler, message_decoder, pair_decoder, row_decoder
from dstream_compat.stages.kafka_messages import (
    Broker,
    Decoder,
    OffsetRange,
    TopicAndPartition,
    utf8_decoder,
)
from dstream_compat.stages.partitions import TopicPartition

if TYPE_CHECKING:
    from dstream_compat.context import StreamingContext

logger = logging.getLogger(__name__)


class KafkaDStream(DStream[Any]):
    """The stream of ``createDirectStream``: its RDDs have ``offsetRanges()``.

    Streams made from it are plain, so call that in the first ``foreachRDD`` or ``transform``.
    """


class KafkaUtils:
    """Makes streams and RDDs of Kafka topics."""

    @staticmethod
    def createStream(
        ssc: StreamingContext,
        zkQuorum: str,
        groupId: str,
        topics: dict[str, int],
        kafkaParams: dict[str, Any] | None = None,
        storageLevel: StorageLevel = StorageLevel.MEMORY_AND_DISK_2,
        keyDecoder: Decoder = utf8_decoder,
        valueDecoder: Decoder = utf8_decoder,
    ) -> DStream[Any]:
        """``(key, value)`` of each record of ``topics`` that ``groupId`` has not read yet.

        The brokers come from ``kafkaParams`` or from a setting, not from ZooKeeper. Streams of the
        same group share a topic's partitions in proportion to their threads.
        """
        should_be(dict, topics=topics, kafkaParams={} if kafkaParams is None else kafkaParams)
        ssc._require_open("createStream")
        params = {**(kafkaParams or {}), "group.id": groupId}
        site = call_site("createStream")
        consumer = _consumer(ssc._sc, params, site)
        _check_values(ssc._sc, consumer, site)
        threads = {topic: max(1, int(count)) for topic, count in topics.items()}
        stream = ssc._input("createStream", KafkaSpec(consumer, tuple(threads), threads=threads))
        return stream.map(pair_decoder(keyDecoder, valueDecoder))

    @staticmethod
    def createDirectStream(
        ssc: StreamingContext,
        topics: list[str],
        kafkaParams: dict[str, Any],
        fromOffsets: dict[TopicAndPartition, int] | None = None,
        keyDecoder: Decoder = utf8_decoder,
        valueDecoder: Decoder = utf8_decoder,
        messageHandler: Handler | None = None,
    ) -> KafkaDStream:
        """``(key, value)`` of each record of ``topics``, or what ``messageHandler`` returns for it.

        Starts at ``fromOffsets``. Without them ``auto.offset.reset`` decides: from the oldest
        record (``smallest``), or with records that arrive from now on (``largest``, the default).
        """
        should_be(list, topics=topics)
        should_be(dict, kafkaParams=kafkaParams)
        ssc._require_open("createDirectStream")
        site = call_site("createDirectStream")
        consumer = _consumer(ssc._sc, kafkaParams, site)
        given = {(key._topic, key._partition): at for key, at in (fromOffsets or {}).items()}
        begin, left_out = _starting_points(ssc._sc, consumer, topics, given, site)
        spec = KafkaSpec(
            consumer,
            tuple(sorted(set(topics))),
            begin=begin,
            left_out=left_out,
            described=messageHandler is not None,
        )
        source = ssc._input("createDirectStream", spec)._node
        function = (
            pair_decoder(keyDecoder, valueDecoder)
            if messageHandler is None
            else message_decoder(keyDecoder, valueDecoder, messageHandler)
        )
        node = Narrow(site, source.slide_ms, source, "map", function)
        node.marks.ranges_of = len(ssc._inputs) - 1
        return KafkaDStream(node, ssc)

    @staticmethod
    def createRDD(
        sc: SparkContext,
        kafkaParams: dict[str, Any],
        offsetRanges: list[OffsetRange],
        leaders: dict[TopicAndPartition, Broker] | None = None,
        keyDecoder: Decoder = utf8_decoder,
        valueDecoder: Decoder = utf8_decoder,
        messageHandler: Handler | None = None,
    ) -> RDD[Any]:
        """The records of ``offsetRanges`` as an RDD with one partition per range.

        Its method ``offsetRanges()`` gives them back.
        """
        should_be(dict, kafkaParams=kafkaParams)
        should_be(list, offsetRanges=offsetRanges)
        from dstream_compat.connectors.kafka.records import kafka_rdd

        consumer = _consumer(sc, kafkaParams, call_site("createRDD"))
        decode = row_decoder(keyDecoder, valueDecoder, messageHandler)
        return kafka_rdd(sc, consumer, offsetRanges, decode)


def add_connector(conf: SparkConf | None = None) -> SparkConf:
    """A SparkConf with which Spark fetches its Kafka connector (``spark.jars.packages``)."""
    from dstream_compat.connectors.kafka.jars import add_connector

    return add_connector(conf)


def _consumer(sc: SparkContext, params: Mapping[str, Any], site: str) -> Consumer:
    from dstream_compat.connectors.kafka.admin import consumer_settings

    consumer = read_params(params, partial(setting, sc), lambda: consumer_settings(sc), site)
    for name, why in consumer.dropped.items():
        logger.warning("%s: %s is ignored: %s", site, name, why)
    return consumer


def _check_values(sc: SparkContext, consumer: Consumer, site: str) -> None:
    """Check the parameters of a call that does not connect to the brokers."""
    from dstream_compat.connectors.kafka.admin import check_values

    try:
        check_values(sc, consumer)
    except ValueError as error:
        raise ValueError(f"{site}: {error}") from None


def _starting_points(
    sc: SparkContext,
    consumer: Consumer,
    topics: list[str],
    given: Mapping[TopicPartition, int],
    site: str,
) -> tuple[dict[TopicPartition, int], frozenset[TopicPartition]]:
    """Where a direct stream begins, and the partitions it must not read.

    legacy: decided when the stream is made, so records that arrive before the start are included.
    """
    from dstream_compat.connectors.kafka.admin import KafkaAdmin
    from dstream_compat.connectors.kafka.kafka_source import Unreachable
    from dstream_compat.connectors.kafka.starting import from_reset, from_setting

    wanted = set(topics)
    named = {topic for topic, _ in given}
    if given and named != wanted:
        raise illegal_state(
            f"The specified topics: {' '.join(sorted(wanted))} do not equal to the topic from "
            f"offsets: {' '.join(sorted(named))} ({site})",
            "createDirectStream",
        )
    try:
        admin = KafkaAdmin(sc, consumer)
    except ValueError as error:
        raise ValueError(f"{site}: {error}") from None
    try:
        there = admin.partitions(wanted)
        missing = wanted - {topic for topic, _ in there}
        if missing:
            raise spark_error(
                f"{site}: the brokers at {consumer.brokers} have no topic "
                f"{', '.join(sorted(missing))}",
                "createDirectStream",
            )
        unknown = set(given) - there
        if unknown:
            parts = ", ".join(f"{topic} {number}" for topic, number in sorted(unknown))
            raise spark_error(
                f"{site}: fromOffsets names partitions that do not exist: {parts}",
                "createDirectStream",
            )
        if given:
            return {key: int(at) for key, at in given.items()}, frozenset(there - set(given))
        begin = from_setting(partial(setting, sc), there)
        rest = there - set(begin)
        return {**from_reset(admin, consumer.reset, rest), **begin}, frozenset()
    except Unreachable as error:
        raise spark_error(f"{site}: {error}", "createDirectStream") from None
    finally:
        admin.close()
