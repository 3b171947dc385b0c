"""The DStream API: thin methods that build nodes. ``stages.operators`` has what the nodes do."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pyspark import RDD

from dstream_compat import arguments
from dstream_compat.base.durations import file_name, to_epoch_ms, to_ms
from dstream_compat.base.errors import unsupported
from dstream_compat.base.pyspark_internals import portable_hash
from dstream_compat.graph.nodes import (
    Narrow,
    Node,
    Output,
    Snapshots,
    Stateful,
    Transform,
    Wide,
    call_site,
    union_of,
)
from dstream_compat.stages.state_spec import StateSpec

if TYPE_CHECKING:
    from pyspark import StorageLevel
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
        """Each partition replaced by ``f(iterator)``; empty partitions included."""
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
        """The number of elements in each batch. legacy: none if the batch has no partitions."""
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
        """``(element, count)`` for each distinct element of a batch."""
        return self._narrow("withOne", None, "countByValue").reduceByKey(operator.add)

    def partitionBy(
        self, numPartitions: int, partitionFunc: Callable[[Any], int] = portable_hash
    ) -> DStream[Any]:
        """Pairs placed by ``partitionFunc(key) % numPartitions``."""
        if partitionFunc is portable_hash:
            return self._wide("partitionByHash", (self,), numPartitions, name="partitionBy")
        return self._wide("partitionBy", (self,), numPartitions, (partitionFunc,))

    def repartition(self, numPartitions: int) -> DStream[Any]:
        """The same elements, spread evenly over ``numPartitions`` partitions."""
        arguments.check_partitions(numPartitions)
        if numPartitions <= 0:
            raise ValueError("Number of partitions must be positive.")
        return self._wide("repartition", (self,), numPartitions)

    # -- two streams ---------------------------------------------------------------------------

    def union(self, other: DStream[Any]) -> DStream[Any]:
        """The elements of both streams; this stream's partitions come first."""
        arguments.check_stream(other, "union")
        if self._slideDuration != other._slideDuration:
            raise ValueError("the two DStream should have same slide duration")
        self._ssc._require_open("union")
        self._ssc._require_own(other)
        inputs = (self._node, other._node)
        return DStream(union_of(call_site("union"), inputs, fills=True), self._ssc)

    def cogroup(self, other: DStream[Any], numPartitions: int | None = None) -> DStream[Any]:
        """``(k, (values here, values in other))`` for every key of either stream."""
        return self._joined("cogroup", other, numPartitions)

    def join(self, other: DStream[Any], numPartitions: int | None = None) -> DStream[Any]:
        """``(k, (v, w))`` for each pair of values of a key that both streams have in a batch."""
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
        """Each batch's RDD replaced by ``func(rdd)`` or ``func(time, rdd)``; runs in the driver."""
        return TransformedDStream(self, func)

    def transformWith(
        self, func: Callable[..., Any], other: DStream[Any], keepSerializer: bool = False
    ) -> DStream[Any]:
        """Like :meth:`transform`, on the RDDs of two streams: ``func([time,] rdd, other_rdd)``."""
        taken = func.__code__.co_argcount
        if taken not in (2, 3):  # raised, not asserted: pytest would rewrite the text
            raise AssertionError("func should take two or three arguments")
        arguments.check_stream(other, "transformWith")
        self._ssc._require_open("transformWith")
        self._ssc._require_own(other)
        timed = _second_order(func) if taken == 2 else _timed_pair(func)
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
        """Call ``func(rdd)`` or ``func(time, rdd)`` for every batch, even an empty one."""
        # legacy: a function that does not take exactly one argument is called with two
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
        """Write each batch as text files to a directory ``prefix-<ms>[.suffix]``."""

        def save(time: datetime, rdd: RDD[Any]) -> None:
            rdd.saveAsTextFile(file_name(prefix, suffix, time))

        self._output("saveAsTextFiles", save)

    def saveAsPickleFiles(self, prefix: str, suffix: str | None = None) -> None:
        """Write each batch as pickle files, for ``sc.pickleFile`` to read."""

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
        """Compute this stream once per batch, however many streams use it."""
        from pyspark import StorageLevel

        return self.persist(StorageLevel.MEMORY_ONLY)

    def persist(self, storageLevel: StorageLevel) -> DStream[T]:
        """Like :meth:`cache`, with a storage level."""
        if self._ssc._started:
            raise unsupported(
                "Cannot change storage level of a DStream after streaming context has started",
                "persist",
            )
        arguments.check_storage_level(storageLevel)
        self.is_cached = True
        self._node.marks.storage_level = storageLevel
        return self

    def checkpoint(self, interval: int) -> DStream[T]:
        """legacy: how often the state of this stream is saved. Here: with every batch."""
        if self._ssc._started:
            raise unsupported(
                "Cannot change checkpoint interval of a DStream after streaming context "
                "has started",
                "checkpoint",
            )
        self.is_checkpointed = True
        self._node.marks.checkpoint_ms = to_ms(interval, "interval")
        return self

    def named(self, name: str) -> DStream[T]:
        """Name the state of this stream, so that a rebuilt job finds it by that name. New.

        For streams that keep state: windows, updateStateByKey, mapWithState.
        """
        if not isinstance(name, str) or not name:
            raise TypeError("name should be a non-empty str")
        state = _state_behind(self._node)
        if state is None:
            raise ValueError(
                "only streams that keep state (windows, updateStateByKey …) can be named"
            )
        state.marks.name = name
        return self

    # -- windows and state ---------------------------------------------------------------------

    def window(self, windowDuration: int, slideDuration: int | None = None) -> DStream[Any]:
        """The elements of the last ``windowDuration`` seconds, every ``slideDuration`` seconds.

        Oldest first; a window that is not full yet has what has arrived so far.
        """
        window_ms, slide_ms = self._window_ms(windowDuration, slideDuration)
        return self._stateful(
            "window", "window", slide_ms, 0, (), window_ms=window_ms, must_checkpoint=False
        )

    def reduceByWindow(
        self,
        reduceFunc: Callable[[Any, Any], Any],
        invReduceFunc: Callable[[Any, Any], Any] | None,
        windowDuration: int,
        slideDuration: int,
    ) -> DStream[Any]:
        """At most one element per window: all elements in it combined by ``reduceFunc``.

        ``invReduceFunc`` takes off what leaves the window, which makes long windows cheaper.
        """
        keyed = self._narrow("keyByOne", None, "reduceByWindow")
        reduced = keyed.reduceByKeyAndWindow(
            reduceFunc, invReduceFunc, windowDuration, slideDuration, 1
        )
        return reduced._narrow("second", None, "reduceByWindow")

    def countByWindow(self, windowDuration: int, slideDuration: int) -> DStream[int]:
        """The number of elements in each window. legacy: nothing before the first element."""
        ones = self._narrow("one", None, "countByWindow")
        return ones.reduceByWindow(operator.add, operator.sub, windowDuration, slideDuration)

    def countByValueAndWindow(
        self, windowDuration: int, slideDuration: int, numPartitions: int | None = None
    ) -> DStream[Any]:
        """``(element, count)`` for each distinct element of a window."""
        ones = self._narrow("withOne", None, "countByValueAndWindow")
        counted = ones.reduceByKeyAndWindow(
            operator.add, operator.sub, windowDuration, slideDuration, numPartitions
        )
        return counted._narrow("positive", None, "countByValueAndWindow", preserves=True)

    def groupByKeyAndWindow(
        self, windowDuration: int, slideDuration: int, numPartitions: int | None = None
    ) -> DStream[Any]:
        """One pair per key with all its values in the window, as a ResultIterable."""
        lists = self._narrow("inList", None, "groupByKeyAndWindow", preserves=True)
        grouped = lists.reduceByKeyAndWindow(
            lambda a, b: a.extend(b) or a,
            lambda a, b: a[len(b) :],
            windowDuration,
            slideDuration,
            numPartitions,
        )
        return grouped._narrow("asResult", None, "groupByKeyAndWindow", preserves=True)

    def reduceByKeyAndWindow(
        self,
        func: Callable[[Any, Any], Any],
        invFunc: Callable[[Any, Any], Any] | None,
        windowDuration: int,
        slideDuration: int | None = None,
        numPartitions: int | None = None,
        filterFunc: Callable[[Any], bool] | None = None,
    ) -> DStream[Any]:
        """One pair per key: its values in the window combined by ``func``.

        With ``invFunc``, which takes off what leaves the window, a window of at least five slides
        is computed from the previous one. legacy: then a key stays when all its values have left
        the window, with what ``invFunc`` makes of them, unless ``filterFunc((key, value))`` is
        false.
        """
        window_ms, slide_ms = self._window_ms(windowDuration, slideDuration)
        functions: tuple[Callable[..., Any], ...] = (func,)
        if invFunc:
            functions = (func, invFunc, filterFunc) if filterFunc else (func, invFunc)
            numPartitions = 0 if window_ms == 0 else numPartitions  # see graph.is_void
        return self._stateful(
            "reduceWindow",
            "reduceByKeyAndWindow",
            slide_ms,
            numPartitions,
            functions,
            window_ms=window_ms,
            must_checkpoint=bool(invFunc),
        )

    def updateStateByKey(
        self,
        updateFunc: Callable[[Iterable[Any], Any], Any],
        numPartitions: int | None = None,
        initialRDD: Any = None,
    ) -> DStream[Any]:
        """``(key, state)`` of every key: its state is ``updateFunc(new values, state)``.

        The function is called for every key on every batch; None removes the key. ``initialRDD``
        (an RDD or any iterable of pairs) is the state before the first batch.
        """
        return self._stateful(
            "updateState",
            "updateStateByKey",
            self._node.slide_ms,
            numPartitions,
            (updateFunc,),
            initialRDD,
        )

    def mapWithState(self, stateSpec: StateSpec) -> MapWithStateDStream:
        """What a state function returns for each record of a key and its state. New in Python.

        Unlike updateStateByKey, it only visits keys that have records in the batch.

        >>> def count(word, one, state):  # doctest: +SKIP
        ...     state.update(state.getOption(0) + one)
        ...     return word, state.get()
        >>> words.mapWithState(StateSpec.function(count)).pprint()  # doctest: +SKIP
        """
        if not isinstance(stateSpec, StateSpec):
            raise TypeError(
                "stateSpec should be a StateSpec (StateSpec.function(…)), got "
                f"{type(stateSpec).__name__}"
            )
        stream = self._stateful(
            "mapWithState",
            "mapWithState",
            self._node.slide_ms,
            stateSpec._partitions,
            (stateSpec._function,),
            stateSpec._initial,
            timeout_ms=stateSpec._timeout_ms,
        )
        return MapWithStateDStream(stream._node, self._ssc)

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
        arguments.check_partitions(partitions)
        inputs = tuple(stream._node for stream in streams)
        site = call_site(name or kind)
        node = Wide(site, self._node.slide_ms, inputs, kind, partitions, functions)
        return TransformedDStream._of(node, self._ssc)

    def _combine(
        self, name: str, functions: tuple[Callable[..., Any], ...], partitions: int | None
    ) -> DStream[Any]:
        return self._wide("combineByKey", (self,), partitions, functions, name)

    def _joined(self, kind: str, other: DStream[Any], partitions: int | None) -> DStream[Any]:
        arguments.check_stream(other, kind)
        self._ssc._require_open(kind)
        self._ssc._require_own(other)
        return self._wide(kind, (self, other), partitions)

    def _output(self, name: str, function: Callable[..., Any]) -> None:
        self._ssc._require_open(name)
        self._ssc._outputs.append(Output(call_site(name), self._node, function))

    def _stateful(
        self,
        kind: str,
        name: str,
        slide_ms: int,
        partitions: int | None,
        functions: tuple[Callable[..., Any], ...],
        initial: Any = None,
        **more: Any,
    ) -> DStream[Any]:
        self._ssc._require_open(name)
        if partitions is None:
            partitions = self._sc.defaultParallelism
        arguments.check_partitions(partitions)
        site = call_site(name)
        inputs: tuple[Node, ...] = (self._node,)
        if initial is not None and (isinstance(initial, RDD) or initial):
            inputs = (self._node, self._ssc._initial_state(site, initial))
        node = Stateful(site, slide_ms, inputs, kind, partitions, functions, **more)
        return DStream(node, self._ssc)

    def _window_ms(self, window: Any, slide: Any) -> tuple[int, int]:
        """Both durations of a window in ms; raises if they do not fit this stream."""
        parent = self._node.slide_ms
        for what, duration in (("windowDuration", window), ("slideDuration", slide)):
            if what == "slideDuration" and duration is None:
                continue
            milliseconds = to_ms(duration, what)
            if milliseconds % parent != 0:
                raise ValueError(
                    f"{what} must be multiple of the parent dstream's slide (batch) duration "
                    f"({parent} ms)"
                )
            if milliseconds < 0 or (milliseconds == 0 and what == "slideDuration"):
                raise ValueError(f"{what} should be more than 0 seconds")
        return to_ms(window, "windowDuration"), parent if slide is None else to_ms(slide, "slide")


