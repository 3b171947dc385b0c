"""DS504: the result of an output operation is None."""

import pytest

from migrator.core import Severity
from tests.migrator.rules import HEAD, check_found, check_noop


def test_a_call_on_it_fails() -> None:
    (found,) = check_found("DS504", HEAD + "pairs.pprint().map(f)\n", 7)
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize("target", ["shown", "self.shown", "a = b", "shown: object"])
def test_keeping_it_is_only_told(target: str) -> None:
    (found,) = check_found("DS504", HEAD + f"{target} = pairs.foreachRDD(f)\n", 7)
    assert found.severity is Severity.INFO


@pytest.mark.parametrize(
    "line",
    [
        "pairs.pprint()",
        "counts = pairs.count()",
        "counts = pairs.count(); counts.pprint()",
        "(pairs\n .map(f)\n .pprint())",
        "printed = pprint.pformat(pairs)",
        "return_value = document.pprint().strip()",
    ],
)
def test_outputs_on_lines_of_their_own(line: str) -> None:
    check_noop("DS504", HEAD + f"{line}\n")
