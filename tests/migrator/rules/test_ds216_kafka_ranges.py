"""DS216: what is different about every Kafka stream."""

import pytest

from tests.migrator.rules import check_found, check_noop

HEAD = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
"""


@pytest.mark.parametrize(
    "call",
    ['createStream(ssc, zk, "g", {"t": 1})', 'createDirectStream(ssc, ["t"], params)'],
)
def test_both_forms_are_told(call: str) -> None:
    check_found("DS216", HEAD + f"KafkaUtils.{call}.pprint()\n", 4)


def test_a_job_is_told_once() -> None:
    call = 'KafkaUtils.createDirectStream(ssc, ["t"], params).pprint()\n'
    check_found("DS216", HEAD + call + call, 4)


@pytest.mark.parametrize(
    "code",
    [
        "KafkaUtils.createRDD(sc, params, ranges).count()\n",
        "ssc.socketTextStream(host, port).pprint()\n",
        "Other.createStream(ssc, zk, group, topics).pprint()\n",
        "x = KafkaUtils\n",
    ],
)
def test_others_are_not(code: str) -> None:
    check_noop("DS216", HEAD + code)
