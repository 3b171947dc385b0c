"""DS307: windows with an inverse function, and restarts."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "call",
    [
        "reduceByKeyAndWindow(f, g, 4)",
        "reduceByKeyAndWindow(f, invFunc=g, windowDuration=4)",
        "countByWindow(4, 2)",
        "countByValueAndWindow(4, 2)",
        "groupByKeyAndWindow(4, 2)",
        "reduceByWindow(f, g, 4, 2)",
    ],
)
def test_windows_with_an_inverse(call: str) -> None:
    check_found("DS307", HEAD + f"pairs.{call}.pprint()\n", 7)


def test_it_is_told_once_per_job() -> None:
    check_found("DS307", HEAD + "pairs.countByWindow(4, 2).pprint()\n" * 2, 7)


@pytest.mark.parametrize(
    "call",
    [
        "reduceByKeyAndWindow(f, None, 4)",
        "reduceByWindow(f, None, 4, 2)",
        "window(4)",
        "window(4).count()",
        "window(4).reduceByKey(f)",
        "countByValue()",
        "updateStateByKey(f)",
    ],
)
def test_windows_without_one(call: str) -> None:
    check_noop("DS307", HEAD + f"pairs.{call}.pprint()\n")
