"""DS308: a filterFunc that is never called."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


def test_a_filter_without_an_inverse_function() -> None:
    check_found("DS308", HEAD + "pairs.reduceByKeyAndWindow(f, None, 4, filterFunc=g)\n", 7)


@pytest.mark.parametrize(
    "call",
    [
        "reduceByKeyAndWindow(f, inverse, 4, filterFunc=g)",
        "reduceByKeyAndWindow(f, None, 4)",
        "reduceByKeyAndWindow(f, None, 4, filterFunc=None)",
        "reduceByKeyAndWindow(f, None, 4).filter(g)",
        "reduceByKeyAndWindow(*arguments)",
    ],
)
def test_filters_that_count(call: str) -> None:
    check_noop("DS308", HEAD + f"pairs.{call}.pprint()\n")
