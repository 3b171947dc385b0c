"""``slice``: a stream's RDDs of past batches, computed from the input log."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from pyspark import SparkContext, cloudpickle

from dstream_compat.base.errors import spark_error
from dstream_compat.connectors.kafka.records import with_records
from dstream_compat.engine.evaluation import Evaluation
from dstream_compat.engine.planner import split_tasks
from dstream_compat.engine.rdds import BatchRDD
from dstream_compat.engine.shipping import on_workers
from dstream_compat.engine.staged import StagedStreams
from dstream_compat.graph.compiler import Plan, compile_graph
from dstream_compat.graph.nodes import Node, Source, has_state
from dstream_compat.input.log import LogEntry
from dstream_compat.stages.frames import Frame
from dstream_compat.stages.partitions import Batch


def slice_rdds(sc: SparkContext, node: Node, entries: Sequence[LogEntry], zero: int) -> list[Any]:
    """The RDDs of ``node`` at the ticks of ``entries``, oldest first."""
    plan = compile_graph([node])
    entries = with_records(sc, entries, plan.sources)
    slots = sc.defaultParallelism
    pickled = cloudpickle.dumps(plan.functions)  # type: ignore[no-untyped-call]
    known = {source.id for source in plan.sources if isinstance(source, Source)}
    tasks = split_tasks(entries, known, slots, zero) if entries else []
    stages = [pickle.dumps(stage, protocol=5) for stage in plan.stages]
    first = on_workers("slice_task", stages[0], slots, pickled)
    frames = sc.parallelize(tasks, max(1, len(tasks))).flatMap(first)
    for stage in stages[1:]:
        later = on_workers("slice_frames", stage, slots, pickled)
        frames = _exchange(frames, slots).mapPartitions(later)
    arrived: dict[tuple[int, int], list[Frame]] = defaultdict(list)
    for row in frames.collect() if tasks else ():
        frame = Frame(*row)
        arrived[frame.tick, frame.route].append(frame)
    rdds = []
    for entry in entries:
        streams = StagedStreams(
            sc, plan, entry.tick, entry.counts, arrived, partial(_batch_of, entry)
        )
        rdd = streams(node) or Evaluation(entry.tick, streams).consume(node)
        if rdd is not None:
            rdds.append(rdd)
    return rdds


def _batch_of(entry: LogEntry, tick: int, source: int) -> Batch | None:
    return entry.batches.get(source)


def _exchange(frames: Any, slots: int) -> Any:
    def placed(rows: Iterable[Any]) -> Iterator[Any]:
        for row in rows:
            yield row[2] % slots, row

    return frames.mapPartitions(placed).partitionBy(slots, lambda slot: slot).values()


class Remembered:
    """The RDDs that ``slice`` cannot compute again: those of streams with state upstream."""

    def __init__(self, plan: Plan, remember_ms: int) -> None:
        self._nodes = [node for node in plan.routes if has_state(node)]
        self._remember_ms = remember_ms
        self._kept: dict[Node, dict[int, BatchRDD]] = {}

    def keep(self, tick: int, streams: StagedStreams) -> None:
        """Keep the RDDs of a tick, and drop those that are too old."""
        for node in self._nodes:
            kept = self._kept.setdefault(node, {})
            rdd = streams.made(node)
            if rdd is not None and (self._remember_ms or rdd._inline):
                kept[tick] = rdd
            oldest = tick - max(self._remember_ms, node.slide_ms)
            for forgotten in [known for known in kept if known <= oldest]:
                del kept[forgotten]

    def between(self, node: Node, begin: int, end: int) -> list[BatchRDD]:
        """The RDDs of a stream at the ticks from ``begin`` to ``end``, oldest first."""
        kept = self._kept.get(node)
        if kept is None:
            raise spark_error(
                f"{node.site} depends on windows or state and has no output operation: slice works "
                "for such streams only with an output operation",
                "slice",
            )
        return [rdd for tick, rdd in sorted(kept.items()) if begin <= tick <= end]
