"""DS203: Kafka streams that name ZooKeeper and no broker."""

import pytest

from migrator.core import Confidence, Readiness, Safety, Severity
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


@pytest.mark.parametrize("params", ["params", "{**params}", "{KEY: 1}", "load()", "self.params"])
def test_whether_parameters_from_elsewhere_name_brokers_is_for_somebody_to_look_at(
    params: str,
) -> None:
    call = f'KafkaUtils.createStream(ssc, zk, "g", {{"t": 1}}, {params})\n'
    (found,) = check_found("DS203", HEAD + call, 4)
    assert (found.readiness, found.confidence) == (Readiness.DECIDE, Confidence.LIKELY)
    assert found.fix is None


USE = 'KafkaUtils.createStream(ssc, zk, "g", {"t": 1}, params).pprint()\n'


def test_a_name_that_is_bound_once_is_followed() -> None:
    check_noop("DS203", HEAD + 'params = {"metadata.broker.list": brokers}\n' + USE)
    code = HEAD + 'params = {"group.id": "g"}\n' + USE
    (found,) = check_found("DS203", code, 5)
    assert found.severity is Severity.ERROR
    new = rewritten(code, unsafe=True)
    assert 'params = {"metadata.broker.list": "FILL-IN-THE-BROKER:9092", "group.id": "g"}' in new
    check_found("DS203", new, 5)


def test_two_calls_with_one_dict_are_mended_once() -> None:
    new = rewritten(HEAD + "params = {}\n" + USE + USE, unsafe=True)
    assert new.count("FILL-IN") == 1


@pytest.mark.parametrize(
    "line",
    [
        'params["bootstrap.servers"] = brokers\n',
        'params.update({"metadata.broker.list": brokers})\n',
    ],
)
def test_what_is_put_in_later_counts(line: str) -> None:
    check_noop("DS203", HEAD + 'params = {"group.id": "g"}\n' + line + USE)


@pytest.mark.parametrize(
    "line",
    [
        "params[KEY] = brokers\n",
        "params.update(read())\n",
        "fill(params)\n",
        "params = other\n",
        "def f(params):\n    pass\n",
    ],
)
def test_what_somebody_may_have_put_in_is_to_be_looked_at(line: str) -> None:
    code = HEAD + 'params = {"group.id": "g"}\n' + line + USE
    (found,) = check_found("DS203", code, code.count("\n"))
    assert found.severity is Severity.WARNING


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


@pytest.mark.parametrize("none", ["None", "kafkaParams=None"])
def test_the_unsafe_fix_takes_the_place_of_none(none: str) -> None:
    code = HEAD + f'KafkaUtils.createStream(ssc, zk, "g", {{"t": 1}}, {none})\n'
    new = rewritten(code, unsafe=True)
    after = none.replace("None", '{"metadata.broker.list": "FILL-IN-THE-BROKER:9092"}')
    assert f'{{"t": 1}}, {after})' in new
