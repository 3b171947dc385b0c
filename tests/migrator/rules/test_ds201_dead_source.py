"""DS201: sources that Spark no longer has for Python."""

import pytest

from tests.migrator.rules import check_found, check_noop

MAKE = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.{module} import {utils}
ssc = StreamingContext(sc, 2)
stream = {utils}.{method}(ssc, "localhost", 9999)
stream.pprint()
"""


@pytest.mark.parametrize("method", ["createStream", "createPollingStream"])
def test_flume_is_named_with_its_replacement(method: str) -> None:
    code = MAKE.format(module="flume", utils="FlumeUtils", method=method)
    (found,) = check_found("DS201", code, 4)
    assert "Kafka" in found.help


@pytest.mark.parametrize(
    ("module", "utils", "instead"),
    [
        ("twitter", "TwitterUtils", "HTTP stream in a receiver"),
        ("zeromq", "ZeroMQUtils", "pyzmq in a receiver"),
        ("amqp", "AMQPUtils", "pika in a receiver"),
    ],
)
def test_the_others_that_are_gone_are_named(module: str, utils: str, instead: str) -> None:
    (found,) = check_found(
        "DS201", MAKE.format(module=module, utils=utils, method="createStream"), 4
    )
    assert f"{utils}.createStream" in found.message
    assert instead in found.help


@pytest.mark.parametrize(
    ("module", "utils"),
    [("kafka", "KafkaUtils"), ("kinesis", "KinesisUtils"), ("mqtt", "MQTTUtils")],
)
def test_sources_that_the_shim_has_are_fine(module: str, utils: str) -> None:
    check_noop("DS201", MAKE.format(module=module, utils=utils, method="createStream"))


def test_an_import_alone_is_no_use() -> None:
    check_noop("DS201", "from pyspark.streaming.flume import FlumeUtils\n")


def test_a_class_of_the_jobs_own_with_that_name_is_another() -> None:
    check_noop(
        "DS201",
        """\
        class FlumeUtils:
            @staticmethod
            def createStream(host):
                return host
        FlumeUtils.createStream("localhost")
        """,
    )
