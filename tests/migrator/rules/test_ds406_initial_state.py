"""DS406: initial state passes the driver."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "call", ["updateStateByKey(f, None, before)", "updateStateByKey(f, initialRDD=b)"]
)
def test_a_state_to_begin_with(call: str) -> None:
    check_found("DS406", HEAD + f"pairs.{call}.pprint()\n", 7)


def test_the_initial_state_of_a_spec() -> None:
    code = (
        "from dstream_compat import StateSpec\nspec = StateSpec.function(f).initialState(before)\n"
    )
    check_found("DS406", code, 2)


@pytest.mark.parametrize(
    "call",
    [
        "updateStateByKey(f)",
        "updateStateByKey(f, 4)",
        "updateStateByKey(f, initialRDD=None)",
        "map(f)",
    ],
)
def test_none(call: str) -> None:
    check_noop("DS406", HEAD + f"pairs.{call}.pprint()\n")
