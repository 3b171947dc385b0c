"""DS206: offset ranges asked of an RDD that has none."""

from tests.migrator.rules import check_found, check_noop

HEAD = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
stream = KafkaUtils.createDirectStream(ssc, ["t"], params)
"""


def test_behind_a_map_there_are_none() -> None:
    check_found("DS206", HEAD + "stream.map(f).foreachRDD(lambda rdd: rdd.offsetRanges())\n", 5)


def test_a_named_function_is_looked_into() -> None:
    check_found(
        "DS206",
        HEAD + "def save(rdd):\n    print(rdd.offsetRanges())\nstream.map(f).foreachRDD(save)\n",
        6,
    )


def test_on_the_stream_itself_there_are() -> None:
    check_noop("DS206", HEAD + "stream.foreachRDD(lambda rdd: print(rdd.offsetRanges()))\n")


def test_in_a_transform_in_front_there_are() -> None:
    check_noop(
        "DS206",
        HEAD
        + """\
def keep(rdd):
    global ranges
    ranges = rdd.offsetRanges()
    return rdd
stream.transform(keep).map(f).foreachRDD(lambda rdd: print(ranges))
""",
    )


def test_behind_a_transform_that_returns_the_rdd_there_may_be() -> None:
    check_noop(
        "DS206", HEAD + "stream.transform(keep).foreachRDD(lambda rdd: rdd.offsetRanges())\n"
    )


def test_another_object_with_that_method_is_not_meant() -> None:
    check_noop("DS206", HEAD + "stream.map(f).foreachRDD(lambda rdd: store.offsetRanges())\n")


def test_a_stream_of_unknown_origin_is_not_judged() -> None:
    check_noop(
        "DS206", "def build(stream):\n    stream.foreachRDD(lambda rdd: rdd.offsetRanges())\n"
    )
