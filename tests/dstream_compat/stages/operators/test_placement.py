"""repartition puts every element where Spark puts it."""

from __future__ import annotations

import pytest
from pyspark import SparkContext

from dstream_compat.stages.operators.placement import distribute_evenly


@pytest.mark.parametrize(("partitions", "n"), [(1, 1), (2, 3), (3, 4), (4, 7), (5, 2), (16, 10)])
def test_elements_go_where_spark_sends_them(sc: SparkContext, partitions: int, n: int) -> None:
    rdd = sc.parallelize(range(183), partitions)
    ours: list[list[int]] = [[] for _ in range(n)]
    for index, part in enumerate(rdd.glom().collect()):
        for target, dealt in distribute_evenly(index, iter(part), n):
            ours[target] += dealt
    assert ours == rdd.repartition(n).glom().collect()
