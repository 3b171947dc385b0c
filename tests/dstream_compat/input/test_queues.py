"""queueStream's batches: cut as sc.parallelize cuts them, then the default, then empty ones."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark import SparkContext

from dstream_compat.input.queues import QueueSource, slices
from dstream_compat.stages.partitions import Batch, BrokenPartition, read_partition


def parts(batch: Batch) -> list[list[Any]]:
    return [[x for chunk in read_partition(p) for x in chunk] for p in batch.partitions]


def queue(batches: list[Any], one_at_a_time: bool = True, default: Any = None) -> QueueSource:
    return QueueSource(batches, one_at_a_time, default, 2, lambda rdd: rdd.glom())


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 100, 1025, 5000])
@pytest.mark.parametrize("parallelism", [1, 2, 3, 8])
def test_lists_are_cut_as_parallelize_cuts_them(sc: SparkContext, n: int, parallelism: int) -> None:
    listed = list(range(n))
    assert slices(listed, parallelism) == sc.parallelize(listed, parallelism).glom().collect()


@pytest.mark.parametrize("numbers", [range(0), range(7), range(3, 50, 4), range(9, 0, -2)])
def test_ranges_are_cut_as_parallelize_cuts_them(sc: SparkContext, numbers: range) -> None:
    assert slices(numbers, 3) == sc.parallelize(numbers, 3).glom().collect()


def test_one_batch_per_tick_then_one_empty_partition_forever() -> None:
    source = queue([[1], [2, 3]])
    taken = [parts(source.take(tick)) for tick in range(4)]
    assert taken == [[[], [1]], [[2], [3]], [[]], [[]]]


def test_all_at_once() -> None:
    source = queue([[1], [2, 3]], one_at_a_time=False)
    assert [parts(source.take(tick)) for tick in range(2)] == [[[], [1], [2], [3]], [[]]]


def test_the_default_comes_when_the_queue_is_empty() -> None:
    source = queue([[]], default=[9])
    assert [parts(source.take(tick)) for tick in range(3)] == [[[], []], [[], [9]], [[], [9]]]


def test_an_rdd_that_fails_breaks_its_own_batch_only() -> None:
    class Failing:
        def glom(self) -> Any:
            raise ValueError("no such table")

    source = queue([Failing(), [1]])
    assert source.take(0).partitions == (BrokenPartition("ValueError: no such table"),)
    assert parts(source.take(1)) == [[], [1]]
