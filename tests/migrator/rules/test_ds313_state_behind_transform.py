"""DS313: state or a window behind a transform."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "call",
    [
        "transform(f).window(4)",
        "transform(f).map(g).updateStateByKey(h)",
        "transformWith(f, lines).countByWindow(4, 2)",
    ],
)
def test_state_behind_a_transform(call: str) -> None:
    check_found("DS313", HEAD + f"pairs.{call}.pprint()\n", 7)


@pytest.mark.parametrize(
    "call",
    [
        "window(4).transform(f)",
        "updateStateByKey(f).transform(g)",
        "map(f).window(4)",
        "transform(f).reduceByKey(g)",
    ],
)
def test_a_transform_behind_state_and_none_at_all(call: str) -> None:
    check_noop("DS313", HEAD + f"pairs.{call}.pprint()\n")


def test_a_transform_beside_it_does_not_count() -> None:
    check_noop("DS313", HEAD + "pairs.transform(f).pprint()\npairs.window(4).pprint()\n")
