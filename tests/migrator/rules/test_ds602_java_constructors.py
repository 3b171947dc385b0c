"""DS602: contexts and streams made from Java objects."""

import pytest

from tests.migrator.rules import check_found, check_noop

IMPORT = "from pyspark.streaming import DStream, StreamingContext\n"


@pytest.mark.parametrize(
    "line",
    ["StreamingContext(sc, 2, java)", "StreamingContext(sc, jssc=java)", "DStream(j, ssc, s)"],
)
def test_what_wraps_a_java_object(line: str) -> None:
    check_found("DS602", IMPORT + f"{line}\n", 2)


@pytest.mark.parametrize(
    "line",
    [
        "StreamingContext(sc, 2)",
        "StreamingContext(sc, batchDuration=2, jssc=None)",
        "StreamingContext.getOrCreate(d, f)",
        "isinstance(x, DStream)",
        "Stream(j, ssc, s)",
    ],
)
def test_what_does_not(line: str) -> None:
    check_noop("DS602", IMPORT + f"{line}\n")
