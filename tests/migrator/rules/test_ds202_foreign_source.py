"""DS202: streams made by connectors that are not Spark's."""

from migrator.core import Confidence
from tests.migrator.rules import check_found, check_noop

HEAD = "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 2)\n"


def test_a_connector_from_elsewhere_is_not_known() -> None:
    code = HEAD + "from pulsar_spark import PulsarUtils\nPulsarUtils.createStream(ssc, url)\n"
    (found,) = check_found("DS202", code, 4)
    assert found.confidence is not Confidence.SURE


def test_sparks_own_connectors_are_known() -> None:
    code = HEAD + "from pyspark.streaming.kafka import KafkaUtils\n"
    check_noop("DS202", code + "KafkaUtils.createDirectStream(ssc, ['t'], params).pprint()\n")


def test_a_dead_source_has_a_rule_of_its_own() -> None:
    code = HEAD + "from pyspark.streaming.flume import FlumeUtils\n"
    check_noop("DS202", code + "FlumeUtils.createStream(ssc, 'host', 1).pprint()\n")


def test_utils_that_get_no_context_make_no_stream() -> None:
    check_noop("DS202", HEAD + "from helpers import TextUtils\nTextUtils.createStream('a')\n")


def test_other_functions_of_utils_are_no_sources() -> None:
    check_noop("DS202", HEAD + "from helpers import TextUtils\nTextUtils.strip('a')\n")
