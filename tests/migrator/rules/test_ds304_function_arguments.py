"""DS304: functions that take other arguments than they are given."""

import pytest

from migrator.core import Readiness, Severity
from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "call",
    [
        "map(lambda k, v: v)",
        "map(lambda: 1)",
        "filter(lambda k, v: v > 1)",
        "reduceByKey(lambda v: v)",
        "reduceByKey(lambda a, b, c: a)",
        "updateStateByKey(lambda new: new)",
        "combineByKey(lambda v: v, lambda a: a, lambda a, b: a)",
        "reduceByKeyAndWindow(lambda a, b: a, lambda a: a, 4)",
        "mapPartitionsWithIndex(lambda part: part)",
    ],
)
def test_calls_that_fail_on_the_first_record(call: str) -> None:
    check_found("DS304", HEAD + f"pairs.{call}.pprint()\n", 7)


def test_a_named_function_is_looked_up() -> None:
    check_found("DS304", HEAD + "def f(a, b):\n    return a\npairs.map(f).pprint()\n", 9)


@pytest.mark.parametrize(
    "call",
    [
        "map(lambda pair: pair)",
        "map(lambda pair, n=1: pair)",
        "map(lambda *pair: pair)",
        "map(lambda pair, *rest: pair)",
        "map(lambda pair, *, n=1: pair)",
        "map(unknown)",
        "map(len)",
        "reduceByKey(lambda a, b: a)",
        "reduceByKey(max)",
        "updateStateByKey(lambda new, old: new)",
        "mapPartitionsWithIndex(lambda index, part: part)",
        "transform(lambda time, rdd: rdd)",
    ],
)
def test_calls_that_fit(call: str) -> None:
    check_noop("DS304", HEAD + f"pairs.{call}.pprint()\n")


def test_self_is_given_already() -> None:
    check_noop(
        "DS304",
        HEAD
        + """\
class Job:
    def field(self, line):
        return line
    def build(self):
        lines.map(self.field).pprint()
Job().build()
""",
    )


def test_a_decorator_may_take_anything() -> None:
    check_noop("DS304", HEAD + "@wrap\ndef f(a, b):\n    return a\npairs.map(f).pprint()\n")


def test_what_nobody_asks_for_never_runs() -> None:
    code = HEAD + "swapped = pairs.map(lambda k, v: (v, k))\npairs.pprint()\n"
    (found,) = check_found("DS304", code, 7)
    assert (found.severity, found.readiness) == (Severity.INFO, Readiness.READY)
