"""DS607: batch durations that cannot be."""

import pytest

from tests.migrator.rules import check_found, check_noop

IMPORT = "from pyspark.streaming import StreamingContext\n"


@pytest.mark.parametrize("seconds", ["0", "-1", "0.0", "0.0001"])
def test_durations_that_are_refused(seconds: str) -> None:
    check_found("DS607", IMPORT + f"ssc = StreamingContext(sc, {seconds})\n", 2)


@pytest.mark.parametrize("seconds", ["1", "0.5", "0.001", "n", "int(argument)", "60 * 5", "-n"])
def test_durations_that_may_be_right(seconds: str) -> None:
    check_noop("DS607", IMPORT + f"ssc = StreamingContext(sc, {seconds})\n")
