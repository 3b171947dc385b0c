"""``slice``: a stream's RDDs of past batches, computed from the input log."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyspark import SparkContext, cloudpickle

from dstream_compat.connectors.kafka.rdds import batch_rdd, with_records
from dstream_compat.engine.evaluation import Evaluation
from dstream_compat.engine.log_source import split_tasks
from dstream_compat.engine.rdds import BatchRDD, gather
from dstream_compat.engine.shipping import on_workers
from dstream_compat.graph.compiler import compile_graph
from dstream_compat.graph.nodes import Node, Source
from dstream_compat.input.log import Entry
from dstream_compat.stages.frames import Frame


def slice_rdds(sc: SparkContext, node: Node, entries: Sequence[Entry], zero: int) -> list[Any]:
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

        def staged(asked: Node, entry: Entry = entry) -> BatchRDD | None:
            if asked not in plan.routes:
                return None
            mine = arrived.get((entry.tick, plan.routes[asked]), [])
            partitions = gather(mine, plan.counts[asked].at(entry.counts))
            return batch_rdd(
                sc, asked, entry.tick, partitions, None, lambda _, source: entry.batches.get(source)
            )

        rdd = staged(node) or Evaluation(entry.tick, staged).consume(node)
        if rdd is not None:
            rdds.append(rdd)
    return rdds


def _exchange(frames: Any, slots: int) -> Any:
    def placed(rows: Iterable[Any]) -> Iterator[Any]:
        for row in rows:
            yield row[2] % slots, row

    return frames.mapPartitions(placed).partitionBy(slots, lambda slot: slot).values()
