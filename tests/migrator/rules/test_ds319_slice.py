"""DS319: looking back with slice."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


def test_a_stream_is_sliced() -> None:
    check_found("DS319", HEAD + "pairs.slice(begin, end)\n", 7)


@pytest.mark.parametrize(
    "line",
    [
        "pairs.map(lambda p: p[slice(2)]).pprint()",
        "slice(2)",
        "text.str.slice(0, 3)",
        "ssc.remember(60)",
    ],
)
def test_other_slices(line: str) -> None:
    check_noop("DS319", HEAD + f"{line}\n")
