"""Streams computed on RDDs in the driver: transforms, and what follows them without state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark import RDD, SparkContext, cloudpickle

from dstream_compat.base.durations import to_datetime
from dstream_compat.base.errors import spark_error
from dstream_compat.base.pyspark_internals import java_rdd
from dstream_compat.graph.nodes import Narrow, Node, Transform, Union, Wide
from dstream_compat.stages.operators import narrow

# After a transform the operators run in plain RDD jobs, on executors that do not have our package.
cloudpickle.register_pickle_by_value(narrow)  # type: ignore[no-untyped-call]


class Evaluation:
    """The RDDs of all streams at one tick. ``staged`` gives those that come out of the stages,
    ``due`` says whether a stream has a batch at this tick, ``empty`` gives one without partitions.

    legacy: a chain of RDD functions is one function, run for each stream at which it is consumed;
    only a kept (cached or checkpointed) stream is computed once for all that follow.
    """

    def __init__(
        self,
        tick: int,
        staged: Callable[[Node], RDD[Any] | None],
        due: Callable[[Node], bool] = lambda node: True,
        empty: Callable[[], RDD[Any]] | None = None,
    ) -> None:
        self._tick = tick
        self._time = to_datetime(tick)
        self._staged = staged
        self._due = due
        self._empty = empty or (lambda: SparkContext.getOrCreate().emptyRDD())
        self._done: dict[Node, Any] = {}

    def consume(self, node: Node) -> Any:
        """The RDD of ``node``, or None if it has none at this tick."""
        if node in self._done:
            return self._done[node]
        rdd = self._compute(node)
        if not rdd:
            return None  # legacy: "no RDD" is not remembered
        java_rdd(rdd)  # legacy: what is no RDD fails here, by this name
        level = node.marks.storage_level
        if level is not None and not rdd.is_cached:
            rdd.persist(level)
        self._done[node] = rdd
        return rdd

    def _compute(self, node: Node) -> Any:
        if isinstance(node, Transform):
            if node.folds:
                inputs = [self._input(parent, folds=True) for parent in node.inputs]
            else:
                inputs = self._several(
                    node.inputs, node.fills, "Couldn't generate RDD from parent at time {} ms"
                )
            return node.function(self._time, inputs)
        if isinstance(node, Narrow):
            parent = self._input(node.parent, folds=True)
            return parent.mapPartitionsWithIndex(
                _on_rdd(node.kind, node.function), preservesPartitioning=node.preserves
            )
        if isinstance(node, Wide):
            return self._wide(node)
        if isinstance(node, Union):
            return self._union(node.inputs, node.fills)
        raise TypeError(f"no RDD operation for {node.site}")

    def _union(self, inputs: tuple[Node, ...], fills: bool = True) -> Any:
        first, *others = self._several(
            inputs, fills, "Could not generate RDD from a parent for unifying at time {} ms"
        )
        for other in others:
            first = first.union(other)
        return first

    def _wide(self, node: Wide) -> Any:
        n = node.partitions
        if node.kind == "align":
            return self._union(node.inputs)
        if len(node.inputs) == 2:
            here, there = self._several(node.inputs, fills=True)
            return getattr(here, node.kind)(there, n)
        rdd = self._input(node.inputs[0], folds=True)
        if node.kind == "combineByKey":
            return rdd.combineByKey(*node.functions, n)
        if node.kind == "partitionBy":
            return rdd.partitionBy(n, node.functions[0])
        if node.kind == "partitionByHash":
            return rdd.partitionBy(n)
        return getattr(rdd, node.kind)(n)

    def _several(self, nodes: tuple[Node, ...], fills: bool, otherwise: str = "") -> list[Any]:
        """The RDDs of some streams; one that has none counts as empty, or fails the batch."""
        rdds = [self._input(node, folds=False) for node in nodes]
        if None in rdds and not fills:
            raise spark_error(otherwise.format(self._tick), "getOrCompute")
        return [self._empty() if rdd is None else rdd for rdd in rdds]

    def _input(self, node: Node, folds: bool) -> Any:
        if not self._due(node):
            return None  # it slides slower than what is made of it
        staged = self._staged(node)
        if staged is not None:
            return staged
        if folds and _folds(node) and not node.marks.kept:
            return self._compute(node)
        return self.consume(node)


def _folds(node: Node) -> bool:
    if isinstance(node, Transform):
        return node.folds
    return isinstance(node, Narrow) or (isinstance(node, Wide) and len(node.inputs) == 1)


def _on_rdd(kind: str, function: Any) -> Callable[[int, Any], Any]:
    operator = narrow.NARROW[kind]
    return lambda index, iterator: operator(function, index, iterator)
