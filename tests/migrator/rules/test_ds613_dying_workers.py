"""DS613: tasks that are tried again."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


def test_more_tries_are_asked_for() -> None:
    check_found("DS613", HEAD + 'conf.set("spark.task.maxFailures", "8")\n', 7)


@pytest.mark.parametrize(
    "line",
    [
        'conf.set("spark.executor.memory", "8g")',
        'print("spark.task.maxFailures is 4")',
        "maxFailures = 4",
        'conf.set("spark.yarn.max.executor.failures", "8")',
    ],
)
def test_other_settings(line: str) -> None:
    check_noop("DS613", HEAD + f"{line}\n")
