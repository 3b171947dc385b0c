"""DS506: methods put onto DStream or StreamingContext."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


def test_a_method_put_onto_the_class() -> None:
    check_found("DS506", "from pyspark.streaming import DStream\nDStream.save = f\n", 2)


def test_a_method_put_onto_a_context() -> None:
    check_found("DS506", HEAD + "ssc.save = f\n", 7)


@pytest.mark.parametrize(
    "line",
    [
        "DStream.map",
        "pairs.is_cached",
        "job.stream = pairs",
        "Other.save = f",
        "rdd = pairs",
        "self.ssc = ssc",
    ],
)
def test_reading_and_other_objects(line: str) -> None:
    check_noop("DS506", "from pyspark.streaming import DStream\n" + HEAD + f"{line}\n")
