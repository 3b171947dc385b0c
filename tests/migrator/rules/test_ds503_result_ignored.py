"""DS503: output functions that return something."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "function",
    ["lambda rdd: rdd.count()", "lambda rdd: rdd.collect()", "lambda rdd: 1", "lambda rdd: [rdd]"],
)
def test_functions_that_return_a_value(function: str) -> None:
    check_found("DS503", HEAD + f"pairs.foreachRDD({function})\n", 7)


def test_a_named_function() -> None:
    check_found("DS503", HEAD + "def f(rdd):\n    return True\npairs.foreachRDD(f)\n", 9)


@pytest.mark.parametrize(
    "function",
    [
        "lambda rdd: print(rdd.count())",
        "lambda rdd: None",
        "lambda rdd: rdd.foreach(f)",
        "lambda rdd: rdd.map(f)",
        "lambda rdd: save(rdd)",
        "lambda rdd: other.count()",
        "unknown",
    ],
)
def test_functions_that_do_not_or_may_not(function: str) -> None:
    check_noop("DS503", HEAD + f"pairs.foreachRDD({function})\n")


def test_a_function_inside_is_another() -> None:
    code = HEAD + "def f(rdd):\n    def g(x):\n        return 1\n    rdd.foreach(g)\n"
    check_noop("DS503", code + "pairs.foreachRDD(f)\n")


def test_transform_is_another_rule() -> None:
    check_noop("DS503", HEAD + "pairs.transform(lambda rdd: rdd.count()).pprint()\n")
