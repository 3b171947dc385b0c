"""DS207: sources that need another package."""

from tests.migrator.rules import check_found, check_noop

HEAD = "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 2)\n"
MQTT = "from pyspark.streaming.mqtt import MQTTUtils\n"


def test_mqtt_needs_its_extra() -> None:
    (found,) = check_found("DS207", HEAD + MQTT + "MQTTUtils.createStream(ssc, url, topic)\n", 4)
    assert "mqtt" in found.help


def test_it_is_said_once_per_job() -> None:
    twice = "MQTTUtils.createStream(ssc, url, topic)\n" * 2
    check_found("DS207", HEAD + MQTT + twice, 4)


def test_kinesis_and_mqtt_are_two_things() -> None:
    code = HEAD + MQTT + "from pyspark.streaming.kinesis import KinesisUtils\n"
    code += "KinesisUtils.createStream(ssc, a, b, c, d, e, 2)\n"
    check_found("DS207", code + "MQTTUtils.createStream(ssc, url, topic)\n", 5, 6)


def test_kafka_needs_none() -> None:
    code = HEAD + "from pyspark.streaming.kafka import KafkaUtils\n"
    check_noop("DS207", code + "KafkaUtils.createDirectStream(ssc, t, params)\n")


def test_an_import_alone_needs_none() -> None:
    check_noop("DS207", HEAD + MQTT)


def test_sockets_need_none() -> None:
    check_noop("DS207", HEAD + "ssc.socketTextStream('h', 1).pprint()\n")
