"""DS314: unions of unions."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize("call", ["union(lines).union(lines)", "union(lines).window(4)"])
def test_over_a_union(call: str) -> None:
    check_found("DS314", HEAD + f"lines.{call}.pprint()\n", 7)


@pytest.mark.parametrize(
    "call", ["union(lines)", "union(lines).map(f)", "union(lines).map(f).union(lines)", "window(4)"]
)
def test_plain_unions(call: str) -> None:
    check_noop("DS314", HEAD + f"lines.{call}.pprint()\n")


def test_unions_of_rdds_are_something_else() -> None:
    check_noop("DS314", HEAD + "pairs.transform(lambda r: r.union(a).union(b)).pprint()\n")
