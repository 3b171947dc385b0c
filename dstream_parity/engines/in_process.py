"""Our engine without Spark: the compiled stages run in this process, on lists."""

from __future__ import annotations

import os
import pickle
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType
from typing import Any

from pyspark import cloudpickle

from dstream_compat.context import StreamingContext
from dstream_compat.engine.evaluation import Evaluation
from dstream_compat.graph.compiler import Plan, compile_graph
from dstream_compat.graph.nodes import Node, is_void
from dstream_compat.graph.phases import Phases, in_phases
from dstream_compat.graph.specs import InitialStateSpec, PartitionedSpec
from dstream_compat.input.log import LogEntry
from dstream_compat.input.queues import InitialStateSource, PartitionedSource
from dstream_compat.stages.failures import Failure, describe
from dstream_compat.stages.frames import ERROR, MARK, OPEN, Frame, Tick, told_by
from dstream_compat.stages.partitions import Batch, FailedPartition, Partition, portable_data
from dstream_compat.stages.run import run_input, run_stage
from dstream_compat.stages.state.store import MemoryStore
from dstream_compat.stages.tasks import Setting, Task
from dstream_parity.base.outcomes import (
    Batches,
    Before,
    Build,
    Missing,
    Outcome,
    Outcomes,
    Raised,
    Seen,
    raised,
)
from dstream_parity.engines.local_rdd import LocalRDD

States = defaultdict[tuple[int, int], MemoryStore]


@dataclass
class LocalContext:
    """What a StreamingContext needs of a SparkContext while a graph is being built."""

    defaultParallelism: int = 2


def replay_in_process(
    build: Build,
    batches: Batches,
    *,
    parallelism: int = 2,
    interval: float = 1.0,
    slots: int = 2,
    together: int = 1,
    restarts: Collection[int] = (),
    before: Before | None = None,
) -> Outcomes:
    """Run a pipeline on batches, ``together`` ticks per micro-batch.

    ``before`` is called with the number of each tick before it runs. After each number of ticks in
    ``restarts`` only what a checkpoint holds is kept: the pickled graph and the state. A
    ``transform`` gets a :class:`LocalRDD`.

    >>> replay_in_process(lambda ssc, ins: [ins[0].count()], [[[["a", "b"], ["c"]]]])
    [[Seen(partitions=((3,),))]]
    """
    with _hashing_alike():
        ssc = StreamingContext(LocalContext(parallelism), interval)  # type: ignore[arg-type]
        width = len(batches[0]) if batches else 1
        inputs = [ssc._input("input", PartitionedSpec(())) for _ in range(width)]
        run = _Run([stream._node for stream in build(ssc, inputs)], slots)
        ticks = list(_entries(run.plan, batches, ssc._interval_ms))
        at = 0
        for stop in [*sorted(restarts), len(ticks)]:
            while at < stop:
                covered = ticks[at : min(at + (1 if run.phases.last else together), stop)]
                for number in range(at, at + len(covered)):
                    if before is not None:
                        before(number)
                run.micro_batch(covered)
                at += len(covered)
            if stop < len(ticks):
                run = run.restarted()
        return run.outcomes


@contextmanager
def _hashing_alike() -> Iterator[None]:
    """Spark refuses to place keys if processes may hash differently. Here there is one process."""
    if "PYTHONHASHSEED" in os.environ:
        yield
        return
    os.environ["PYTHONHASHSEED"] = "random"  # the default
    try:
        yield
    finally:
        del os.environ["PYTHONHASHSEED"]


def _entries(plan: Plan, batches: Batches, interval_ms: int) -> Iterator[LogEntry]:
    width = len(batches[0]) if batches else 1
    taking: dict[int, Any] = {
        i: PartitionedSource([tick[i] for tick in batches]) for i in range(width)
    }
    for source in plan.sources:
        if isinstance(source.spec, InitialStateSpec):
            taking[source.id] = InitialStateSource(source.spec.partitions)
    for number in range(len(batches)):
        tick = (number + 1) * interval_ms
        yield LogEntry(tick, tick, {i: source.take(tick) for i, source in taking.items()})


