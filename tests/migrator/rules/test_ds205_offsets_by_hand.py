"""DS205: Kafka offsets that the job keeps by itself."""

from tests.migrator.rules import check_found, check_noop

HEAD = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils, TopicAndPartition
ssc = StreamingContext(sc, 2)
"""


def test_offsets_by_keyword() -> None:
    check_found(
        "DS205", HEAD + "KafkaUtils.createDirectStream(ssc, t, params, fromOffsets=start)\n", 4
    )


def test_offsets_by_position() -> None:
    check_found("DS205", HEAD + "KafkaUtils.createDirectStream(ssc, t, params, start)\n", 4)


def test_no_offsets() -> None:
    check_noop("DS205", HEAD + "KafkaUtils.createDirectStream(ssc, t, params)\n")


def test_none_is_no_offsets() -> None:
    check_noop("DS205", HEAD + "KafkaUtils.createDirectStream(ssc, t, params, None)\n")


def test_a_decoder_is_no_offset() -> None:
    check_noop("DS205", HEAD + "KafkaUtils.createDirectStream(ssc, t, params, valueDecoder=f)\n")


def test_batch_reads_by_offsets_are_something_else() -> None:
    check_noop("DS205", HEAD + "KafkaUtils.createRDD(sc, params, ranges)\n")
