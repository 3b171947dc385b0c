"""DS305: windows that are no multiple of the batch interval (2 seconds here)."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "call",
    [
        "window(3)",
        "window(4, 1)",
        "countByWindow(5, 2)",
        "reduceByKeyAndWindow(f, None, 2.5)",
        "map(f).window(windowDuration=3)",
    ],
)
def test_no_multiple(call: str) -> None:
    check_found("DS305", HEAD + f"pairs.{call}.pprint()\n", 7)


@pytest.mark.parametrize(
    "call",
    [
        "window(4)",
        "window(6, 2)",
        "window(2.0)",
        "window(n)",
        "window(*durations)",
        "window(4, None)",
        "window(4, 4).window(6, 6)",
        "countByWindow(10, 4)",
        "checkpoint(3)",
    ],
)
def test_multiples_and_what_is_not_known(call: str) -> None:
    check_noop("DS305", HEAD + f"pairs.{call}.pprint()\n")


def test_an_interval_that_is_not_known_is_not_judged() -> None:
    check_noop("DS305", HEAD.replace("sc, 2", "sc, seconds") + "pairs.window(3).pprint()\n")


def test_no_duration_is_repeated() -> None:
    (found,) = check_found("DS305", HEAD + "pairs.window(3).pprint()\n", 7)
    assert "3" not in found.message + found.help
