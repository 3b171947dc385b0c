"""The compiled stages run in this process, on lists: the same plan, no Spark."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dstream_compat.compiler import Plan, compile_graph
from dstream_compat.context import StreamingContext
from dstream_compat.dstream import DStream
from dstream_compat.frames import ERROR, MARK, OPEN, Frame, told_by
from dstream_compat.sources.input_log import Entry
from dstream_compat.sources.queues import InitialSource, PartitionedSource
from dstream_compat.sources.specs import InitialStateSpec, PartitionedSpec
from dstream_compat.stage import Setting, Task, run_input, run_stage
from dstream_compat.state.store import MemoryStore
from dstream_compat.testing.outcomes import Batches, Missing, Outcome, Outcomes, Raised, Seen

States = defaultdict[tuple[int, int], MemoryStore]


@dataclass
class LocalContext:
    """What a StreamingContext asks of a SparkContext while a graph is being built."""

    defaultParallelism: int = 2


def replay_in_process(
    build: Callable[[Any, list[DStream[Any]]], Sequence[DStream[Any]]],
    batches: Batches,
    *,
    parallelism: int = 2,
    interval: float = 1.0,
    slots: int = 2,
    together: int = 1,
) -> Outcomes:
    """Run a pipeline on batches; ``together`` ticks share a micro-batch.

    >>> replay_in_process(lambda ssc, ins: [ins[0].count()], [[[["a", "b"], ["c"]]]])
    [[Seen(partitions=((3,),))]]
    """
    ssc = StreamingContext(LocalContext(parallelism), interval)  # type: ignore[arg-type]
    width = len(batches[0]) if batches else 1
    inputs = [ssc._input("input", PartitionedSpec(())) for _ in range(width)]
    outputs = build(ssc, inputs)
    plan = compile_graph([stream._node for stream in outputs])
    sources = [PartitionedSource([tick[i] for tick in batches]) for i in range(width)]
    taking: dict[int, Any] = dict(enumerate(sources))
    for source in plan.sources:
        if isinstance(source.spec, InitialStateSpec):
            taking[source.id] = InitialSource(source.spec.partitions)
    entries = []
    for number in range(len(batches)):
        tick = (number + 1) * ssc._interval_ms
        taken = {i: source.take(tick) for i, source in taking.items()}
        entries.append(Entry(tick, tick, taken))
    outcomes: Outcomes = [[] for _ in outputs]
    states: States = defaultdict(MemoryStore)
    for at in range(0, len(entries), together):
        covered = entries[at : at + together]
        frames = run_plan(plan, covered, slots, states)
        told = {frame.tick: told_by(frame) for frame in frames if frame.route == MARK}
        for number, stream in enumerate(outputs):
            node = stream._node
            for tick, said in sorted(told.items()):
                mine = [f for f in frames if (f.route, f.tick) == (plan.routes[node], tick)]
                due = said.due(tick, node.slide_ms)
                count = plan.counts[node].at(said.counts)
                outcomes[number].append(_outcome(mine, count) if due else Missing())
    return outcomes


def run_plan(
    plan: Plan, entries: Sequence[Entry], slots: int, states: States | None = None, zero: int = 0
) -> list[Frame]:
    """All frames that reach the sink for some log entries.

    ``states`` are the stores by stage and slot; they are changed.
    """
    functions = plan.functions
    states = defaultdict(MemoryStore) if states is None else states
    ticks = tuple((entry.tick, entry.told(zero)) for entry in entries)
    frames: list[Frame] = []
    for slot in range(slots):
        partitions = tuple(
            (entry.tick, source, index, partition)
            for entry in entries
            for source, batch in entry.batches.items()
            for index, partition in enumerate(batch.partitions)
            if index % slots == slot
        )
        task = Task(partitions, ticks, announces=slot == 0)
        frames.extend(run_input(plan.stages[0], task, Setting(functions, slots)))
    for number, stage in enumerate(plan.stages[1:], 1):
        sent: dict[int, list[Frame]] = defaultdict(list)
        for frame in frames:
            sent[frame.part % slots].append(frame)
        frames = [
            frame
            for slot in range(slots)
            for frame in run_stage(
                stage, reversed(sent[slot]), Setting(functions, slots), states[number, slot]
            )
        ]
    return frames


def _outcome(frames: Sequence[Frame], count: int) -> Outcome:
    partitions: list[list[Any]] = [[] for _ in range(count)]
    for frame in sorted(frames, key=lambda frame: (frame.part, frame.seq)):
        if frame.seq == ERROR:
            kind, _, text = frame.chunk.decode().rsplit("\n", 1)[-1].partition(": ")
            return Raised(kind, text)
        if frame.seq != OPEN:
            partitions[frame.part].extend(pickle.loads(frame.chunk))
    return Seen(tuple(tuple(partition) for partition in partitions))
