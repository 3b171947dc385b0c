"""DS203: Kafka streams that name ZooKeeper and no broker."""

from migrator.core import Safety
from tests.migrator.rules import check_found, check_noop, rewritten

HEAD = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
"""


def test_the_receiver_form_knows_zookeeper_only() -> None:
    (found,) = check_found(
        "DS203", HEAD + 'KafkaUtils.createStream(ssc, zk, "group", {"t": 1}).pprint()\n', 4
    )
    assert found.fix is not None
    assert found.fix.safety is Safety.UNSAFE


def test_a_dict_without_brokers_is_seen_through() -> None:
    call = 'KafkaUtils.createStream(ssc, zk, "g", {"t": 1}, {"auto.offset.reset": "smallest"})\n'
    check_found("DS203", HEAD + call, 4)


def test_brokers_under_either_name_are_enough() -> None:
    for key in ("metadata.broker.list", "bootstrap.servers"):
        call = f'KafkaUtils.createStream(ssc, zk, "g", {{"t": 1}}, {{"{key}": brokers}})\n'
        check_noop("DS203", HEAD + call)


def test_parameters_from_elsewhere_may_name_brokers() -> None:
    check_noop("DS203", HEAD + 'KafkaUtils.createStream(ssc, zk, "g", {"t": 1}, params)\n')
    check_noop("DS203", HEAD + 'KafkaUtils.createStream(ssc, zk, "g", {"t": 1}, {**params})\n')
    check_noop("DS203", HEAD + 'KafkaUtils.createStream(ssc, zk, "g", {"t": 1}, {KEY: 1})\n')


def test_arguments_that_cannot_be_bound_are_left_alone() -> None:
    check_noop("DS203", HEAD + "KafkaUtils.createStream(*arguments)\n")


def test_the_direct_form_names_brokers() -> None:
    check_noop("DS203", HEAD + "KafkaUtils.createDirectStream(ssc, ['t'], params)\n")


def test_the_unsafe_fix_puts_a_parameter_into_the_call() -> None:
    code = HEAD + 'KafkaUtils.createStream(ssc, zk, "group", {"t": 1}).pprint()\n'
    new = rewritten(code, unsafe=True)
    assert '{"t": 1}, kafkaParams={"metadata.broker.list": "FILL-IN-THE-BROKER:9092"})' in new
    check_found("DS203", new, 4)  # it stays until the brokers are there


def test_the_unsafe_fix_goes_into_a_dict_that_is_there() -> None:
    code = HEAD + 'KafkaUtils.createStream(ssc, zk, "g", {"t": 1}, {"group.id": "g"})\n'
    assert '{"metadata.broker.list": "FILL-IN-THE-BROKER:9092", "group.id": "g"}' in rewritten(
        code, unsafe=True
    )


def test_nothing_is_put_there_without_being_asked() -> None:
    code = HEAD + 'KafkaUtils.createStream(ssc, zk, "group", {"t": 1}).pprint()\n'
    assert "FILL-IN" not in rewritten(code)
