"""DS320: windows that are shorter than their slide."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop

OTHER = "lines.window(6, 6).pprint()\n"


@pytest.mark.parametrize(
    "call", ["window(2, 4)", "reduceByKeyAndWindow(f, None, 2, slideDuration=4)"]
)
def test_a_window_leaves_batches_to_another_one(call: str) -> None:
    check_found("DS320", HEAD + f"pairs.{call}.pprint()\n" + OTHER, 7)


def test_a_window_with_gaps_alone_gets_what_it_got() -> None:
    check_noop("DS320", HEAD + "pairs.window(2, 4).pprint()\n")


@pytest.mark.parametrize(
    "call",
    [
        "window(4)",
        "window(4, 4)",
        "window(6, 2)",
        "window(n, 4)",
        "window(2, n)",
        "window(2, None)",
        "window(0, 2)",
        "countByWindow(4, 2)",
    ],
)
def test_nothing_is_left_out_or_nothing_is_known(call: str) -> None:
    check_noop("DS320", HEAD + f"pairs.{call}.pprint()\n" + OTHER)


def test_other_things_have_windows_too() -> None:
    check_noop("DS320", HEAD + OTHER + "frame.window(2, 4)\n")
