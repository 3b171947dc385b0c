"""Running one stage of a plan on frames. Knows nothing of Spark: also runs in process, on lists."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from dstream_compat.stages.branches import BranchRun, Source
from dstream_compat.stages.failures import Failure
from dstream_compat.stages.frames import (
    ERROR,
    LAST_TICK,
    MARK,
    STATE,
    Frame,
    Tick,
    elements,
    mark,
    told_by,
)
from dstream_compat.stages.operators.keyed import KeyedPartition
from dstream_compat.stages.operators.stateful import run_keyed
from dstream_compat.stages.operators.wide import WIDE
from dstream_compat.stages.operators.windows import run_window
from dstream_compat.stages.partitions import BrokenPartition, Partition, read_partition
from dstream_compat.stages.plan import Stage, StageInput
from dstream_compat.stages.state.store import Buffer, StateCell, Store
from dstream_compat.stages.tasks import Functions, Records, Setting, Task

Sent = Callable[[int, int], list[Frame]]


def run_input(stage: Stage, task: Task, setting: Setting) -> Iterator[Frame]:
    """Stage 0: read partitions and run them up to the first exchange."""
    run = BranchRun(setting, dict(task.ticks))
    if task.announces:
        for tick, told in task.ticks:
            for slot in range(setting.slots):
                yield mark(tick, slot, told)
        for source, tick, index, why in setting.lost:
            yield from run.partition(stage.inputs[source], tick, index, _read(BrokenPartition(why)))
    for tick, source, index, partition in task.partitions:
        stage_input = stage.inputs.get(source)
        if stage_input is not None:
            run.next_partition()
            yield from run.partition(stage_input, tick, index, _read(partition))


def run_ranges(
    stage: Stage,
    source: int,
    slices: Sequence[tuple[int, int, int, int]],
    ticks: Mapping[int, Tick],
    records: Records,
    setting: Setting,
) -> Iterator[Frame]:
    """Stage 0 on one Kafka partition: ``slices`` are (tick, part, offsets from, until)."""
    stage_input = stage.inputs[source]
    run = BranchRun(setting, ticks)
    for tick, index, start, until in slices:
        yield from run.partition(stage_input, tick, index, partial(records.between, start, until))


def run_stage(
    stage: Stage, frames: Iterable[Frame], setting: Setting, store: Store | None = None
) -> Iterator[Frame]:
    """A later stage: finish its operators for every tick, pass on what is not its business.

    ``store`` holds the state of this slot; it is changed once, at the end.
    """
    arrivals = _Arrivals(stage)
    yield from arrivals.sort(frames)
    ticks, slot = arrivals.ticks, arrivals.slot
    run = BranchRun(setting, ticks)
    buffer = None if store is None else Buffer(store)
    for tick in sorted(ticks):
        sent = partial(arrivals.sent, tick)
        for stage_input in stage.inputs.values():
            if stage_input.phase != ticks[tick].phase:
                continue
            if stage_input.keeping is None:
                yield from _stateless(run, stage_input, tick, slot, sent)
            else:
                assert buffer is not None
                finish = _window if stage_input.kind == "window" else _keyed
                yield from finish(run, stage_input, tick, slot, sent, buffer)
                buffer.forget_reads()
    if buffer is not None and ticks:
        usage = pickle.dumps(buffer.flush(), protocol=5)
        yield Frame(STATE, arrivals.last, slot, 0, 0, usage)
    for tick, told in ticks.items():
        yield mark(tick, slot, told)


class _Arrivals:
    """The frames of one slot, by where they belong, and the ticks that it was told of."""

    def __init__(self, stage: Stage) -> None:
        self.ticks: dict[int, Tick] = {}
        self.slot = 0
        self._stage = stage
        self._frames: dict[tuple[int, int, int], list[Frame]] = defaultdict(list)

    @property
    def last(self) -> int:
        return max(self.ticks, default=0)

    def sort(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Take all frames in; gives back those that are for a later stage."""
        for frame in frames:
            if frame.route == MARK:
                self.ticks[frame.tick] = told_by(frame)
                self.slot = frame.part
            elif frame.route in self._stage.inputs:
                self._frames[frame.tick, frame.route, frame.part].append(frame)
            else:
                yield frame

    def sent(self, tick: int, route: int, index: int) -> list[Frame]:
        """Hand over what was sent to a partition of an input for a tick."""
        frames = self._frames.pop((tick, route, index), [])
        if tick == self.last:
            frames += self._frames.pop((LAST_TICK, route, index), [])
        return frames


def _read(partition: Partition) -> Source:
    def open_again() -> Iterator[Any]:
        for chunk in read_partition(partition):
            yield from chunk

    return open_again


def _finish(stage_input: StageInput, frames: list[Frame], functions: Functions) -> Source:
    """The far side of a wide operator, over what all source partitions sent."""

    def run() -> Iterator[Any]:
        for frame in frames:
            if frame.seq == ERROR:
                raise Failure(frame.chunk.decode())
        assert stage_input.kind is not None
        own = [functions[number] for number in stage_input.functions]
        return iter(WIDE[stage_input.kind].far(own, elements(frames)))

    return run


def _stateless(
    run: BranchRun, stage_input: StageInput, tick: int, slot: int, sent: Sent
) -> Iterator[Frame]:
    """The far side of a wide operator, for the partitions that belong to ``slot``."""
    told = run.ticks[tick]
    if not told.due(tick, stage_input.slide_ms):
        return
    count = (
        stage_input.partitions if stage_input.count is None else stage_input.count.at(told.counts)
    )
    for index in range(slot, count, run.setting.slots):
        run.next_partition()
        source = _finish(stage_input, sent(stage_input.route, index), run.functions)
        yield from run.partition(stage_input, tick, index, source)


def _window(
    run: BranchRun, stage_input: StageInput, tick: int, slot: int, sent: Sent, buffer: Buffer
) -> Iterator[Frame]:
    """A plain window, for the partitions that belong to ``slot``."""
    keeping, told = stage_input.keeping, run.ticks[tick]
    assert keeping is not None
    assert stage_input.count is not None
    arriving = range(slot, stage_input.count.at(told.counts), run.setting.slots)
    frames = [(index, sent(stage_input.route, index)) for index in arriving]
    cell = StateCell(buffer, keeping.operator, slot)
    count, parts = run_window(stage_input, cell, tick, told, frames, run.setting.poison(tick))
    told.counts[stage_input.route] = count
    for index, source in parts:
        run.next_partition()
        yield from run.partition(stage_input, tick, index, source)


def _keyed(
    run: BranchRun, stage_input: StageInput, tick: int, slot: int, sent: Sent, buffer: Buffer
) -> Iterator[Frame]:
    """The far side of an operator with keyed state, for the partitions that belong to ``slot``."""
    keeping, told = stage_input.keeping, run.ticks[tick]
    assert keeping is not None
    poison = run.setting.poison(tick)
    for index in range(slot, stage_input.partitions, run.setting.slots):
        run.next_partition()
        functions: Functions = ()
        if poison is None:  # else there may be none
            functions = [run.functions[number] for number in stage_input.functions]
        cell = StateCell(buffer, keeping.operator, index)
        frames = sent(stage_input.route, index)
        output, snapshots = run_keyed(
            KeyedPartition(stage_input, keeping, cell, tick, told, frames, functions, poison)
        )
        if told.due(tick, stage_input.slide_ms):
            yield from run.partition(stage_input, tick, index, output)
            if stage_input.snapshots is not None:
                way = replace(stage_input, branch=stage_input.snapshots)
                yield from run.partition(way, tick, index, snapshots)
        buffer.forget_reads()
