"""DS603: a DStream is asked whether it is true."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "line", ["if pairs: pass", "x = pairs or lines", "x = 1 if not pairs else 2", "assert pairs"]
)
def test_questions_that_are_always_true(line: str) -> None:
    assert check_found("DS603", HEAD + f"{line}\n", 7)


@pytest.mark.parametrize(
    "line",
    [
        "if pairs is not None: pass",
        "if pairs == lines: pass",
        "pairs.filter(lambda pair: pair or 1).pprint()",
        "pairs.foreachRDD(lambda rdd: rdd.isEmpty() or save(rdd))",
        "if batches: pass",
        "if isinstance(pairs, object): pass",
        "if len(rows): pass",
    ],
)
def test_other_questions(line: str) -> None:
    check_noop("DS603", HEAD + f"{line}\n")
