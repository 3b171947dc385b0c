"""The DStream API: thin methods that build nodes. What the nodes do is in ``operators``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from pyspark.core.rdd import portable_hash

from dstream_compat.durations import file_name, to_epoch_ms, to_ms
from dstream_compat.errors import not_yet, unsupported
from dstream_compat.graph import Narrow, Node, Output, Transform, Wide, call_site, union_of

if TYPE_CHECKING:
    from pyspark import RDD, StorageLevel
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from dstream_compat.context import StreamingContext

__all__ = ["DStream"]

T = TypeVar("T")

_RULER = "-" * 43


class DStream(Generic[T]):
    """A stream of batches. Made by a :class:`StreamingContext` or by another DStream's methods.

    >>> words = lines.flatMap(str.split)  # doctest: +SKIP
    >>> words.map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b).pprint()  # doctest: +SKIP
    """

    def __init__(self, node: Node, ssc: StreamingContext) -> None:
        self._node = node
        self._ssc = ssc
        self._sc = ssc._sc
        self.is_cached = False
        self.is_checkpointed = False

    def context(self) -> StreamingContext:
        """The StreamingContext this stream belongs to."""
        return self._ssc

    @property
    def _slideDuration(self) -> float:
        return self._node.slide_ms / 1000.0

    # -- one partition at a time ---------------------------------------------------------------

    def map(self, f: Callable[[Any], Any], preservesPartitioning: bool = False) -> DStream[Any]:
        """Each element replaced by ``f(element)``."""
        return self._narrow("map", f, preserves=preservesPartitioning)

    def flatMap(
        self, f: Callable[[Any], Iterable[Any]], preservesPartitioning: bool = False
    ) -> DStream[Any]:
        """Each element replaced by the elements of ``f(element)``."""
        return self._narrow("flatMap", f, preserves=preservesPartitioning)

    def filter(self, f: Callable[[Any], bool]) -> DStream[Any]:
        """The elements for which ``f(element)`` is true."""
        return self._narrow("filter", f, preserves=True)

    def mapPartitions(
        self,
        f: Callable[[Iterable[Any]], Iterable[Any]],
        preservesPartitioning: bool = False,
    ) -> DStream[Any]:
        """Each partition replaced by ``f(iterator)``; also called for empty partitions."""
        return self._narrow("mapPartitions", f, preserves=preservesPartitioning)

    def mapPartitionsWithIndex(
        self,
        f: Callable[[int, Iterable[Any]], Iterable[Any]],
        preservesPartitioning: bool = False,
    ) -> DStream[Any]:
        """Each partition replaced by ``f(index, iterator)``."""
        return self._narrow("mapPartitionsWithIndex", f, preserves=preservesPartitioning)

    def mapValues(self, f: Callable[[Any], Any]) -> DStream[Any]:
        """``(k, v)`` becomes ``(k, f(v))``."""
        return self._narrow("mapValues", f, preserves=True)

    def flatMapValues(self, f: Callable[[Any], Iterable[Any]]) -> DStream[Any]:
        """``(k, v)`` becomes a pair for each element of ``f(v)``."""
        return self._narrow("flatMapValues", f, preserves=True)

    def glom(self) -> DStream[Any]:
        """One list per partition."""
        return self._narrow("glom", None)

    # -- across partitions ---------------------------------------------------------------------

    def count(self) -> DStream[int]:
        """One number per batch: how many elements. legacy: none if the batch has no partition."""
        return self._narrow("countPartition", None, "count").reduce(operator.add)

    def reduce(self, func: Callable[[Any, Any], Any]) -> DStream[Any]:
        """At most one element per batch: all elements combined by ``func``."""
        keyed = self._narrow("keyByNone", None, "reduce")
        return keyed.reduceByKey(func, 1)._narrow("second", None, "reduce")

    def reduceByKey(
        self, func: Callable[[Any, Any], Any], numPartitions: int | None = None
    ) -> DStream[Any]:
        """One pair per key: its values combined by ``func``."""
        return self._combine("reduceByKey", (lambda value: value, func, func), numPartitions)

    def combineByKey(
        self,
        createCombiner: Callable[[Any], Any],
        mergeValue: Callable[[Any, Any], Any],
        mergeCombiners: Callable[[Any, Any], Any],
        numPartitions: int | None = None,
    ) -> DStream[Any]:
        """One pair per key, its values aggregated to another type."""
        return self._combine(
            "combineByKey", (createCombiner, mergeValue, mergeCombiners), numPartitions
        )

    def groupByKey(self, numPartitions: int | None = None) -> DStream[Any]:
        """One pair per key with all its values, as a ResultIterable."""
        return self._wide("groupByKey", (self,), numPartitions)

    def countByValue(self) -> DStream[Any]:
        """``(element, how often)`` for each distinct element of a batch."""
        return self._narrow("withOne", None, "countByValue").reduceByKey(operator.add)

    def partitionBy(
        self, numPartitions: int, partitionFunc: Callable[[Any], int] = portable_hash
    ) -> DStream[Any]:
        """Pairs placed by ``partitionFunc(key) % numPartitions``."""
        if partitionFunc is portable_hash:
            return self._wide("partitionByHash", (self,), numPartitions, name="partitionBy")
        return self._wide("partitionBy", (self,), numPartitions, (partitionFunc,))

    def repartition(self, numPartitions: int) -> DStream[Any]:
        """The same elements dealt out evenly over ``numPartitions`` partitions."""
        return self._wide("repartition", (self,), numPartitions)

    # -- two streams ---------------------------------------------------------------------------

    def union(self, other: DStream[Any]) -> DStream[Any]:
        """The elements of both streams; this stream's partitions come first."""
        if self._slideDuration != other._slideDuration:
            raise ValueError("the two DStream should have same slide duration")
        self._ssc._require_open("union")
        inputs = (self._node, other._node)
        return DStream(union_of(call_site("union"), inputs, fills=True), self._ssc)

    def cogroup(self, other: DStream[Any], numPartitions: int | None = None) -> DStream[Any]:
        """``(k, (values here, values there))`` for every key of either stream."""
        return self._joined("cogroup", other, numPartitions)

    def join(self, other: DStream[Any], numPartitions: int | None = None) -> DStream[Any]:
        """``(k, (v, w))`` for every pair of values of a key that both streams have in a batch."""
        return self._joined("join", other, numPartitions)

    def leftOuterJoin(self, other: DStream[Any], numPartitions: int | None = None) -> DStream[Any]:
        """A join that keeps this stream's pairs, with None where ``other`` lacks the key."""
        return self._joined("leftOuterJoin", other, numPartitions)

    def rightOuterJoin(self, other: DStream[Any], numPartitions: int | None = None) -> DStream[Any]:
        """A join that keeps the other stream's pairs, with None where this one lacks the key."""
        return self._joined("rightOuterJoin", other, numPartitions)

    def fullOuterJoin(self, other: DStream[Any], numPartitions: int | None = None) -> DStream[Any]:
        """A join that keeps the pairs of both streams."""
        return self._joined("fullOuterJoin", other, numPartitions)

    # -- RDDs in the driver --------------------------------------------------------------------

    def transform(self, func: Callable[..., Any]) -> TransformedDStream:
        """Each batch's RDD replaced by ``func(rdd)`` or ``func(time, rdd)``, run in the driver."""
        return TransformedDStream(self, func)

    def transformWith(
        self, func: Callable[..., Any], other: DStream[Any], keepSerializer: bool = False
    ) -> DStream[Any]:
        """Like :meth:`transform`, on the RDDs of two streams: ``func([time,] rdd, other_rdd)``."""
        arguments = func.__code__.co_argcount
        assert arguments in (2, 3), "func should take two or three arguments"
        self._ssc._require_open("transformWith")
        timed = _second_order(func) if arguments == 2 else _timed_pair(func)
        inputs = (self._node, other._node)
        node = Transform(
            call_site("transformWith"), self._node.slide_ms, inputs, timed, folds=False, fills=True
        )
        return DStream(node, self._ssc)

    def slice(self, begin: datetime | int, end: datetime | int) -> list[RDD[Any]]:
        """The RDDs of the batches from ``begin`` to ``end`` (both included)."""
        return self._ssc._slice(self._node, to_epoch_ms(begin), to_epoch_ms(end))

    # -- outputs -------------------------------------------------------------------------------

    def foreachRDD(self, func: Callable[..., Any]) -> None:
        """Call ``func(rdd)`` or ``func(time, rdd)`` for every batch, also for empty ones."""
        # legacy: anything but one argument is called with two, whatever it takes
        timed = _with_time(func) if func.__code__.co_argcount == 1 else func
        self._output("foreachRDD", timed)

    def pprint(self, num: int = 10) -> None:
        """Print the first ``num`` elements of every batch."""

        def print_batch(time: datetime, rdd: RDD[Any]) -> None:
            taken = rdd.take(num + 1)
            print(_RULER)
            print(f"Time: {time}")
            print(_RULER)
            for element in taken[:num]:
                print(element)
            if len(taken) > num:
                print("...")
            print("")

        self._output("pprint", print_batch)

    def saveAsTextFiles(self, prefix: str, suffix: str | None = None) -> None:
        """Write every batch as text files into a directory ``prefix-<ms>[.suffix]``."""

        def save(time: datetime, rdd: RDD[Any]) -> None:
            rdd.saveAsTextFile(file_name(prefix, suffix, time))

        self._output("saveAsTextFiles", save)

    def saveAsPickleFiles(self, prefix: str, suffix: str | None = None) -> None:
        """Write every batch as pickle files, to be read back by ``sc.pickleFile``."""

        def save(time: datetime, rdd: RDD[Any]) -> None:
            rdd.saveAsPickleFile(file_name(prefix, suffix, time))

        self._output("saveAsPickleFiles", save)

    def toDF(self, schema: StructType | str) -> DataFrame:
        """This stream as a streaming DataFrame: the columns of ``schema``, and ``batch_time``.

        Elements are tuples, lists, dicts or Rows that fit the schema (a single value for a schema
        of one column). Start queries on it as on any streaming DataFrame.
        """
        return self._ssc._to_dataframe(self, schema)

    # -- keeping -------------------------------------------------------------------------------

    def cache(self) -> DStream[T]:
        """Compute this stream once per batch however many streams follow it."""
        from pyspark import StorageLevel

        return self.persist(StorageLevel.MEMORY_ONLY)

    def persist(self, storageLevel: StorageLevel) -> DStream[T]:
        """Like :meth:`cache`, with a storage level."""
        if self._ssc._started:
            raise unsupported(
                "Cannot change storage level of a DStream after streaming context has started",
                "persist",
            )
        self.is_cached = True
        self._node.marks.storage_level = storageLevel
        return self

    def checkpoint(self, interval: int) -> DStream[T]:
        """legacy: how often the state of this stream is saved. Ours is saved with every batch."""
        if self._ssc._started:
            raise unsupported(
                "Cannot change checkpoint interval of a DStream after streaming context "
                "has started",
                "checkpoint",
            )
        self.is_checkpointed = True
        self._node.marks.checkpoint_ms = to_ms(interval, "interval")
        return self

    # -- windows and state ---------------------------------------------------------------------

    def window(self, windowDuration: int, slideDuration: int | None = None) -> DStream[Any]:
        """Not built yet."""
        self._not_yet("window", windowDuration, slideDuration)

    def reduceByWindow(
        self,
        reduceFunc: Callable[[Any, Any], Any],
        invReduceFunc: Callable[[Any, Any], Any] | None,
        windowDuration: int,
        slideDuration: int,
    ) -> DStream[Any]:
        """Not built yet."""
        self._not_yet("reduceByWindow", windowDuration, slideDuration)

    def countByWindow(self, windowDuration: int, slideDuration: int) -> DStream[int]:
        """Not built yet."""
        self._not_yet("countByWindow", windowDuration, slideDuration)

    def countByValueAndWindow(
        self, windowDuration: int, slideDuration: int, numPartitions: int | None = None
    ) -> DStream[Any]:
        """Not built yet."""
        self._not_yet("countByValueAndWindow", windowDuration, slideDuration)

    def groupByKeyAndWindow(
        self, windowDuration: int, slideDuration: int, numPartitions: int | None = None
    ) -> DStream[Any]:
        """Not built yet."""
        self._not_yet("groupByKeyAndWindow", windowDuration, slideDuration)

    def reduceByKeyAndWindow(
        self,
        func: Callable[[Any, Any], Any],
        invFunc: Callable[[Any, Any], Any] | None,
        windowDuration: int,
        slideDuration: int | None = None,
        numPartitions: int | None = None,
        filterFunc: Callable[[Any], bool] | None = None,
    ) -> DStream[Any]:
        """Not built yet."""
        self._not_yet("reduceByKeyAndWindow", windowDuration, slideDuration)

    def updateStateByKey(
        self,
        updateFunc: Callable[[Iterable[Any], Any], Any],
        numPartitions: int | None = None,
        initialRDD: Any = None,
    ) -> DStream[Any]:
        """Not built yet."""
        raise not_yet("updateStateByKey")

    # -- how the methods above do it -----------------------------------------------------------

    def _narrow(
        self, kind: str, function: Any, name: str | None = None, preserves: bool = False
    ) -> DStream[Any]:
        site = call_site(name or kind)
        node = Narrow(site, self._node.slide_ms, self._node, kind, function, preserves)
        return TransformedDStream._of(node, self._ssc)

    def _wide(
        self,
        kind: str,
        streams: tuple[DStream[Any], ...],
        partitions: int | None,
        functions: tuple[Callable[..., Any], ...] = (),
        name: str | None = None,
    ) -> DStream[Any]:
        if partitions is None:
            partitions = self._sc.defaultParallelism
        inputs = tuple(stream._node for stream in streams)
        site = call_site(name or kind)
        node = Wide(site, self._node.slide_ms, inputs, kind, partitions, functions)
        return TransformedDStream._of(node, self._ssc)

    def _combine(
        self, name: str, functions: tuple[Callable[..., Any], ...], partitions: int | None
    ) -> DStream[Any]:
        return self._wide("combineByKey", (self,), partitions, functions, name)

    def _joined(self, kind: str, other: DStream[Any], partitions: int | None) -> DStream[Any]:
        self._ssc._require_open(kind)
        return self._wide(kind, (self, other), partitions)

    def _output(self, name: str, function: Callable[..., Any]) -> None:
        self._ssc._require_open(name)
        self._ssc._outputs.append(Output(call_site(name), self._node, function))

    def _not_yet(self, feature: str, window: Any, slide: Any) -> NoReturn:
        parent = self._node.slide_ms
        for what, duration in (("windowDuration", window), ("slideDuration", slide)):
            if what == "slideDuration" and not duration:
                continue
            if to_ms(duration, what) % parent != 0:
                raise ValueError(
                    f"{what} must be multiple of the parent dstream's slide (batch) duration "
                    f"({parent} ms)"
                )
        raise not_yet(feature)


