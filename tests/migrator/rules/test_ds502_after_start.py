"""DS502: things added to a job that has started."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "line",
    [
        "pairs.pprint()",
        "pairs.foreachRDD(f)",
        "ssc.socketTextStream('h', 1)",
        "pairs.window(4)",
        "ssc.union(lines, lines)",
        "lines.union(lines)",
    ],
)
def test_what_is_refused(line: str) -> None:
    check_found("DS502", HEAD + f"lines.pprint()\nssc.start()\n{line}\n", 9)


def test_by_a_function_that_is_called_then() -> None:
    code = HEAD + "def later():\n    pairs.pprint()\nlines.pprint()\nssc.start()\nlater()\n"
    check_found("DS502", code, 8)


@pytest.mark.parametrize(
    "line",
    [
        "ssc.awaitTermination()",
        "ssc.stop()",
        "ssc.addStreamingListener(listener)",
        "pairs.map(f)",
        "print(pairs)",
        "ssc.remember(4)",
        "sc.parallelize([1]).cache()",
    ],
)
def test_what_is_not(line: str) -> None:
    check_noop("DS502", HEAD + f"lines.pprint()\nssc.start()\n{line}\n")


def test_everything_in_front_of_the_start() -> None:
    check_noop("DS502", HEAD + "pairs.window(4).pprint()\nssc.start()\n")


def test_a_function_that_starts_at_its_end() -> None:
    code = "def run(ssc, lines):\n    lines.pprint()\n    ssc.start()\n"
    check_noop("DS502", code + HEAD + "run(ssc, lines)\n")


def test_a_context_manager_that_starts_at_its_end() -> None:
    code = """\
import contextlib
from pyspark.streaming import StreamingContext
@contextlib.contextmanager
def job(sc):
    ssc = StreamingContext(sc, 1)
    yield ssc
    ssc.start()
with job(sc) as ssc:
    ssc.socketTextStream("localhost", 9999).pprint()
"""
    check_noop("DS502", code)


def test_in_the_function_of_an_output() -> None:
    code = HEAD + "def show(rdd):\n    pairs.pprint()\nlines.foreachRDD(show)\nssc.start()\n"
    (found,) = check_found("DS502", code, 8)
    assert "inside foreachRDD" in found.message
    check_found("DS502", HEAD + "lines.foreachRDD(lambda rdd: ssc.queueStream([rdd]))\n", 7)


def test_what_such_a_function_does_with_its_rdd_is_fine() -> None:
    code = HEAD + "def show(rdd):\n    rdd.cache()\n    rdd.union(rdd).saveAsTextFile(p)\n"
    check_noop("DS502", code + "lines.foreachRDD(show)\nssc.start()\n")
