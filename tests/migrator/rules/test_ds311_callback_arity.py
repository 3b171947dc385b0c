"""DS311: how many arguments a batch function takes."""

import pytest

from migrator.core import Severity
from tests.migrator.rules import HEAD, check_found, check_noop

CLASS = """\
class Job:
    {decorator}
    def process({parameters}):
        return rdd
    def build(self):
        pairs.{method}(self.process)
Job().build()
"""


def in_class(parameters: str, method: str = "foreachRDD", decorator: str = "x = 1") -> str:
    return HEAD + CLASS.format(parameters=parameters, method=method, decorator=decorator)


@pytest.mark.parametrize(
    "call",
    [
        "foreachRDD(lambda rdd, n=1: n)",
        "foreachRDD(lambda: 1)",
        "foreachRDD(lambda a, b, c: 1)",
        "transform(lambda rdd, n=1: rdd)",
        "transform(lambda *args: args[0])",
        "transform(lambda a, b, c=1: b)",
        "transformWith(lambda a: a, lines)",
        "transformWith(lambda a, b, c=1: a, lines)",
    ],
)
def test_lambdas_that_get_something_else(call: str) -> None:
    (found,) = check_found("DS311", HEAD + f"pairs.{call}\n", 7)
    assert found.severity is Severity.ERROR


def test_self_counts_in_a_bound_method() -> None:
    check_found("DS311", in_class("self, rdd"), 12)
    check_found("DS311", in_class("self, time, rdd", "transform"), 12)


def test_a_partial_has_no_code() -> None:
    code = "import functools\n" + HEAD + "def f(n, rdd):\n    pass\n"
    check_found("DS311", code + "pairs.foreachRDD(functools.partial(f, 3))\n", 10)


def test_a_wrapper_of_any_arguments_gets_the_time_too() -> None:
    (found,) = check_found("DS311", HEAD + "def f(*args):\n    pass\npairs.foreachRDD(f)\n", 9)
    assert found.severity is Severity.INFO


@pytest.mark.parametrize(
    "call",
    [
        "foreachRDD(lambda rdd: 1)",
        "foreachRDD(lambda time, rdd: 1)",
        "foreachRDD(lambda rdd, *rest: 1)",
        "foreachRDD(lambda time, rdd, n=1: 1)",
        "foreachRDD(lambda rdd, *, n=1: 1)",
        "foreachRDD(unknown)",
        "foreachRDD(print)",
        "transform(lambda rdd: rdd)",
        "transform(lambda time, rdd: rdd)",
        "transformWith(lambda a, b: a, lines)",
        "transformWith(lambda time, a, b: a, lines)",
    ],
)
def test_lambdas_that_get_what_they_take(call: str) -> None:
    check_noop("DS311", HEAD + f"pairs.{call}\n")


def test_bound_methods_that_take_the_time() -> None:
    check_noop("DS311", in_class("self, time, rdd"))


def test_a_lambda_around_a_method_is_the_way_out() -> None:
    code = in_class("self, rdd").replace("(self.process)", "(lambda rdd: self.process(rdd))")
    check_noop("DS311", code)


def test_a_static_method_has_no_self() -> None:
    check_noop("DS311", in_class("rdd", decorator="@staticmethod"))


def test_functions_of_operators_are_another_rule() -> None:
    check_noop("DS311", HEAD + "pairs.map(lambda a, b: a).pprint()\n")
