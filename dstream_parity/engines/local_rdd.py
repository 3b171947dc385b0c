"""An RDD in process, made of the engine's own operators: what a transform gets in such a replay.

It has the methods that make sense without a cluster. Like any RDD it is lazy: a function that
raises does so when its partition is computed.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from typing import Any

from dstream_compat.stages.chunks import dumps
from dstream_compat.stages.operators.narrow import NARROW
from dstream_compat.stages.operators.wide import WIDE

Part = Callable[[], Any]  # the elements, usually an iterator


class LocalRDD:
    """``parts`` give the elements of each partition; ``placed``: how many, and the partitioner."""

    is_cached = False
    _jrdd = None  # nothing in Java

    def __init__(self, parts: Sequence[Part], placed: tuple[int, Any] | None = None) -> None:
        self._parts = list(parts)
        self._placed = placed

    @property
    def context(self) -> type[LocalRDD]:
        """Stands in for the SparkContext: it can ``parallelize``."""
        return LocalRDD

    ctx = context

    @staticmethod
    def parallelize(elements: Iterable[Any], numSlices: int = 1) -> LocalRDD:
        listed = list(elements)
        size = len(listed)
        bounds = [i * size // numSlices for i in range(numSlices + 1)]
        return LocalRDD([_given(listed[bounds[i] : bounds[i + 1]]) for i in range(numSlices)])

    def getNumPartitions(self) -> int:
        return len(self._parts)

    def persist(self, level: Any = None) -> LocalRDD:
        return self

    cache = persist

    # -- actions -------------------------------------------------------------------------------

    def partitions(self) -> list[list[Any]]:
        """The elements, partition by partition."""
        return [list(part()) for part in self._parts]

    def collect(self) -> list[Any]:
        return list(chain.from_iterable(self.partitions()))

    def count(self) -> int:
        return len(self.collect())

    def take(self, num: int) -> list[Any]:
        return self.collect()[:num]

    def isEmpty(self) -> bool:
        return not self.collect()

    # -- within partitions ---------------------------------------------------------------------

    def mapPartitionsWithIndex(
        self, f: Callable[[int, Iterator[Any]], Iterable[Any]], preservesPartitioning: bool = False
    ) -> LocalRDD:
        def part(index: int, before: Part) -> Part:
            return lambda: f(index, before())  # legacy: as it is, were it a list

        parts = [part(index, before) for index, before in enumerate(self._parts)]
        return LocalRDD(parts, self._placed if preservesPartitioning else None)

    def _narrow(self, kind: str, function: Any, preserves: bool = False) -> LocalRDD:
        narrowing = NARROW[kind]
        return self.mapPartitionsWithIndex(
            lambda index, part: narrowing(function, index, part), preserves
        )

    def map(self, f: Callable[[Any], Any]) -> LocalRDD:
        return self._narrow("map", f)

    def flatMap(self, f: Callable[[Any], Iterable[Any]]) -> LocalRDD:
        return self._narrow("flatMap", f)

    def filter(self, f: Callable[[Any], Any]) -> LocalRDD:
        return self._narrow("filter", f, True)

    def mapPartitions(self, f: Callable[[Iterator[Any]], Iterable[Any]]) -> LocalRDD:
        return self._narrow("mapPartitions", f)

    def mapValues(self, f: Callable[[Any], Any]) -> LocalRDD:
        return self._narrow("mapValues", f, True)

    def flatMapValues(self, f: Callable[[Any], Iterable[Any]]) -> LocalRDD:
        return self._narrow("flatMapValues", f, True)

    def glom(self) -> LocalRDD:
        return self._narrow("glom", None)

    def keyBy(self, f: Callable[[Any], Any]) -> LocalRDD:
        return self.map(lambda x: (f(x), x))

    def zipWithIndex(self) -> LocalRDD:
        starts = [0]
        for part in self.partitions():
            starts.append(starts[-1] + len(part))
        return self.mapPartitionsWithIndex(
            lambda index, part: ((x, number) for number, x in enumerate(part, starts[index]))
        )

    def sortBy(
        self, keyfunc: Callable[[Any], Any], ascending: bool = True, numPartitions: int = 1
    ) -> LocalRDD:
        if numPartitions != 1:
            raise NotImplementedError("in process, sortBy gives one partition: numPartitions=1")
        if not self._parts:
            return self
        return LocalRDD([_given(sorted(self.collect(), key=keyfunc, reverse=not ascending))])

    # -- across partitions ---------------------------------------------------------------------

    def union(self, other: LocalRDD) -> LocalRDD:
        sides = [rdd for rdd in (self, other) if rdd._parts]
        if len(sides) == 2 and self._placed is not None and self._placed == other._placed:
            pairs = zip(self._parts, other._parts, strict=True)
            return LocalRDD([_joined(*pair) for pair in pairs], self._placed)
        return LocalRDD(
            [part for rdd in sides for part in rdd._parts],
            sides[0]._placed if len(sides) == 1 else None,
        )

    def cartesian(self, other: LocalRDD) -> LocalRDD:
        def part(mine: Part, theirs: Part) -> Part:
            return lambda: ((a, b) for a in mine() for b in theirs())

        return LocalRDD([part(a, b) for a in self._parts for b in other._parts])

    def _shuffled(
        self, kind: str, n: int, functions: Sequence[Any] = (), other: LocalRDD | None = None
    ) -> LocalRDD:
        wide = WIDE[kind]
        sides = [self] if other is None else [self, other]
        arrived: list[bytes] | None = None

        def exchanged() -> list[bytes]:
            nonlocal arrived
            if arrived is None:
                buckets: list[list[Any]] = [[] for _ in range(n)]
                for tag, rdd in enumerate(sides):
                    for index, part in enumerate(rdd._parts):
                        for target, bucket in wide.near(functions, tag, index, iter(part()), n):
                            buckets[target].extend(bucket)
                # every reader gets its own copies: merging changes what it is given
                arrived = [dumps(bucket) for bucket in buckets]
            return arrived

        def part(target: int) -> Part:
            return lambda: wide.far(functions, iter(pickle.loads(exchanged()[target])))

        place = functions[0] if kind == "partitionBy" else "hash"
        placed = None if kind == "repartition" else (n, place)
        return LocalRDD([part(target) for target in range(n)], placed)

    def _into(self, numPartitions: int | None, *others: LocalRDD) -> int:
        """Without a number, Spark takes that of the input, or of the union of a join's sides."""
        if numPartitions is not None:
            return numPartitions
        return reduce(LocalRDD.union, others, self).getNumPartitions()

    def combineByKey(
        self,
        createCombiner: Any,
        mergeValue: Any,
        mergeCombiners: Any,
        numPartitions: int | None = None,
    ) -> LocalRDD:
        functions = (createCombiner, mergeValue, mergeCombiners)
        return self._shuffled("combineByKey", self._into(numPartitions), functions)

    def reduceByKey(self, func: Any, numPartitions: int | None = None) -> LocalRDD:
        return self.combineByKey(lambda value: value, func, func, numPartitions)

    def groupByKey(self, numPartitions: int | None = None) -> LocalRDD:
        return self._shuffled("groupByKey", self._into(numPartitions))

    def partitionBy(self, numPartitions: int | None = None, partitionFunc: Any = None) -> LocalRDD:
        n = self._into(numPartitions)
        if partitionFunc is None:
            return self._shuffled("partitionByHash", n)
        return self._shuffled("partitionBy", n, (partitionFunc,))

    def repartition(self, numPartitions: int) -> LocalRDD:
        return self._shuffled("repartition", numPartitions)

    def cogroup(self, other: LocalRDD, numPartitions: int | None = None) -> LocalRDD:
        return self._shuffled("cogroup", self._into(numPartitions, other), other=other)

    def join(self, other: LocalRDD, numPartitions: int | None = None) -> LocalRDD:
        return self._shuffled("join", self._into(numPartitions, other), other=other)

    def leftOuterJoin(self, other: LocalRDD, numPartitions: int | None = None) -> LocalRDD:
        return self._shuffled("leftOuterJoin", self._into(numPartitions, other), other=other)

    def rightOuterJoin(self, other: LocalRDD, numPartitions: int | None = None) -> LocalRDD:
        return self._shuffled("rightOuterJoin", self._into(numPartitions, other), other=other)

    def fullOuterJoin(self, other: LocalRDD, numPartitions: int | None = None) -> LocalRDD:
        return self._shuffled("fullOuterJoin", self._into(numPartitions, other), other=other)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(
            f"the in-process engine has no RDD.{name}: replay the pipeline on Spark"
        )


def _given(elements: list[Any]) -> Part:
    return lambda: iter(elements)


def _joined(one: Part, other: Part) -> Part:
    return lambda: chain(one(), other())
