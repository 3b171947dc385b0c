"""Running one partition of a stage's input through its tree of branches, up to every exit."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from dstream_compat.stages.chunks import chunks, pieces
from dstream_compat.stages.failures import describe
from dstream_compat.stages.frames import ERROR, OPEN, Frame, Tick, heavy, light
from dstream_compat.stages.operators.narrow import NARROW
from dstream_compat.stages.operators.stateful import NEAR
from dstream_compat.stages.operators.wide import WIDE
from dstream_compat.stages.plan import PAIR, SIDE, Branch, Emit, Send, StageInput
from dstream_compat.stages.tasks import Setting

Source = Callable[[], Any]  # the elements, usually an iterator
Path = tuple[tuple[str, Any], ...]  # of the operators on the way: site, function


class BranchRun:
    """One stage of one task: keeps the byte budget and the counts of each tick."""

    def __init__(self, setting: Setting, ticks: Mapping[int, Tick]) -> None:
        self.setting = setting
        self.functions = setting.functions
        self.ticks = ticks
        self.left = setting.inline
        self._used = False
        self._united = False

    def next_partition(self) -> None:
        """legacy: every partition of every batch is a separate task, with freshly
        opened functions; what they remember of their calls ends with the task."""
        if self._used and self.setting.reopen is not None:
            self.functions = self.setting.reopen()
        self._used = True
        self._united = False

    def partition(
        self, stage_input: StageInput, tick: int, index: int, source: Source
    ) -> Iterator[Frame]:
        """All frames that come out of one partition of an input."""
        poison = self.setting.poison(tick)
        if poison is not None and not stage_input.initial:
            yield from self._fail(stage_input.branch, tick, index, poison)
            return
        path: Path = ((stage_input.site, None),)
        if stage_input.functions:
            path = tuple((stage_input.site, self.functions[n]) for n in stage_input.functions)
        yield from self._branch(stage_input.branch, tick, index, source, path)

    def _branch(
        self, branch: Branch, tick: int, index: int, source: Source, path: Path
    ) -> Iterator[Frame]:
        if branch.shift is not None:
            index += branch.shift.at(self.ticks[tick].counts)
            if self._united:  # after a union, what comes from another input is another partition
                self.next_partition()
            self._united = True
        if branch.kind is not None:
            function = None if branch.function is None else self.functions[branch.function]
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
        self, way_out: Emit, tick: int, index: int, source: Source, path: Path
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
        self, way_out: Send, tick: int, index: int, source: Source, path: Path
    ) -> Iterator[Frame]:
        own = [self.functions[number] for number in way_out.functions]
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
        """Errors at every exit after ``branch``, without running anything."""
        if branch.shift is not None:
            index += branch.shift.at(self.ticks[tick].counts)
        for way_out in branch.exits:
            if isinstance(way_out, Emit):
                yield Frame(way_out.route, tick, index, 0, ERROR, text.encode())
            else:
                yield from _error_everywhere(way_out, tick, _origin(way_out, index), text)
        for following in branch.branches:
            yield from self._fail(following, tick, index, text)


class _Held:
    """A partition that several consumers read: pickled once, and each gets a copy.

    legacy: consumers share no objects, each recomputes them, so each may change what it gets.
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


def _narrowed(kind: str, function: Any, index: int, source: Source) -> Source:
    # legacy: the next operator gets what the function returned, were it a list and no iterator
    return lambda: NARROW[kind](function, index, source())


def _held(source: Source) -> Source:
    try:
        return _Held(source())
    except (
        BaseException
    ) as error:  # a partition function may fail when it is called, before it gives anything
        held = _Held(())
        held.error = error
        return held


def _near(kind: str) -> Any:
    return NEAR[kind] if kind in NEAR else WIDE[kind].near


def _origin(way_out: Send, index: int) -> int:
    """The number that orders the partitions sent to a wide operator: one input after the other.

    legacy: inputs that are placed alike are united partition by partition.
    """
    return index * PAIR + way_out.tag if way_out.aligned else way_out.tag * SIDE + index


def _error_everywhere(way_out: Send, tick: int, origin: int, text: str) -> Iterator[Frame]:
    """legacy: one failed partition fails the whole shuffle, and so every partition after it.

    Where nothing is shuffled, it fails alone.
    """
    targets = range(way_out.partitions)
    if way_out.kind in ("carry", "window"):
        targets = range(origin % SIDE, origin % SIDE + 1)
    for target in targets:
        yield Frame(way_out.route, tick, target, origin, ERROR, text.encode())
