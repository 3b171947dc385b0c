"""DS316: outputs that do not look at their batch."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize("function", ["lambda rdd: None", "lambda time, rdd: print(time)"])
def test_the_rdd_is_not_looked_at(function: str) -> None:
    check_found("DS316", HEAD + f"pairs.foreachRDD({function})\n", 7)


@pytest.mark.parametrize(
    "function",
    ["lambda rdd: rdd.count()", "lambda time, rdd: save(rdd)", "lambda *args: None", "unknown"],
)
def test_the_rdd_is_looked_at(function: str) -> None:
    check_noop("DS316", HEAD + f"pairs.foreachRDD({function})\n")


def test_directly_on_a_source_nothing_is_computed() -> None:
    check_noop("DS316", HEAD + "lines.foreachRDD(lambda rdd: None)\n")


def test_other_outputs_look_at_it() -> None:
    check_noop("DS316", HEAD + "pairs.pprint()\n")
