"""DS409: when a state function fails."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


def test_it_is_told_once_per_job() -> None:
    code = HEAD + "pairs.updateStateByKey(f).pprint()\npairs.updateStateByKey(g).pprint()\n"
    check_found("DS409", code, 7)


@pytest.mark.parametrize("call", ["reduceByKey(f)", "window(4)", "mapWithState(spec)"])
def test_other_operators(call: str) -> None:
    check_noop("DS409", HEAD + f"pairs.{call}.pprint()\n")