class TransformedDStream(DStream[Any]):
    """A stream made by a function on RDDs: ``func(rdd)`` or ``func(time, rdd)``."""

    def __init__(self, prev: DStream[Any], func: Callable[..., Any]) -> None:
        taken = func.__code__.co_argcount
        if taken not in (1, 2):
            raise AssertionError("func should take one or two arguments")
        timed = _first_order(func) if taken == 1 else _timed(func)
        node = Transform(call_site("transform"), prev._node.slide_ms, (prev._node,), timed)
        super().__init__(node, prev._ssc)

    @classmethod
    def _of(cls, node: Node, ssc: StreamingContext) -> TransformedDStream:
        stream = cls.__new__(cls)
        DStream.__init__(stream, node, ssc)
        return stream


def _state_behind(node: Node) -> Stateful | None:
    """The operator whose state a call made; some calls add a plain operator after it."""
    while isinstance(node, (Narrow, Snapshots)):
        node = node.parent
    return node if isinstance(node, Stateful) else None


class MapWithStateDStream(DStream[Any]):
    """What a state function returned for each record of a batch."""

    def stateSnapshots(self) -> DStream[Any]:
        """``(key, state)`` of every key, after every batch."""
        self._ssc._require_open("stateSnapshots")
        assert isinstance(self._node, Stateful)
        known = self._ssc._snapshots.get(self._node)
        if known is None:
            known = Snapshots(call_site("stateSnapshots"), self._node.slide_ms, self._node)
            self._ssc._snapshots[self._node] = known
        return DStream(known, self._ssc)


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
