"""What stateless DStream operators mean, in plain Python, for reading and for checking engines.

A :class:`ModelDStream` has the methods of a DStream and holds its whole history: one RDD per tick.
It says where every element lies and in which order, as the legacy engine does on one machine;
only behind ``repartition`` do order and place mean nothing.
Strings are placed by their hash: the process needs the PYTHONHASHSEED that Spark's workers have.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce as fold
from itertools import chain
from typing import Any, TypeAlias

from pyspark.core.rdd import portable_hash
from pyspark.resultiterable import ResultIterable

from dstream_compat.testing.outcomes import Batches, Outcomes, Seen

Partitioner: TypeAlias = tuple[int, Callable[[Any], int]]
Join: TypeAlias = Callable[[list[Any], list[Any]], Iterable[Any]]


def replay_model(
    build: Callable[[Any, list[Any]], Sequence[Any]], batches: Batches, *, parallelism: int = 2
) -> Outcomes:
    """What the outputs of ``build`` are on ``batches``; ``parallelism`` as in the SparkContext."""
    inputs = [
        ModelDStream([Rdd(partitions) for partitions in column], parallelism)
        for column in zip(*batches, strict=True)
    ]
    return [
        [Seen(tuple(builtins.map(tuple, rdd.partitions))) for rdd in output.ticks]
        for output in build(None, list(inputs))
    ]


@dataclass(frozen=True)
class Rdd:
    """Partitions, and by what rule keys were put into them, if by any."""

    partitions: list[list[Any]]
    partitioner: Partitioner | None = None

    def elements(self) -> list[Any]:
        return list(chain.from_iterable(self.partitions))

    def union(self, other: Rdd) -> Rdd:
        """The partitions of both, one behind the other."""
        # legacy: sides without partitions do not count, and where all others are partitioned
        # alike, the union is, too: partition by partition
        sides = [rdd for rdd in (self, other) if rdd.partitions]
        partitioners = {rdd.partitioner for rdd in sides}
        if len(partitioners) == 1 and None not in partitioners:
            rows = zip(*(rdd.partitions for rdd in sides), strict=True)
            return Rdd([list(chain.from_iterable(row)) for row in rows], sides[0].partitioner)
        return Rdd(self.partitions + other.partitions)


class ModelDStream:
    """A DStream whose RDDs are all known."""

    def __init__(self, ticks: list[Rdd], parallelism: int) -> None:
        self.ticks = ticks
        self.parallelism = parallelism

    def _each(self, f: Callable[[Rdd], Rdd]) -> ModelDStream:
        return ModelDStream([f(rdd) for rdd in self.ticks], self.parallelism)

    # Within a partition

    def mapPartitionsWithIndex(
        self,
        f: Callable[[int, Iterator[Any]], Iterable[Any]],
        preservesPartitioning: bool = False,
    ) -> ModelDStream:
        return self._each(
            lambda rdd: Rdd(
                [list(f(i, iter(part))) for i, part in enumerate(rdd.partitions)],
                rdd.partitioner if preservesPartitioning else None,
            )
        )

    def mapPartitions(
        self, f: Callable[[Iterator[Any]], Iterable[Any]], preservesPartitioning: bool = False
    ) -> ModelDStream:
        return self.mapPartitionsWithIndex(lambda _, part: f(part), preservesPartitioning)

    def map(self, f: Callable[[Any], Any], preservesPartitioning: bool = False) -> ModelDStream:
        return self.mapPartitions(lambda part: (f(x) for x in part), preservesPartitioning)

    def flatMap(
        self, f: Callable[[Any], Iterable[Any]], preservesPartitioning: bool = False
    ) -> ModelDStream:
        return self.mapPartitions(
            lambda part: (y for x in part for y in f(x)), preservesPartitioning
        )

    def filter(self, f: Callable[[Any], Any]) -> ModelDStream:
        return self.mapPartitions(lambda part: (x for x in part if f(x)), True)

    def mapValues(self, f: Callable[[Any], Any]) -> ModelDStream:
        return self.map(lambda kv: (kv[0], f(kv[1])), True)

    def flatMapValues(self, f: Callable[[Any], Iterable[Any]]) -> ModelDStream:
        return self.flatMap(lambda kv: ((kv[0], x) for x in f(kv[1])), True)

    def glom(self) -> ModelDStream:
        return self.mapPartitions(lambda part: [list(part)])

    # Across partitions

    def partitionBy(
        self, numPartitions: int, partitionFunc: Callable[[Any], int] = portable_hash
    ) -> ModelDStream:
        def place(rdd: Rdd) -> Rdd:
            placed: list[list[Any]] = [[] for _ in range(numPartitions)]
            for key, value in rdd.elements():
                placed[partitionFunc(key) % numPartitions].append((key, value))
            return Rdd(placed, (numPartitions, partitionFunc))

        return self._each(place)

    def repartition(self, numPartitions: int) -> ModelDStream:
        """All elements in ``numPartitions`` partitions: here, in the first of them."""
        return self._each(
            lambda rdd: Rdd([rdd.elements(), *([] for _ in range(numPartitions - 1))])
        )

    def combineByKey(
        self,
        createCombiner: Callable[[Any], Any],
        mergeValue: Callable[[Any, Any], Any],
        mergeCombiners: Callable[[Any, Any], Any],
        numPartitions: int | None = None,
    ) -> ModelDStream:
        """Combine in every partition, bring the combiners of a key together, merge them."""

        def combine(part: Iterator[Any]) -> Iterable[Any]:
            combiners: dict[Any, Any] = {}
            for key, value in part:
                if key in combiners:
                    combiners[key] = mergeValue(combiners[key], value)
                else:
                    combiners[key] = createCombiner(value)
            return combiners.items()

        def merge(part: Iterator[Any]) -> Iterable[Any]:
            merged: dict[Any, Any] = {}
            for key, value in part:
                merged[key] = mergeCombiners(merged[key], value) if key in merged else value
            return merged.items()

        count = self.parallelism if numPartitions is None else numPartitions
        return self.mapPartitions(combine).partitionBy(count).mapPartitions(merge, True)

    def reduceByKey(
        self, func: Callable[[Any, Any], Any], numPartitions: int | None = None
    ) -> ModelDStream:
        return self.combineByKey(lambda value: value, func, func, numPartitions)

    def groupByKey(self, numPartitions: int | None = None) -> ModelDStream:
        return self._grouped(numPartitions).mapValues(ResultIterable)

    def _grouped(self, numPartitions: int | None) -> ModelDStream:
        return self.combineByKey(
            lambda value: [value],
            lambda values, value: [*values, value],
            lambda values, more: values + more,
            numPartitions,
        )

    def reduce(self, func: Callable[[Any, Any], Any]) -> ModelDStream:
        """One element in one partition; none if there is none."""

        def reduce_part(part: Iterator[Any]) -> list[Any]:
            elements = list(part)
            return [fold(func, elements)] if elements else []

        together = self.mapPartitions(reduce_part)._each(lambda rdd: Rdd([rdd.elements()]))
        return together.mapPartitions(reduce_part)

    def count(self) -> ModelDStream:
        # legacy: an RDD without partitions has no count, not even 0
        return self.mapPartitions(lambda part: [sum(1 for _ in part)]).reduce(lambda a, b: a + b)

    def countByValue(self) -> ModelDStream:
        return self.map(lambda x: (x, 1)).reduceByKey(lambda a, b: a + b)

    # With another stream

    def union(self, other: ModelDStream) -> ModelDStream:
        return ModelDStream(
            [a.union(b) for a, b in zip(self.ticks, other.ticks, strict=True)], self.parallelism
        )

    def _cogrouped(self, other: ModelDStream, numPartitions: int | None) -> ModelDStream:
        """(key, (values here, values there)) as lists."""
        both = self.mapValues(lambda v: (0, v)).union(other.mapValues(lambda v: (1, v)))
        return both._grouped(numPartitions).mapValues(
            lambda tagged: tuple([v for side, v in tagged if side == i] for i in (0, 1))
        )

    def _joined(self, other: ModelDStream, numPartitions: int | None, rule: Join) -> ModelDStream:
        return self._cogrouped(other, numPartitions).flatMapValues(lambda sides: rule(*sides))

    def cogroup(self, other: ModelDStream, numPartitions: int | None = None) -> ModelDStream:
        return self._cogrouped(other, numPartitions).mapValues(
            lambda sides: tuple(builtins.map(ResultIterable, sides))
        )

    def join(self, other: ModelDStream, numPartitions: int | None = None) -> ModelDStream:
        return self._joined(
            other, numPartitions, lambda here, there: [(a, b) for a in here for b in there]
        )

    def leftOuterJoin(self, other: ModelDStream, numPartitions: int | None = None) -> ModelDStream:
        return self._joined(
            other,
            numPartitions,
            lambda here, there: [(a, b) for a in here for b in there or [None]],
        )

    def rightOuterJoin(self, other: ModelDStream, numPartitions: int | None = None) -> ModelDStream:
        return self._joined(
            other,
            numPartitions,
            lambda here, there: [(a, b) for a in here or [None] for b in there],
        )

    def fullOuterJoin(self, other: ModelDStream, numPartitions: int | None = None) -> ModelDStream:
        return self._joined(
            other,
            numPartitions,
            lambda here, there: [(a, b) for a in here or [None] for b in there or [None]],
        )
