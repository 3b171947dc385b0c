"""Arguments are bound by the real signatures."""

from __future__ import annotations

import pytest

from tests.migrator.model.inference import job, streaming

BOUND = {
    "lines.map(f)": ["f"],
    "lines.window(30, 10)": ["windowDuration", "slideDuration"],
    "lines.reduceByKeyAndWindow(f, 24, 4, slideDuration=2)": [
        "func",
        "invFunc",
        "windowDuration",
        "slideDuration",
    ],
    "lines.pprint()": [],
    "lines.pprint(num=5)": ["num"],
    "lines.transformWith(f, lines)": ["func", "other"],
    "ssc.stop(True, stopGraceFully=True)": ["stopSparkContext", "stopGraceFully"],
    "ssc.union(lines, lines)": [],
    "ssc.queueStream([], default=rdd)": ["rdds", "default"],
}


@pytest.mark.parametrize(("call", "names"), BOUND.items())
def test_arguments_have_the_names_of_their_parameters(call: str, names: list[str]) -> None:
    last = streaming(job(call + "\n"))[-1]
    assert list(last.arguments or {}) == names
    assert last.mismatch is None


MISMATCHES = {
    "lines.pprint(5, 6)": "pprint takes at most 1 argument but 2 are given",
    "lines.count(5)": "count takes no arguments but 1 is given",
    "lines.filter()": "f is missing",
    "lines.map(f, f=g)": "f is given twice, by position and by name",
    "lines.window(30, slide=10)": "window has no parameter slide",
    "StreamingContext()": "sparkContext is missing",
    "StreamingContext(1, 2, 3, 4)": "StreamingContext takes at most 3 arguments but 4 are given",
}


@pytest.mark.parametrize(("call", "reason"), MISMATCHES.items())
def test_arguments_that_do_not_fit_are_said_without_their_values(call: str, reason: str) -> None:
    last = streaming(job(call + "\n"))[-1]
    assert last.arguments is None
    assert last.mismatch == reason


@pytest.mark.parametrize("call", ["lines.window(*PARAMS)", "lines.window(**PARAMS)"])
def test_spread_arguments_are_neither_bound_nor_wrong(call: str) -> None:
    last = streaming(job(call + "\n"))[-1]
    assert (last.arguments, last.mismatch) == (None, None)


def test_a_method_of_the_class_is_called_with_the_stream_as_its_first_argument() -> None:
    module = job("from pyspark.streaming import DStream\nDStream.map(lines, str)\n")
    last = streaming(module)[-1]
    assert (last.method, last.mismatch) == ("map", None)
    assert list(last.arguments or {}) == ["f"]
