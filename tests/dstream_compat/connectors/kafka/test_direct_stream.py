"""createDirectStream against a real broker: every record once, in the batch it belongs to."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark import RDD, SparkContext

from dstream_compat.kafka import KafkaUtils, OffsetRange, TopicAndPartition
from tests.dstream_compat.connectors.kafka.conftest import Topics
from tests.dstream_compat.engine.hand_driven import by_hand, collected, setting


def test_a_batch_has_what_came_since_the_last_one(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create()
    topics.send(topic, ("old", "old"))
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params)
        # the default of 0.8: from the end, as it is when the stream is made
        topics.send(topic, ("a", "1"), (None, "2"))
        seen = collected(stream.map(repr))
        job.ssc.start()
        job.tick()
        topics.send(topic, ("a", None))
        job.tick()
        job.tick()
        assert seen == [["('a', '1')", "(None, '2')"], ["('a', None)"], []]
        assert job.error() == ""


def test_partitions_are_those_of_the_topics_and_every_batch_has_them(
    sc: SparkContext, topics: Topics
) -> None:
    one, two = topics.create(partitions=2, name="a-first"), topics.create(name="b-second")
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [two, one], topics.params)
        seen: list[Any] = []
        calls = job.ssc.sparkContext.accumulator(0)

        def count_call(elements: Any) -> Any:
            calls.add(1)
            return elements

        stream.mapPartitions(count_call).map(lambda pair: pair[1]).glom().foreachRDD(
            lambda rdd: seen.append(rdd.collect())
        )
        job.ssc.start()
        job.tick()
        topics.send(one, (None, "x"), (None, "y"), partition=1)
        topics.send(two, (None, "z"))
        job.tick()
        assert seen == [[[], [], []], [[], ["x", "y"], ["z"]]]
        # legacy: functions on partitions are called for empty ones, too
        assert calls.value == 6


def test_after_a_stall_every_tick_has_its_own_records(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create(partitions=2)
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params)
        counts = collected(stream.count())
        keyed = collected(stream.map(lambda pair: (pair[1], 1)).reduceByKey(lambda a, b: a + b))
        job.ssc.start()
        engine = job.ssc._engine
        assert engine is not None
        with engine.parts.phase_log.together():  # three ticks in one micro-batch
            for batch in (["a", "b", "a"], [], ["b"]):
                for number, value in enumerate(batch):
                    topics.send(topic, (None, value), partition=number % 2)
                engine.log_by_hand()
        engine.parts.query.wait_done(60)
        assert counts == [[3], [0], [1]]
        assert keyed == [[("a", 2), ("b", 1)], [], [("b", 1)]]


def test_the_first_rdd_tells_its_offsets_and_later_ones_do_not(
    sc: SparkContext, topics: Topics
) -> None:
    topic = topics.create(partitions=2)
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params)
        told: list[Any] = []
        in_transform: list[Any] = []

        def remember(rdd: Any) -> Any:
            in_transform.append(rdd.offsetRanges())
            return rdd

        stream.foreachRDD(lambda rdd: told.append(rdd.offsetRanges()))
        stream.transform(remember).map(len).foreachRDD(
            lambda rdd: told.append(hasattr(rdd, "offsetRanges"))
        )
        stream.map(len).foreachRDD(lambda rdd: told.append(hasattr(rdd, "offsetRanges")))
        job.ssc.start()
        topics.send(topic, (None, "x"), (None, "y"), partition=1)
        job.tick(2)
        first = [OffsetRange(topic, 0, 0, 0), OffsetRange(topic, 1, 0, 2)]
        second = [OffsetRange(topic, 0, 0, 0), OffsetRange(topic, 1, 2, 2)]
        assert told == [first, False, False, second, False, False]
        assert in_transform == [first, second]
        assert str(first[1]) == f"OffsetRange(topic: {topic}, partition: 1, range: [0 -> 2]"


def test_a_message_handler_sees_where_a_record_came_from(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create(partitions=2)
    topics.send(topic, ("k", "7"), ("l", None), partition=1)
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(
            job.ssc,
            [topic],
            {**topics.params, "auto.offset.reset": "smallest"},
            keyDecoder=lambda raw: raw.decode().upper(),
            valueDecoder=lambda raw: None if raw is None else int(raw),
            messageHandler=lambda m: (m.topic, m.partition, m.offset, m.key, m.message),
        )
        seen = collected(stream)
        job.ssc.start()
        job.tick()
        assert seen == [[(topic, 1, 0, "K", 7), (topic, 1, 1, "L", None)]]


def test_decoders_get_bytes_and_may_give_anything(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create()
    topics.send(topic, ("k", '{"n": 1}'))
    with by_hand(sc) as job:
        import json

        stream = KafkaUtils.createDirectStream(
            job.ssc,
            [topic],
            {**topics.params, "auto.offset.reset": "smallest"},
            keyDecoder=lambda raw: raw,
            valueDecoder=json.loads,
        )
        seen: list[Any] = []
        stream.foreachRDD(lambda rdd: seen.extend(rdd.collect()))
        job.ssc.start()
        job.tick()
        assert seen == [(b"k", {"n": 1})]


def test_a_decoder_that_fails_fails_its_batch_and_names_the_line(
    sc: SparkContext, topics: Topics
) -> None:
    topic = topics.create()
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params, valueDecoder=int)
        seen: list[Any] = []
        stream.map(lambda pair: pair[1]).foreachRDD(lambda rdd: seen.append(rdd.collect()))
        job.ssc.start()
        topics.send(topic, (None, "1"))
        job.tick()
        topics.send(topic, (None, "one"))
        job.tick()
        topics.send(topic, (None, "2"))
        job.tick()
        assert seen == [[1], [2]]
        assert "in createDirectStream at test_direct_stream.py" in job.error()
        assert "invalid literal for int()" in job.error()


def test_from_offsets_begins_there_and_reads_nothing_else(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create(partitions=2)
    for number in range(2):
        topics.send(topic, *((None, f"{number}.{i}") for i in range(4)), partition=number)
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(
            job.ssc, [topic], topics.params, fromOffsets={TopicAndPartition(topic, 1): 2}
        )
        seen = collected(stream.map(lambda pair: pair[1]))
        ranges: list[Any] = []
        stream.foreachRDD(lambda rdd: ranges.append(rdd.offsetRanges()))
        job.ssc.start()
        job.tick()
        assert seen == [["1.2", "1.3"]]
        assert ranges == [[OffsetRange(topic, 1, 2, 4)]]


def test_new_partitions_are_read_from_their_beginning(
    sc: SparkContext, topics: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dstream_compat.connectors.kafka.kafka_source._LOOK_AGAIN", 0.0)
    topic = topics.create()
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params)
        seen = collected(stream.map(lambda pair: pair[1]))
        job.ssc.start()
        job.tick()
        topics.widen(topic, 2)
        topics.send(topic, (None, "new"), partition=1)
        job.tick()
        assert seen == [[], ["new"]]


def test_two_streams_and_state_share_a_job(sc: SparkContext, topics: Topics, tmp_path: Any) -> None:
    one, two = topics.create(partitions=2), topics.create()
    with by_hand(sc) as job:
        job.ssc.checkpoint(str(tmp_path))
        left = KafkaUtils.createDirectStream(job.ssc, [one], topics.params)
        right = KafkaUtils.createDirectStream(job.ssc, [two], topics.params)
        queue = job.partitioned([[("q", "q")]], [])
        total = left.union(right).union(queue).map(lambda pair: (pair[1], 1))
        state = total.updateStateByKey(lambda new, old: sum(new) + (old or 0))
        seen = collected(state)
        windows = collected(left.window(2, 1).map(lambda pair: pair[1]))
        job.ssc.start()
        topics.send(one, (None, "a"), (None, "a"))
        topics.send(two, (None, "b"))
        job.tick()
        topics.send(two, (None, "a"))
        job.tick()
        assert seen == [[("a", 2), ("b", 1), ("q", 1)], [("a", 3), ("b", 1), ("q", 1)]]
        assert windows == [["a", "a"], ["a", "a"]]


def test_a_topic_may_be_read_twice_and_ranges_are_numbered_as_partitions_are(
    sc: SparkContext, topics: Topics
) -> None:
    topic = topics.create(partitions=12)  # 10 comes behind 9, not behind 1
    with by_hand(sc) as job:
        one = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params).cache()
        two = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params)
        both = collected(one.union(two).count())
        told: list[Any] = []

        def by_range(rdd: Any) -> None:
            ranges = rdd.offsetRanges()
            found = rdd.mapPartitionsWithIndex(
                lambda index, pairs: [(ranges[index].partition, [value for _, value in pairs])]
            )
            told.append(found.collect())

        one.foreachRDD(by_range)
        job.ssc.start()
        for number in range(12):
            topics.send(topic, *[(None, str(number))] * (number % 3), partition=number)
        job.tick()
        assert told == [[(number, [str(number)] * (number % 3)) for number in range(12)]]
        assert both == [[24]]


def test_ranges_and_state_behind_a_transform(
    sc: SparkContext, topics: Topics, tmp_path: Any
) -> None:
    topic = topics.create(partitions=2)
    with by_hand(sc) as job:
        job.ssc.checkpoint(str(tmp_path))
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params)
        told: list[Any] = []

        def paired(time: Any, rdd: Any) -> Any:
            told.append([each.untilOffset for each in rdd.offsetRanges()])
            return rdd.map(lambda pair: (pair[1], 1))

        counts = stream.transform(paired).updateStateByKey(lambda new, old: sum(new) + (old or 0))
        seen = collected(counts)
        job.ssc.start()
        topics.send(topic, (None, "a"), partition=0)
        job.tick()
        topics.send(topic, (None, "a"), (None, "b"), partition=1)
        job.tick()
        assert seen == [[("a", 1)], [("a", 2), ("b", 1)]]
        assert told == [[1, 0], [1, 2]]


def test_messages_of_5_mb_and_headers_come_through(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create(max_message_bytes="6000000")
    topics.send_large(topic, "x" * 5_000_000, "x" * 5_000_000)
    with by_hand(sc) as job:
        params = {
            **topics.params,
            "auto.offset.reset": "smallest",
            "fetch.message.max.bytes": "1048576",  # the default of 0.8, where these were an error
            "socket.timeout.ms": "120000",
        }
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], params)
        seen = collected(stream.map(lambda pair: len(pair[1])))
        whole: list[Any] = []
        stream.foreachRDD(lambda rdd: whole.extend(len(value) for _, value in rdd.collect()))
        job.ssc.start()
        job.tick()
        assert seen == [[5_000_000, 5_000_000]]
        assert whole == [5_000_000, 5_000_000]


def test_ranges_without_records_are_empty_partitions(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create()
    topics.send_aborted(topic, (None, "never"), (None, "was"))
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(
            job.ssc,
            [topic],
            {**topics.params, "auto.offset.reset": "smallest", "isolation.level": "read_committed"},
        )
        seen: list[Any] = []
        stream.glom().foreachRDD(lambda rdd: seen.append(rdd.collect()))
        job.ssc.start()
        job.tick()
        topics.send(topic, (None, "real"))
        job.tick()
        assert seen == [[[]], [[(None, "real")]]]


def test_200_000_records_come_in_one_go(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create(partitions=3)
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params)
        totals = collected(
            stream.map(lambda pair: (int(pair[1]) % 10, 1)).reduceByKey(lambda a, b: a + b)
        )
        sizes: list[int] = []

        def size(rdd: RDD[Any]) -> None:
            sizes.append(rdd.map(lambda pair: int(pair[0])).sum())

        stream.foreachRDD(size)
        job.ssc.start()
        topics.send_numbers(topic, 200_000)
        job.tick(timeout=120)
        assert totals == [[(digit, 20_000) for digit in range(10)]]
        assert sizes == [sum(range(200_000))]


def test_the_rate_is_limited_per_partition(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create(partitions=2)
    topics.send(topic, *((None, str(i)) for i in range(5)), partition=0)
    topics.send(topic, *((None, str(i)) for i in range(2)), partition=1)
    with (
        setting(sc, spark__streaming__kafka__maxRatePerPartition="3"),
        by_hand(sc, interval=1) as job,
    ):
        stream = KafkaUtils.createDirectStream(
            job.ssc, [topic], {**topics.params, "auto.offset.reset": "smallest"}
        )
        counts = collected(stream.count())
        job.ssc.start()
        job.tick(3)
        assert counts == [[5], [2], [0]]


def test_listeners_are_told_of_offsets(sc: SparkContext, topics: Topics) -> None:
    from dstream_compat import StreamingListener

    topic = topics.create()
    told: list[Any] = []

    class Listener(StreamingListener):
        def onBatchCompleted(self, batchCompleted: Any) -> None:
            told.append(batchCompleted.batchInfo())

    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params)
        collected(stream)
        job.ssc.addStreamingListener(Listener())
        job.ssc.start()
        topics.send(topic, (None, "x"), (None, "y"))
        job.tick()
        job.ssc.stop(stopSparkContext=False)
    info = told[0].streamIdToInputInfo()[0]
    assert info.numRecords() == 2
    assert info.metadataDescription() == f"topic: {topic}\tpartition: 0\toffsets: 0 to 2"


def test_a_range_that_lost_its_beginning_gives_the_rest_and_the_error(
    sc: SparkContext, topics: Topics
) -> None:
    topic = topics.create(partitions=2)
    topics.send(topic, *((None, str(i)) for i in range(5)), partition=0)
    topics.delete_records(topic, 0, 3)
    begin = {TopicAndPartition(topic, 0): 1, TopicAndPartition(topic, 1): 0}
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params, begin)
        seen = collected(stream.map(lambda pair: pair[1]))
        job.ssc.start()
        job.tick()
        assert seen == [["3", "4"]]
        assert f"Kafka no longer has offsets 1 to 3 of {topic}, partition 0" in job.error()
        topics.send(topic, (None, "later"), partition=0)
        job.tick()
        assert seen[1:] == [["later"]]


def test_a_range_that_is_gone_before_it_was_read_fails_its_batch(
    sc: SparkContext, topics: Topics
) -> None:
    topic = topics.create(partitions=2)
    begin = {TopicAndPartition(topic, 0): 1, TopicAndPartition(topic, 1): 0}
    topics.send(topic, *((None, str(i)) for i in range(4)), partition=0)
    topics.delete_records(topic, 0, 4)
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params, begin)
        seen: list[Any] = []
        stream.map(lambda pair: pair[1]).foreachRDD(lambda rdd: seen.append(rdd.collect()))
        job.ssc.start()
        job.tick()
        assert seen == []
        assert f"Kafka no longer has offsets 1 to 4 of {topic}, partition 0" in job.error()
        topics.send(topic, (None, "later"), partition=0)
        job.tick()
        assert seen == [["later"]]


def test_a_topic_that_is_deleted_fails_every_batch_with_its_name(
    sc: SparkContext, topics: Topics
) -> None:
    topic = topics.create()
    with by_hand(sc) as job:
        seen = collected(KafkaUtils.createDirectStream(job.ssc, [topic], topics.params))
        nothing = collected(KafkaUtils.createDirectStream(job.ssc, [], topics.params))
        job.ssc.start()
        job.tick()
        topics.delete(topic)
        job.tick()
        assert f"Kafka no longer has the topic {topic}: it was deleted" in seen[1]
        assert nothing == [[], []]  # legacy: a stream of no topics is an empty one


def test_a_topic_that_was_made_anew_is_an_error_and_no_silence(
    sc: SparkContext, topics: Topics
) -> None:
    topic = topics.create()
    topics.send(topic, (None, "1"), (None, "2"))
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(
            job.ssc, [topic], topics.params, {TopicAndPartition(topic, 0): 5}
        )
        seen = collected(stream)
        job.ssc.start()
        job.tick()
        assert "has read up to 5: the topic was deleted and created again" in seen[0]
