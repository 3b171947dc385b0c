"""DS906: arguments that are known at run time only."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "call", ["lines.window(*PARAMS)", "lines.window(**params)", "ssc.stop(*how)"]
)
def test_spread_arguments(call: str) -> None:
    check_found("DS906", HEAD + f"{call}\n", 7)


@pytest.mark.parametrize(
    "call",
    [
        "lines.window(4, 2)",
        "ssc.union(*streams)",
        "lines.map(lambda x: f(*x)).pprint()",
        "f(*arguments)",
        "lines.foreachRDD(lambda rdd: save(rdd, **options))",
    ],
)
def test_arguments_that_are_bound(call: str) -> None:
    check_noop("DS906", HEAD + f"{call}\n")
