"""DS608: settings that have no effect any more."""

import pytest

from migrator.core import Severity
from tests.migrator.rules import HEAD, check_found, check_noop


def test_a_setting_whose_lack_may_be_noticed() -> None:
    (found,) = check_found("DS608", HEAD + 'conf.set("spark.streaming.concurrentJobs", "x")\n', 7)
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize("name", ["unpersist", "receiver.writeAheadLog.enable", "kafka.maxRetries"])
def test_settings_that_nobody_will_miss(name: str) -> None:
    (found,) = check_found("DS608", HEAD + f'conf.set("spark.streaming.{name}", "x")\n', 7)
    assert found.severity is Severity.INFO


def test_settings_in_a_list_or_a_dict() -> None:
    check_found("DS608", HEAD + 'all = {"spark.streaming.concurrentJobs": 4}\n', 7)


def test_the_value_is_not_repeated() -> None:
    (found,) = check_found("DS608", HEAD + 'c.set("spark.streaming.concurrentJobs", "77")\n', 7)
    assert "77" not in found.message + found.help


@pytest.mark.parametrize(
    "name",
    [
        "spark.streaming.blockInterval",
        "spark.streaming.stopGracefullyOnShutdown",
        "spark.streaming.backpressure.enabled",
        "spark.streaming.receiver.maxRate",
        "spark.streaming.kafka.maxRatePerPartition",
        "spark.executor.memory",
    ],
)
def test_settings_that_keep_their_meaning(name: str) -> None:
    check_noop("DS608", HEAD + f'conf.set("{name}", "x")\n')


def test_a_setting_named_in_a_sentence() -> None:
    check_noop("DS608", HEAD + 'print("spark.streaming.concurrentJobs is not set")\n')
