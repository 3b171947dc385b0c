"""The streams of one tick that the stages have computed, as RDDs."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from dstream_compat.engine.kafka_batches import batch_rdd
from dstream_compat.engine.rdds import BatchRDD, gather
from dstream_compat.graph.compiler import Plan
from dstream_compat.graph.nodes import Node
from dstream_compat.stages.frames import Frame
from dstream_compat.stages.partitions import Batch

if TYPE_CHECKING:
    from pyspark import SparkContext


class StagedStreams:
    """Gives the RDD of a stream, made on first use; None if the stages do not compute it.

    ``logged`` gives what a source had at a tick; ``heavy(route, tick, count)`` the Java RDD of a
    stream whose bytes stayed on the executors.
    """

    def __init__(
        self,
        sc: SparkContext,
        plan: Plan,
        tick: int,
        counts: Mapping[int, int],
        frames: Mapping[tuple[int, int], list[Frame]],
        logged: Callable[[int, int], Batch | None],
        due: Callable[[Node], bool] = lambda node: True,
        heavy: Callable[[int, int, int], Any] | None = None,
    ) -> None:
        self._sc = sc
        self._plan = plan
        self._tick = tick
        self._counts = counts
        self._frames = frames
        self._logged = logged
        self._due = due
        self._heavy = heavy
        self._made: dict[int, BatchRDD] = {}  # by route

    def __call__(self, node: Node) -> BatchRDD | None:
        route = self._plan.routes.get(node)
        if route is None or not self._due(node):
            return None
        if route not in self._made:
            self._made[route] = self._make(node, route)
        return self._made[route]

    def made(self, node: Node) -> BatchRDD | None:
        """The RDD of a stream, if it was used."""
        return self._made.get(self._plan.routes[node])

    def settle(self) -> None:
        """Users keep RDDs beyond their batch: give those still in use their own data."""
        references = [weakref.ref(rdd) for rdd in self._made.values()]
        self._made.clear()
        for reference in references:
            rdd = reference()
            if rdd is not None:
                rdd.settle()

    def _make(self, node: Node, route: int) -> BatchRDD:
        count = self._plan.counts[node].at(self._counts)
        partitions = gather(self._frames.get((self._tick, route), ()), count)
        heavy = None
        if self._heavy is not None:
            heavy = partial(self._heavy, route, self._tick, count)
        return batch_rdd(self._sc, node, self._tick, partitions, heavy, self._logged)