class _Run:
    """A compiled graph, its state, and the outcomes so far."""

    def __init__(self, nodes: Sequence[Node], slots: int) -> None:
        self._nodes = list(nodes)
        self._slots = slots
        self.phases: Phases = in_phases(nodes)
        self._outputs = [self.phases.nodes[node] for node in nodes]
        wanted = [*self._outputs, *self.phases.imports.values()]
        self.plan = compile_graph(wanted, slots, self.phases)
        self._states: States = defaultdict(MemoryStore)
        self.outcomes: Outcomes = [[] for _ in nodes]

    def restarted(self) -> _Run:
        saved = cloudpickle.dumps(self._nodes)  # type: ignore[no-untyped-call]
        again = _Run(pickle.loads(saved), self._slots)
        again._states.update(pickle.loads(pickle.dumps(dict(self._states))))
        again.outcomes = self.outcomes
        return again

    def micro_batch(self, entries: Sequence[LogEntry]) -> None:
        ends: dict[int, dict[int, Outcome]] = {entry.tick: {} for entry in entries}
        while entries:
            frames = run_plan(self.plan, entries, self._slots, self._states)
            told = {frame.tick: told_by(frame) for frame in frames if frame.route == MARK}
            by_route: dict[tuple[int, int], list[Frame]] = defaultdict(list)
            for frame in frames:
                by_route[frame.tick, frame.route].append(frame)
            following: list[LogEntry] = []
            for tick, said in sorted(told.items()):
                carried, failed = self._tick(tick, said, by_route, ends[tick])
                if said.phase < self.phases.last:
                    following.append(LogEntry(tick, tick, carried, said.phase + 1, failed))
            entries = following
        for ended in ends.values():
            for number, outcomes in enumerate(self.outcomes):
                outcomes.append(ended.get(number, Missing()))

    def _tick(
        self,
        tick: int,
        told: Tick,
        frames: Mapping[tuple[int, int], list[Frame]],
        ended: dict[int, Outcome],
    ) -> tuple[dict[int, Batch], str]:
        """Run the outputs of one phase of a tick; returns what the next phase starts from."""

        def staged(node: Node) -> LocalRDD | None:
            route = self.plan.routes.get(node)
            if route is None or not told.due(tick, node.slide_ms):
                return None
            count = self.plan.counts[node].at(told.counts)
            return _rdd(frames.get((tick, route), []), count)

        evaluation = Evaluation(
            tick,
            staged,  # type: ignore[arg-type]
            lambda node: told.due(tick, node.slide_ms),
            lambda: LocalRDD([]),  # type: ignore[arg-type, return-value]
        )
        due = {
            number: node
            for number, node in enumerate(self._outputs)
            if told.due(tick, node.slide_ms)
            and self.phases.phase_of.get(node, 0) == told.phase
            and not is_void(node)
        }
        imports = {
            source.id: node
            for source, node in self.phases.into(told.phase + 1).items()
            if told.due(tick, node.slide_ms)
        }
        initials = {n: staged(node) for n, node in imports.items() if node in self.phases.initials}
        if told.failed:
            return _given(initials), told.failed
        try:
            # all RDDs are made before any is computed: a transform that raises fails every output
            jobs = {n: staged(node) or evaluation.consume(node) for n, node in due.items()}
            wanted = {n: staged(node) or evaluation.consume(node) for n, node in imports.items()}
        except Exception as error:
            for number in range(len(self._outputs)):
                ended.setdefault(number, _failure(error))
            return _given(initials), describe(error, ())
        for number, rdd in jobs.items():
            if rdd is not None:
                ended[number] = _outcome(rdd)
        return _given(wanted), ""


def _given(rdds: Mapping[int, Any]) -> dict[int, Batch]:
    return {number: Batch(_packed(rdd)) for number, rdd in rdds.items() if rdd is not None}


def run_plan(
    plan: Plan, entries: Sequence[LogEntry], slots: int, states: States | None = None, zero: int = 0
) -> list[Frame]:
    """All frames that reach the sink for these log entries.

    ``states`` are the stores by stage and slot; they are updated.
    """
    open_functions = _opener(plan.functions)
    states = defaultdict(MemoryStore) if states is None else states
    ticks = tuple((entry.tick, entry.told(zero)) for entry in entries)
    frames: list[Frame] = []

    def setting() -> Setting:
        return Setting(open_functions(), slots, reopen=open_functions)

    for slot in range(slots):
        partitions = tuple(
            (entry.tick, source, index, partition)
            for entry in entries
            for source, batch in entry.batches.items()
            for index, partition in enumerate(batch.partitions)
            if index % slots == slot
        )
        task = Task(partitions, ticks, announces=slot == 0)
        frames.extend(run_input(plan.stages[0], task, setting()))
    for number, stage in enumerate(plan.stages[1:], 1):
        sent: dict[int, list[Frame]] = defaultdict(list)
        for frame in frames:
            sent[frame.part % slots].append(frame)
        frames = [
            frame
            for slot in range(slots)
            for frame in run_stage(stage, reversed(sent[slot]), setting(), states[number, slot])
        ]
    return frames


def _opener(functions: Sequence[Callable[..., Any]]) -> Callable[[], Sequence[Any]]:
    """Gives functions as a task gets them: as copies, if they can remember anything."""
    if all(_forgets(function) for function in functions):
        return lambda: functions
    pickled = cloudpickle.dumps(tuple(functions))  # type: ignore[no-untyped-call]
    return lambda: tuple(pickle.loads(pickled))


def _forgets(function: Any) -> bool:
    return isinstance(function, BuiltinFunctionType) or (
        isinstance(function, FunctionType)
        and not (function.__closure__ or function.__defaults__ or function.__kwdefaults__)
    )


def _rdd(frames: Sequence[Frame], count: int) -> LocalRDD:
    """What came out of the stages as an RDD; a partition that failed ends with its error."""
    chunks: list[list[bytes]] = [[] for _ in range(count)]
    errors: dict[int, str] = {}
    for frame in sorted(frames, key=lambda frame: (frame.part, frame.seq)):
        if frame.seq == ERROR:
            errors[frame.part] = frame.chunk.decode()
        elif frame.seq != OPEN:
            chunks[frame.part].append(frame.chunk)

    def elements(part: int) -> Iterator[Any]:
        for chunk in chunks[part]:
            yield from pickle.loads(chunk)
        if part in errors:
            raise Failure(errors[part])

    def opened(part: int) -> Callable[[], Iterator[Any]]:
        return lambda: elements(part)

    return LocalRDD([opened(part) for part in range(count)])


def _outcome(rdd: LocalRDD) -> Outcome:
    try:
        return Seen(tuple(map(tuple, rdd.partitions())))
    except Exception as error:
        return _failure(error)


def _failure(error: Exception) -> Raised:
    """The exception in the traceback of a :class:`Failure`.

    A Failure without a traceback says that a function could not be pickled.
    """
    found = raised(error)
    if not isinstance(error, Failure) or found.type != Failure.__name__:
        return found
    kind, _, text = str(error).rsplit("\n", 1)[-1].partition(": ")
    return Raised(kind.rpartition(".")[2], text)


def _packed(rdd: LocalRDD) -> tuple[Partition, ...]:
    try:
        return tuple(portable_data(part) for part in rdd.partitions())
    except Exception as error:
        return (FailedPartition(describe(error, ())),) * rdd.getNumPartitions()
