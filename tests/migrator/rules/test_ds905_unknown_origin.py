"""DS905: things used as a DStream of which nothing says that they are one."""

import pytest

from migrator.core import Confidence, Severity
from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize("call", ["foreachRDD(f)", "updateStateByKey(f)", "pprint()"])
def test_methods_that_only_streams_have(call: str) -> None:
    (found,) = check_found("DS905", f"def build(source):\n    source.map(f).{call}\n", 2)
    assert (found.confidence, found.severity) == (Confidence.GUESS, Severity.INFO)


@pytest.mark.parametrize(
    "line",
    [
        "frame = scaler.transform(data)",
        "total = frame.count()",
        "rows = table.map(f).filter(g)",
        "series.window(4)",
        "names.join(others)",
    ],
)
def test_methods_that_many_things_have(line: str) -> None:
    check_noop("DS905", f"{line}\n")


def test_a_parameter_with_an_annotation() -> None:
    code = "from pyspark.streaming import DStream\ndef build(source: DStream):\n"
    check_noop("DS905", code + "    source.foreachRDD(f)\n")


def test_a_parameter_that_somebody_passes() -> None:
    check_noop("DS905", HEAD + "def build(source):\n    source.foreachRDD(f)\nbuild(lines)\n")
