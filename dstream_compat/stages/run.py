"""Running one stage of a plan on frames. Knows nothing of Spark: also runs in process, on lists."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from dstream_compat.stages.chunks import chunks, pieces
from dstream_compat.stages.failures import Failure, describe
from dstream_compat.stages.frames import (
    ERROR,
    LAST_TICK,
    MARK,
    OPEN,
    STATE,
    Frame,
    Tick,
    elements,
    heavy,
    light,
    mark,
    told_by,
)
from dstream_compat.stages.operators.keyed import KeyedPartition
from dstream_compat.stages.operators.narrow import NARROW
from dstream_compat.stages.operators.stateful import NEAR, run_keyed
from dstream_compat.stages.operators.wide import WIDE
from dstream_compat.stages.operators.windows import run_window
from dstream_compat.stages.partitions import BrokenPartition, Partition, read_partition
from dstream_compat.stages.plan import PAIR, SIDE, Branch, Emit, Send, Stage, StageInput
from dstream_compat.stages.state.store import Buffer, StateCell, Store

Functions = Sequence[Callable[..., Any]]
EVERY = -2  # instead of a tick, among the poisoned: all of them
Path = tuple[tuple[str, Any], ...]
Sent = Callable[[int, int], list[Frame]]


@dataclass
class Setting:
    """What a task is told beyond its frames.

    ``inline`` is how many bytes of output frames may go to the driver, beyond which they are heavy
    (and without their bytes, if it ``drops`` them); ``poisoned`` are ticks whose worker died:
    nothing of them is computed any more, and all that depends on them fails. ``reopen`` gives the
    functions anew.
    """

    functions: Functions
    slots: int
    inline: int = 2**62
    drops: bool = False
    poisoned: Mapping[int, str] = field(default_factory=dict)
    broken: str | None = None  # why the functions could not be opened here
    lost: Sequence[tuple[int, int, int, str]] = ()  # source, tick, part and why it is gone
    reopen: Callable[[], Functions] | None = None

    def poison(self, tick: int) -> str | None:
        if self.broken is not None:
            return self.broken
        return self.poisoned.get(tick, self.poisoned.get(EVERY))


@dataclass(frozen=True)
class Task:
    """The share of one input task: its partitions, and the ticks, which one task announces."""

    partitions: tuple[tuple[int, int, int, Partition], ...]  # tick, source, index, what to read
    ticks: tuple[tuple[int, Tick], ...]
    announces: bool


def run_input(stage: Stage, task: Task, setting: Setting) -> Iterator[Frame]:
    """Stage 0: read partitions and run them up to the first exchange."""
    run = _Run(setting, dict(task.ticks))
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


class Records:
    """The records of a Kafka partition in order, handed out range by range.

    Whoever stops in the middle of a range, or never asks for it, leaves the rest of it behind.
    """

    def __init__(
        self, topic: str, partition: int, described: bool, rows: Iterator[tuple[int, Any, Any]]
    ) -> None:
        self._place = (topic, partition) if described else None
        self._rows = rows
        self._ahead: tuple[int, Any, Any] | None = None

    def between(self, start: int, until: int) -> Iterator[Any]:
        while True:
            row = self._ahead or next(self._rows, None)
            self._ahead = None
            if row is None:
                return
            offset, key, value = row
            if offset >= until:
                self._ahead = row
                return
            if offset >= start:
                yield (key, value) if self._place is None else (*self._place, offset, key, value)


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
    run = _Run(setting, ticks)
    for tick, index, start, until in slices:
        yield from run.partition(stage_input, tick, index, partial(records.between, start, until))


def run_stage(
    stage: Stage, frames: Iterable[Frame], setting: Setting, store: Store | None = None
) -> Iterator[Frame]:
    """A later stage: finish its operators for every tick, pass on what is not its business.

    ``store`` holds the state of this slot; it is changed once, at the end.
    """
    ticks: dict[int, Tick] = {}
    slot = 0
    arrived: dict[tuple[int, int, int], list[Frame]] = defaultdict(list)
    for frame in frames:
        if frame.route == MARK:
            ticks[frame.tick] = told_by(frame)
            slot = frame.part
        elif frame.route in stage.inputs:
            arrived[frame.tick, frame.route, frame.part].append(frame)
        else:
            yield frame
    last = max(ticks, default=0)
    run = _Run(setting, ticks)
    buffer = None if store is None else Buffer(store)
    for tick in sorted(ticks):

        def sent(route: int, index: int, tick: int = tick) -> list[Frame]:
            frames = arrived.pop((tick, route, index), [])
            if tick == last:
                frames += arrived.pop((LAST_TICK, route, index), [])
            return frames

        for stage_input in stage.inputs.values():
            if stage_input.phase != ticks[tick].phase:
                continue
            if stage_input.keeping is None:
                yield from run.stateless(stage_input, tick, slot, sent)
            else:
                assert buffer is not None
                yield from run.stateful(stage_input, tick, slot, sent, buffer)
    if buffer is not None and ticks:
        yield Frame(STATE, last, slot, 0, 0, pickle.dumps(buffer.flush(), protocol=5))
    for tick, told in ticks.items():
        yield mark(tick, slot, told)


def _read(partition: Partition) -> Callable[[], Iterator[Any]]:
    def open_again() -> Iterator[Any]:
        for chunk in read_partition(partition):
            yield from chunk

    return open_again


def _finish(
    stage_input: StageInput, frames: list[Frame], functions: Functions
) -> Callable[[], Iterator[Any]]:
    """The far side of a wide operator, over what all source partitions sent."""

    def run() -> Iterator[Any]:
        for frame in frames:
            if frame.seq == ERROR:
                raise Failure(frame.chunk.decode())
        assert stage_input.kind is not None
        own = [functions[number] for number in stage_input.functions]
        return iter(WIDE[stage_input.kind].far(own, elements(frames)))

    return run


class _Held:
    """A partition that several consumers read: pickled once, each gets its own copy.

    legacy: consumers never share objects, each recomputes them; so one may change what it gets.
    """

    def __init__(self, iterator: Iterable[Any]) -> None:
        self.chunks: list[bytes] = []
        self.error: BaseException | None = None
        try:
            for _, chunk in chunks(iterator):
                self.chunks.append(chunk)
        except BaseException as error:  # re-raised to every consumer
            self.error = error

    def __call__(self) -> Iterator[Any]:
        for chunk in self.chunks:
            yield from pickle.loads(chunk)
        if self.error is not None:
            raise self.error


class _Run:
    """One stage of one task: keeps the byte budget and the counts of each tick."""

    def __init__(self, setting: Setting, ticks: Mapping[int, Tick]) -> None:
        self.setting = setting
        self.ticks = ticks
        self.left = setting.inline
        self._used = False
        self._united = False

    def next_partition(self) -> None:
        """legacy: every partition of every batch is a task of its own, with functions opened anew;
        what they remember of their calls ends with it."""
        if self._used and self.setting.reopen is not None:
            self.setting.functions = self.setting.reopen()
        self._used = True
        self._united = False

    def stateless(
        self, stage_input: StageInput, tick: int, slot: int, sent: Sent
    ) -> Iterator[Frame]:
        """The far side of a wide operator, for the partitions that belong to ``slot``."""
        told = self.ticks[tick]
        if not told.due(tick, stage_input.slide_ms):
            return
        count = (
            stage_input.partitions
            if stage_input.count is None
            else stage_input.count.at(told.counts)
        )
        for index in range(slot, count, self.setting.slots):
            self.next_partition()
            source = _finish(stage_input, sent(stage_input.route, index), self.setting.functions)
            yield from self.partition(stage_input, tick, index, source)

    def stateful(
        self, stage_input: StageInput, tick: int, slot: int, sent: Sent, buffer: Buffer
    ) -> Iterator[Frame]:
        """The far side of an operator with state, for the partitions that belong to ``slot``."""
        keeping = stage_input.keeping
        assert keeping is not None
        told = self.ticks[tick]
        poison = self.setting.poison(tick)
        if stage_input.kind == "window":
            assert stage_input.count is not None
            arriving = range(slot, stage_input.count.at(told.counts), self.setting.slots)
            frames = [(index, sent(stage_input.route, index)) for index in arriving]
            count, parts = run_window(
                stage_input, StateCell(buffer, keeping.operator, slot), tick, told, frames, poison
            )
            told.counts[stage_input.route] = count
            for index, source in parts:
                self.next_partition()
                yield from self.partition(stage_input, tick, index, source)
            buffer.forget_reads()
            return
        for index in range(slot, stage_input.partitions, self.setting.slots):
            self.next_partition()
            functions: Functions = ()
            if poison is None:  # else there may be none
                functions = [self.setting.functions[number] for number in stage_input.functions]
            cell = StateCell(buffer, keeping.operator, index)
            keyed = KeyedPartition(
                stage_input,
                keeping,
                cell,
                tick,
                told,
                sent(stage_input.route, index),
                functions,
                poison,
            )
            output, snapshots = run_keyed(keyed)
            if told.due(tick, stage_input.slide_ms):
                yield from self.partition(stage_input, tick, index, output)
                if stage_input.snapshots is not None:
                    way = replace(stage_input, branch=stage_input.snapshots)
                    yield from self.partition(way, tick, index, snapshots)
            buffer.forget_reads()

    def partition(
        self, stage_input: StageInput, tick: int, index: int, source: Callable[[], Iterator[Any]]
    ) -> Iterator[Frame]:
        """Everything that comes of one partition of an stage_input."""
        poison = self.setting.poison(tick)
        if poison is not None and not stage_input.initial:
            yield from self._fail(stage_input.branch, tick, index, poison)
            return
        path: Path = ((stage_input.site, None),)
        if stage_input.functions:
            path = tuple(
                (stage_input.site, self.setting.functions[n]) for n in stage_input.functions
            )
        yield from self._branch(stage_input.branch, tick, index, source, path)

    def _branch(
        self, branch: Branch, tick: int, index: int, source: Callable[[], Iterator[Any]], path: Path
    ) -> Iterator[Frame]:
        if branch.shift is not None:
            index += branch.shift.at(self.ticks[tick].counts)
            if self._united:  # behind a union, what comes by another way is another partition
                self.next_partition()
            self._united = True
        if branch.kind is not None:
            function = None if branch.function is None else self.setting.functions[branch.function]
            path = (*path, (branch.site, function))
            source = _narrowed(branch.kind, function, index, source)
        if len(branch.exits) + len(branch.branches) > 1:
            source = _held(source)
        for way_out in branch.exits:
            if isinstance(way_out, Emit):
                yield from self._emit(way_out, tick, index, source, path)
            else:
                yield from self._send(way_out, tick, index, source, path)
        for following in branch.branches:
            yield from self._branch(following, tick, index, source, path)

    def _emit(
        self, way_out: Emit, tick: int, index: int, source: Callable[[], Iterator[Any]], path: Path
    ) -> Iterator[Frame]:
        yield Frame(way_out.route, tick, index, 0, OPEN, b"")
        seq = 0
        try:
            for records, chunk in chunks(source()):
                self.left -= len(chunk)
                if self.left >= 0:
                    yield Frame(way_out.route, tick, index, light(records), seq, chunk)
                else:
                    kept = b"" if self.setting.drops else chunk
                    yield Frame(way_out.route, tick, index, heavy(records), seq, kept)
                seq += 1
        except GeneratorExit:
            raise
        except BaseException as error:
            yield Frame(way_out.route, tick, index, 0, ERROR, describe(error, path).encode())

    def _send(
        self, way_out: Send, tick: int, index: int, source: Callable[[], Iterator[Any]], path: Path
    ) -> Iterator[Frame]:
        own = [self.setting.functions[number] for number in way_out.functions]
        origin = _origin(way_out, index)
        n = way_out.partitions
        try:
            near = _near(way_out.kind)(own, way_out.tag, index, source(), n)
            cut = ((target, chunk) for target, bucket in near for _, chunk in pieces(bucket))
            for seq, (target, chunk) in enumerate(cut):
                yield Frame(way_out.route, tick, target, origin, seq, chunk)
        except GeneratorExit:
            raise
        except BaseException as error:
            text = describe(error, (*path, *((way_out.site, function) for function in own)))
            yield from _error_everywhere(way_out, tick, origin, text)

    def _fail(self, branch: Branch, tick: int, index: int, text: str) -> Iterator[Frame]:
        """Errors at every exit behind ``branch``, without running anything."""
        if branch.shift is not None:
            index += branch.shift.at(self.ticks[tick].counts)
        for way_out in branch.exits:
            if isinstance(way_out, Emit):
                yield Frame(way_out.route, tick, index, 0, ERROR, text.encode())
            else:
                yield from _error_everywhere(way_out, tick, _origin(way_out, index), text)
        for following in branch.branches:
            yield from self._fail(following, tick, index, text)


def _narrowed(
    kind: str, function: Any, index: int, source: Callable[[], Iterator[Any]]
) -> Callable[[], Iterator[Any]]:
    return lambda: iter(NARROW[kind](function, index, source()))


def _held(source: Callable[[], Iterator[Any]]) -> Callable[[], Iterator[Any]]:
    try:
        return _Held(source())
    except BaseException as error:  # calling a partition function may fail before it gives anything
        held = _Held(())
        held.error = error
        return held


def _near(kind: str) -> Any:
    return NEAR[kind] if kind in NEAR else WIDE[kind].near


def _origin(way_out: Send, index: int) -> int:
    """What puts the partitions that were sent in order: one input behind the other.

    legacy: inputs that are placed alike are united partition by partition.
    """
    return index * PAIR + way_out.tag if way_out.aligned else way_out.tag * SIDE + index


def _error_everywhere(way_out: Send, tick: int, origin: int, text: str) -> Iterator[Frame]:
    """legacy: one failed partition fails the whole shuffle, for every partition behind it.

    Where nothing is shuffled it fails alone.
    """
    targets = range(way_out.partitions)
    if way_out.kind in ("carry", "window"):
        targets = range(origin % SIDE, origin % SIDE + 1)
    for target in targets:
        yield Frame(way_out.route, tick, target, origin, ERROR, text.encode())
