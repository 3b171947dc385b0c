"""DS204: Kafka parameters as version 0.8 had them."""

from tests.migrator.rules import check_found, check_noop

HEAD = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
"""


def direct(params: str) -> str:
    return HEAD + f"KafkaUtils.createDirectStream(ssc, ['t'], {params}).pprint()\n"


def test_old_names_are_told_with_the_new_ones() -> None:
    (found,) = check_found("DS204", direct('{"metadata.broker.list": brokers}'), 4)
    assert "bootstrap.servers" in found.help


def test_settings_of_zookeeper_are_dropped() -> None:
    check_found("DS204", direct('{"zookeeper.connect": zk, "consumer.timeout.ms": "1"}'), 4, 4)


def test_old_values_of_the_offset_reset_are_told() -> None:
    check_found("DS204", direct('{"auto.offset.reset": "smallest"}'), 4)


def test_the_value_is_not_repeated() -> None:
    (found,) = check_found("DS204", direct('{"metadata.broker.list": "secret-host:9092"}'), 4)
    assert "secret" not in found.message + found.help


def test_names_and_values_of_today_are_fine() -> None:
    check_noop("DS204", direct('{"bootstrap.servers": brokers, "auto.offset.reset": "earliest"}'))


def test_a_value_from_elsewhere_is_not_judged() -> None:
    check_noop("DS204", direct('{"auto.offset.reset": reset}'))


def test_parameters_from_elsewhere_are_not_judged() -> None:
    check_noop("DS204", direct("params"))


def test_a_dict_that_goes_elsewhere_is_not_looked_at() -> None:
    check_noop("DS204", 'producer = Producer({"metadata.broker.list": brokers})\n')


def test_a_dict_with_a_name_is_looked_into_once() -> None:
    use = "KafkaUtils.createDirectStream(ssc, ['t'], params).pprint()\n"
    code = HEAD + 'params = {"metadata.broker.list": brokers}\nparams["fetch.wait.max.ms"] = "9"\n'
    check_found("DS204", code + use + use, 4, 5)
