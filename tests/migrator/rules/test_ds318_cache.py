"""DS318: cache and persist on a stream."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize("call", ["cache()", "persist(level)", "map(f).cache().map(g)"])
def test_streams_that_are_kept(call: str) -> None:
    check_found("DS318", HEAD + f"pairs.{call}.pprint()\n", 7)


@pytest.mark.parametrize(
    "line",
    [
        "pairs.pprint()",
        "pairs.foreachRDD(lambda rdd: rdd.cache().count())",
        "static = sc.parallelize([1]).cache()",
        "frame = spark.range(3).persist()",
    ],
)
def test_other_things_that_are_kept(line: str) -> None:
    check_noop("DS318", HEAD + f"{line}\n")
