"""DS306: a slide of zero, or a negative window."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "call", ["window(4, 0)", "window(-4)", "window(4, -2)", "window(4, slideDuration=0.0001)"]
)
def test_what_never_worked(call: str) -> None:
    check_found("DS306", HEAD + f"pairs.{call}.pprint()\n", 7)


@pytest.mark.parametrize(
    "call", ["window(4)", "window(4, None)", "window(4, n)", "window(4, -n)", "window(n, 2)"]
)
def test_what_may_work(call: str) -> None:
    check_noop("DS306", HEAD + f"pairs.{call}.pprint()\n")


@pytest.mark.parametrize("call", ["window(0, 2)", "reduceByKeyAndWindow(f, g, 0)"])
def test_a_window_that_is_always_empty(call: str) -> None:
    (found,) = check_found("DS306", HEAD + f"pairs.{call}.pprint()\n", 7)
    assert "length zero" in found.message


def test_other_methods_have_no_slide() -> None:
    check_noop("DS306", HEAD + "pairs.pprint(0)\n")
