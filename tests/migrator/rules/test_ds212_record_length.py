"""DS212: a record length that cannot be."""

import pytest

from tests.migrator.rules import check_found, check_noop

HEAD = "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 2)\n"


@pytest.mark.parametrize("length", ["0", "-4", "1.5", '"16"', "True"])
def test_lengths_that_are_refused(length: str) -> None:
    check_found("DS212", HEAD + f"ssc.binaryRecordsStream(d, {length}).pprint()\n", 3)


@pytest.mark.parametrize("length", ["1", "16", "LENGTH", "4 * 4", "len(header)", "int(argument)"])
def test_lengths_that_may_be_right(length: str) -> None:
    check_noop("DS212", HEAD + f"ssc.binaryRecordsStream(d, {length}).pprint()\n")


def test_batch_reads_are_something_else() -> None:
    check_noop("DS212", HEAD + "sc.binaryRecords(path, 0)\n")
