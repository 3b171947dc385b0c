"""What DStream operators mean, in plain Python, for reading and for checking engines.

A :class:`ModelDStream` has the methods of a DStream, and an RDD for every tick at which it is due.
Ticks are numbered from 1, and durations are counted in ticks: seconds, at one second per batch.
The model says where every element lies and in which order, as the legacy engine does on one
machine; only behind ``repartition`` and ``cartesian``, in snapshots and among time-outs do order
and place mean nothing. Strings are placed by their hash: the process needs the PYTHONHASHSEED of
Spark's workers.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from datetime import datetime
from functools import reduce as fold
from typing import Any, TypeAlias

from pyspark.core.rdd import portable_hash
from pyspark.resultiterable import ResultIterable

from dstream_compat.stages.state_spec import StateSpec
from dstream_parity import Batches, Missing, Outcome, Outcomes, Seen, raised
from dstream_parity.base.outcomes import Before
from parity_tests.model_rdd import Rdd, Reduce, opened, union

Join: TypeAlias = Callable[[list[Any], list[Any]], Iterable[Any]]


def replay_model(
    build: Callable[[Any, list[Any]], Sequence[Any]],
    batches: Batches,
    *,
    parallelism: int = 2,
    before: Before | None = None,
) -> Outcomes:
    """What the outputs of ``build`` are on ``batches``; ``parallelism`` as in the SparkContext."""
    inputs = [_input(column, parallelism) for column in zip(*batches, strict=True)]
    outputs = build(ModelContext(), list(inputs))
    outcomes: Outcomes = [[] for _ in outputs]
    for number in range(len(batches)):
        if before is not None:
            before(number)
        for output, seen in zip(outputs, outcomes, strict=True):
            seen.append(_outcome(output, number + 1))
    return outcomes


def _input(column: Sequence[list[list[Any]]], parallelism: int) -> ModelDStream:
    return ModelDStream(lambda tick: Rdd(column[tick - 1]), parallelism)


def _outcome(output: ModelDStream, tick: int) -> Outcome:
    """A function that raises fails every output that needs its result, in that tick."""
    try:
        rdd = output.at(tick)
    except Exception as error:
        return raised(error)
    return Missing() if rdd is None else Seen(tuple(builtins.map(tuple, rdd.partitions)))


class ModelContext:
    """What pipelines ask of a StreamingContext."""

    def union(self, first: ModelDStream, *others: ModelDStream) -> ModelDStream:
        return first._derived(lambda tick: union([s._at(tick) for s in (first, *others)]))

    def transform(
        self, dstreams: list[ModelDStream], transformFunc: Callable[..., Rdd]
    ) -> ModelDStream:
        return dstreams[0]._derived(lambda tick: transformFunc([s._at(tick) for s in dstreams]))


class ModelDStream:
    """A DStream: ``compute`` gives its RDD at a tick, ``slide`` says how often it has one."""

    def __init__(self, compute: Callable[[int], Rdd], parallelism: int, slide: int = 1) -> None:
        self._compute = compute
        self.parallelism = parallelism
        self.slide = slide
        self._known: dict[int, Rdd] = {}

    def at(self, tick: int) -> Rdd | None:
        """The RDD of a tick; none between slides, and none before the first."""
        if tick < 1 or tick % self.slide:
            return None
        if tick not in self._known:
            self._known[tick] = self._compute(tick)
        return self._known[tick]

    def _at(self, tick: int) -> Rdd:
        """The RDD of a tick; without partitions where there is none."""
        return self.at(tick) or Rdd([])

    def _within(self, after: int, until: int) -> list[Rdd]:
        """The RDDs of the ticks in ``(after, until]``, oldest first."""
        rdds = builtins.map(self.at, range(after + 1, until + 1))
        return [rdd for rdd in rdds if rdd is not None]

    def _each(self, f: Callable[[Rdd], Rdd]) -> ModelDStream:
        return self._derived(lambda tick: f(self._at(tick)))

    def _derived(self, compute: Callable[[int], Rdd], slide: int | None = None) -> ModelDStream:
        return ModelDStream(compute, self.parallelism, self.slide if slide is None else slide)

    def _partitions(self, numPartitions: int | None) -> int:
        return self.parallelism if numPartitions is None else numPartitions

    def checkpoint(self, interval: int) -> ModelDStream:
        return self

    # Within a partition

    def mapPartitionsWithIndex(
        self,
        f: Callable[[int, Iterator[Any]], Iterable[Any]],
        preservesPartitioning: bool = False,
    ) -> ModelDStream:
        return self._each(lambda rdd: rdd.map_partitions(f, preservesPartitioning))

    def mapPartitions(
        self, f: Callable[[Iterator[Any]], Iterable[Any]], preservesPartitioning: bool = False
    ) -> ModelDStream:
        return self.mapPartitionsWithIndex(lambda _, part: opened(f)(part), preservesPartitioning)

    def map(self, f: Callable[[Any], Any], preservesPartitioning: bool = False) -> ModelDStream:
        return self.mapPartitions(lambda part: builtins.map(opened(f), part), preservesPartitioning)

    def flatMap(
        self, f: Callable[[Any], Iterable[Any]], preservesPartitioning: bool = False
    ) -> ModelDStream:
        return self.mapPartitions(
            lambda part: (y for ys in builtins.map(opened(f), part) for y in ys),
            preservesPartitioning,
        )

    def filter(self, f: Callable[[Any], Any]) -> ModelDStream:
        return self._each(lambda rdd: rdd.filter(f))

    def mapValues(self, f: Callable[[Any], Any]) -> ModelDStream:
        return self._each(lambda rdd: rdd.map_values(f))

    def flatMapValues(self, f: Callable[[Any], Iterable[Any]]) -> ModelDStream:
        return self._each(lambda rdd: rdd.flat_map_values(f))

    def glom(self) -> ModelDStream:
        return self.mapPartitions(lambda part: [list(part)])

    # On whole RDDs

    def transform(self, func: Callable[..., Rdd]) -> ModelDStream:
        timed = func.__code__.co_argcount == 2
        return self._derived(
            lambda tick: func(*([datetime.fromtimestamp(tick)] if timed else []), self._at(tick))
        )

    def transformWith(self, func: Callable[..., Rdd], other: ModelDStream) -> ModelDStream:
        timed = func.__code__.co_argcount == 3

        def compute(tick: int) -> Rdd:
            moment = [datetime.fromtimestamp(tick)] if timed else []
            return func(*moment, self._at(tick), other._at(tick))

        return self._derived(compute)

    # Across partitions

    def partitionBy(
        self, numPartitions: int, partitionFunc: Callable[[Any], int] = portable_hash
    ) -> ModelDStream:
        return self._each(lambda rdd: rdd.partition_by(numPartitions, partitionFunc))

    def repartition(self, numPartitions: int) -> ModelDStream:
        """All elements in ``numPartitions`` partitions: here, in the first of them."""
        return self._each(
            lambda rdd: Rdd([rdd.elements(), *([] for _ in range(numPartitions - 1))])
        )

    def combineByKey(
        self,
        createCombiner: Callable[[Any], Any],
        mergeValue: Reduce,
        mergeCombiners: Reduce,
        numPartitions: int | None = None,
    ) -> ModelDStream:
        n = self._partitions(numPartitions)
        return self._each(
            lambda rdd: rdd.combine_by_key(createCombiner, mergeValue, mergeCombiners, n)
        )

    def reduceByKey(self, func: Reduce, numPartitions: int | None = None) -> ModelDStream:
        n = self._partitions(numPartitions)
        return self._each(lambda rdd: rdd.reduce_by_key(func, n))

    def groupByKey(self, numPartitions: int | None = None) -> ModelDStream:
        n = self._partitions(numPartitions)
        return self._each(lambda rdd: rdd.grouped(n).map_values(ResultIterable))

    def reduce(self, func: Reduce) -> ModelDStream:
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
        if self.slide != other.slide:
            raise ValueError("the two DStream should have same slide duration")
        return self._derived(lambda tick: union([self._at(tick), other._at(tick)]))

    def _cogrouped(self, other: ModelDStream, numPartitions: int | None) -> ModelDStream:
        """(key, (values here, values there)) as lists; ``other`` is empty where it is not due."""
        n = self._partitions(numPartitions)
        return self._derived(lambda tick: self._at(tick).cogrouped(other._at(tick), n))

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

    # Over time

    def window(self, windowDuration: int, slideDuration: int | None = None) -> ModelDStream:
        return self._derived(
            lambda tick: union(self._within(tick - windowDuration, tick)), slideDuration
        )

    def reduceByKeyAndWindow(
        self,
        func: Reduce,
        invFunc: Reduce | None,
        windowDuration: int,
        slideDuration: int | None = None,
        numPartitions: int | None = None,
        filterFunc: Callable[[Any], Any] | None = None,
    ) -> ModelDStream:
        n = self._partitions(numPartitions)
        slide = self.slide if slideDuration is None else slideDuration
        reduced = self.reduceByKey(func, n)
        if invFunc is None:
            # legacy: there is nothing to filter, then
            return reduced.window(windowDuration, slide).reduceByKey(func, n)

        def within(after: int, until: int) -> Rdd:
            return union(reduced._within(after, until)).reduce_by_key(func, n)

        def without(values: list[Any], left: list[Any]) -> list[Any]:
            return [v if x is None else invFunc(v, x) for v in values for x in left or [None]]

        def compute(tick: int) -> Rdd:
            begin = tick - windowDuration
            previous = result.at(tick - slide)
            # legacy: short windows are reduced afresh
            if previous is None or windowDuration < 5 * slide:
                current = within(begin, tick)
            else:
                left = within(begin - slide, begin)
                # legacy: keys that have nothing left in the window stay, only filterFunc drops them
                rest = previous.cogrouped(left, n).flat_map_values(lambda sides: without(*sides))
                current = union([rest, within(tick - slide, tick)]).reduce_by_key(func, n)
            return current.filter(filterFunc) if filterFunc else current

        result = self._derived(compute, slide)
        return result

    def reduceByWindow(
        self,
        reduceFunc: Reduce,
        invReduceFunc: Reduce | None,
        windowDuration: int,
        slideDuration: int,
    ) -> ModelDStream:
        keyed = self.map(lambda x: (1, x))
        reduced = keyed.reduceByKeyAndWindow(
            reduceFunc, invReduceFunc, windowDuration, slideDuration, 1
        )
        return reduced.map(lambda kv: kv[1])

    def countByWindow(self, windowDuration: int, slideDuration: int) -> ModelDStream:
        ones = self.map(lambda x: 1)
        return ones.reduceByWindow(
            lambda a, b: a + b, lambda a, b: a - b, windowDuration, slideDuration
        )

    def countByValueAndWindow(
        self, windowDuration: int, slideDuration: int, numPartitions: int | None = None
    ) -> ModelDStream:
        counted = self.map(lambda x: (x, 1)).reduceByKeyAndWindow(
            lambda a, b: a + b, lambda a, b: a - b, windowDuration, slideDuration, numPartitions
        )
        return counted.filter(lambda kv: kv[1] > 0)

    def groupByKeyAndWindow(
        self, windowDuration: int, slideDuration: int, numPartitions: int | None = None
    ) -> ModelDStream:
        grouped = self.mapValues(lambda v: [v]).reduceByKeyAndWindow(
            lambda a, b: a + b,
            lambda a, b: a[len(b) :],
            windowDuration,
            slideDuration,
            numPartitions,
        )
        return grouped.mapValues(ResultIterable)

    # With state

    def updateStateByKey(
        self,
        updateFunc: Callable[[list[Any], Any], Any],
        numPartitions: int | None = None,
        initialRDD: Iterable[Any] | None = None,
    ) -> ModelDStream:
        n = self._partitions(numPartitions)
        initial = Rdd([list(initialRDD or ())])

        def updated(states: list[Any], values: list[Any]) -> Any:
            # a copy, because the function may change what it is given
            return updateFunc(values, deepcopy(states[0]) if states else None)

        def compute(tick: int) -> Rdd:
            before = result.at(tick - self.slide) or initial
            both = before.cogrouped(self._at(tick).partition_by(n), n)
            states = both.map_values(lambda sides: updated(*sides))
            return states.filter(lambda kv: kv[1] is not None)

        result = self._derived(compute)
        return result

    def mapWithState(self, stateSpec: StateSpec) -> ModelDStream:
        from parity_tests.model_state import ModelMapWithState

        return ModelMapWithState(self, stateSpec)
