"""An RDD as lists: what :mod:`parity_tests.model` is built of, and what its transforms get."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

from pyspark import cloudpickle
from pyspark.core.rdd import portable_hash

Partitioner: TypeAlias = tuple[int, Callable[[Any], int]]
Reduce: TypeAlias = Callable[[Any, Any], Any]


def opened(f: Callable[..., Any]) -> Callable[..., Any]:
    """``f`` as a partition gets it: pickled in the driver, so that what it remembers of its calls
    ends with the partition."""
    if not getattr(f, "__closure__", None):
        return f
    copy: Callable[..., Any] = cloudpickle.loads(cloudpickle.dumps(f))  # type: ignore[no-untyped-call]
    return copy


@dataclass(frozen=True)
class Rdd:
    """Partitions, and by what rule keys were put into them, if by any.

    ``by_luck``: there is such a rule only because another RDD of a union has no partitions.
    """

    partitions: list[list[Any]]
    partitioner: Partitioner | None = None
    by_luck: bool = False

    def elements(self) -> list[Any]:
        return list(chain.from_iterable(self.partitions))

    def map_partitions(
        self, f: Callable[[int, Iterator[Any]], Iterable[Any]], preserves: bool = False
    ) -> Rdd:
        return Rdd(
            [list(f(i, iter(part))) for i, part in enumerate(self.partitions)],
            self.partitioner if preserves else None,
            self.by_luck and preserves,
        )

    def filter(self, f: Callable[[Any], Any]) -> Rdd:
        return self.map_partitions(lambda _, part: filter(opened(f), part), True)

    def map_values(self, f: Callable[[Any], Any]) -> Rdd:
        def mapped(_: int, part: Iterator[Any]) -> Iterable[Any]:
            own = opened(f)
            return ((key, own(value)) for key, value in part)

        return self.map_partitions(mapped, True)

    def flat_map_values(self, f: Callable[[Any], Iterable[Any]]) -> Rdd:
        def mapped(_: int, part: Iterator[Any]) -> Iterable[Any]:
            own = opened(f)
            return ((key, x) for key, value in part for x in own(value))

        return self.map_partitions(mapped, True)

    def partition_by(self, n: int, place: Callable[[Any], int] = portable_hash) -> Rdd:
        placed: list[list[Any]] = [[] for _ in range(n)]
        for key, value in self.elements():
            placed[place(key) % n].append((key, value))
        return Rdd(placed, (n, place))

    def combine_by_key(
        self, create: Callable[[Any], Any], merge_value: Reduce, merge_combiners: Reduce, n: int
    ) -> Rdd:
        """Combine in every partition, bring the combiners of a key together, merge them."""

        def combine(_: int, part: Iterator[Any]) -> Iterable[Any]:
            combiners: dict[Any, Any] = {}
            for key, value in part:
                if key in combiners:
                    combiners[key] = merge_value(combiners[key], value)
                else:
                    combiners[key] = create(value)
            return combiners.items()

        def merge(_: int, part: Iterator[Any]) -> Iterable[Any]:
            merged: dict[Any, Any] = {}
            for key, value in part:
                merged[key] = merge_combiners(merged[key], value) if key in merged else value
            return merged.items()

        return self.map_partitions(combine).partition_by(n).map_partitions(merge, True)

    def reduce_by_key(self, f: Reduce, n: int) -> Rdd:
        return self.combine_by_key(lambda value: value, f, f, n)

    def grouped(self, n: int) -> Rdd:
        """(key, list of its values)"""
        return self.combine_by_key(
            lambda value: [value],
            lambda values, value: [*values, value],
            lambda values, more: values + more,
            n,
        )

    def cogrouped(self, other: Rdd, n: int) -> Rdd:
        """(key, (list of values here, list of values there))"""
        both = union([self.map_values(lambda v: (0, v)), other.map_values(lambda v: (1, v))])
        return both.grouped(n).map_values(
            lambda tagged: tuple([v for side, v in tagged if side == i] for i in (0, 1))
        )

    # What functions on RDDs call

    @property
    def context(self) -> type[Rdd]:
        return Rdd

    @staticmethod
    def parallelize(elements: list[Any], numSlices: int) -> Rdd:
        assert numSlices == 1
        return Rdd([elements])

    def collect(self) -> list[Any]:
        return self.elements()

    def map(self, f: Callable[[Any], Any]) -> Rdd:
        return self.map_partitions(lambda _, part: map(f, part))

    def union(self, other: Rdd) -> Rdd:
        return union([self, other])

    def sortBy(self, key: Callable[[Any], Any], numPartitions: int) -> Rdd:
        assert numPartitions == 1
        return Rdd([sorted(self.elements(), key=key)]) if self.partitions else self

    def zipWithIndex(self) -> Rdd:
        numbers = iter(range(len(self.elements())))
        return self.map_partitions(lambda _, part: ((x, next(numbers)) for x in part))

    def cartesian(self, other: Rdd) -> Rdd:
        return Rdd(
            [
                [(a, b) for a in mine for b in theirs]
                for mine in self.partitions
                for theirs in other.partitions
            ]
        )

    def partitionBy(self, numPartitions: int) -> Rdd:
        return self.partition_by(numPartitions)

    def reduceByKey(self, f: Reduce, numPartitions: int) -> Rdd:
        return self.reduce_by_key(f, numPartitions)

    def join(self, other: Rdd, numPartitions: int) -> Rdd:
        return self.cogrouped(other, numPartitions).flat_map_values(
            lambda sides: [(a, b) for a in sides[0] for b in sides[1]]
        )


_LUCK: ContextVar[list[int]] = ContextVar("_LUCK")


@contextmanager
def noting_luck() -> Iterator[list[int]]:
    """Gives the partitions of every union that has fewer because an RDD has none at all."""
    noted: list[int] = []
    token = _LUCK.set(noted)
    try:
        yield noted
    finally:
        _LUCK.reset(token)


def union(rdds: list[Rdd]) -> Rdd:
    """The partitions of all, one after the other."""
    # legacy: RDDs without partitions do not count, and where all others are partitioned alike,
    # the union is, too: partition by partition
    counting = [rdd for rdd in rdds if rdd.partitions]
    partitioners = {rdd.partitioner for rdd in counting}
    if len(partitioners) == 1 and None not in partitioners:
        rows = list(zip(*(rdd.partitions for rdd in counting), strict=True))
        by_luck = len(counting) < len(rdds) or any(rdd.by_luck for rdd in counting)
        if by_luck and len(counting) > 1:
            _LUCK.get([]).append(len(rows))
        return Rdd(
            [list(chain.from_iterable(row)) for row in rows], counting[0].partitioner, by_luck
        )
    return Rdd(list(chain.from_iterable(rdd.partitions for rdd in counting)))
