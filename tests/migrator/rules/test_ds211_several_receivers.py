"""DS211: several receivers made in a loop and united."""

from tests.migrator.rules import check_found, check_noop

HEAD = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
"""
MANY = 'streams = [KafkaUtils.createStream(ssc, zk, "g", {"t": 1}) for _ in range(3)]\n'


def test_a_list_of_streams_is_united() -> None:
    check_found("DS211", HEAD + MANY + "ssc.union(*streams).pprint()\n", 5)


def test_streams_named_one_by_one_are_of_different_origins() -> None:
    check_noop("DS211", HEAD + "ssc.union(one, two, three).pprint()\n")


def test_the_union_of_two_streams_is_fine() -> None:
    check_noop("DS211", HEAD + MANY + "streams[0].union(streams[1]).pprint()\n")


def test_the_union_of_rdds_is_something_else() -> None:
    check_noop("DS211", HEAD + "sc.union(*rdds)\n")
