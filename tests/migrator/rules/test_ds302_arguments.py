"""DS302: arguments that do not fit the signature."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "call",
    [
        "pairs.window()",
        "pairs.window(4, slide=2)",
        "pairs.groupByKeyAndWindow(4)",
        "pairs.reduceByWindow(f, g, 4)",
        "pairs.countByValue(2)",
        "pairs.persist()",
        "ssc.stop(stopGracefully=True)",
        "ssc.awaitTerminationOrTimeout()",
        "ssc.socketTextStream('host')",
    ],
)
def test_calls_that_python_refuses(call: str) -> None:
    check_found("DS302", HEAD + f"{call}\n", 7)


@pytest.mark.parametrize(
    "call",
    [
        "pairs.window(4)",
        "pairs.window(windowDuration=4, slideDuration=2)",
        "pairs.reduceByKeyAndWindow(f, None, 4)",
        "pairs.window(*durations)",
        "pairs.window(**durations)",
        "pairs.persist(level)",
        "ssc.stop(True, True)",
        "ssc.awaitTermination(10)",
        "ssc.union(pairs, pairs, pairs)",
        "pairs.pprint(num=3)",
        "StreamingContext.getOrCreate(d, f, rebuild=True)",
    ],
)
def test_calls_that_fit(call: str) -> None:
    check_noop("DS302", HEAD + f"{call}\n")


def test_a_call_on_something_else_is_not_bound() -> None:
    check_noop("DS302", HEAD + "frame.window()\nshow.window(4, slide=2)\n")


def test_no_value_is_repeated() -> None:
    (found,) = check_found("DS302", HEAD + "ssc.socketTextStream('secret')\n", 7)
    assert "secret" not in found.message + found.help