class TransformedDStream(DStream[Any]):
    """A stream made by a function on RDDs: ``func(rdd)`` or ``func(time, rdd)``."""

    def __init__(self, prev: DStream[Any], func: Callable[..., Any]) -> None:
        arguments = func.__code__.co_argcount
        assert arguments in (1, 2), "func should take one or two arguments"
        timed = _first_order(func) if arguments == 1 else _timed(func)
        node = Transform(call_site("transform"), prev._node.slide_ms, (prev._node,), timed)
        super().__init__(node, prev._ssc)

    @classmethod
    def _of(cls, node: Node, ssc: StreamingContext) -> TransformedDStream:
        stream = cls.__new__(cls)
        DStream.__init__(stream, node, ssc)
        return stream


def _with_time(func: Callable[..., Any]) -> Callable[..., Any]:
    return lambda time, rdd: func(rdd)


def _first_order(func: Callable[..., Any]) -> Callable[..., Any]:
    return lambda time, rdds: func(rdds[0])


def _timed(func: Callable[..., Any]) -> Callable[..., Any]:
    return lambda time, rdds: func(time, rdds[0])


def _second_order(func: Callable[..., Any]) -> Callable[..., Any]:
    return lambda time, rdds: func(*rdds)


def _timed_pair(func: Callable[..., Any]) -> Callable[..., Any]:
    return lambda time, rdds: func(time, *rdds)
