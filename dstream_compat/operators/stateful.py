"""Operators that remember: windows and keyed state. Their far sides work on pages and tick logs.

A tick either counts or does not: what an operator changed is kept when its function has gone
through all keys of a partition, and discarded if it raised.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dstream_compat.compiler import SIDE, Entry, Keeping
from dstream_compat.failure import Failure
from dstream_compat.frames import ERROR, OPEN, Frame, Tick, chunks, elements
from dstream_compat.operators.wide import (
    Functions,
    align_near,
    combine_far,
    combine_near,
    group_near,
    grouped,
    hashed_near,
)
from dstream_compat.state.hashed import HashedPages
from dstream_compat.state.pages import OrderedPages
from dstream_compat.state.slab import NEVER
from dstream_compat.state.store import Cell
from dstream_compat.state.ticks import TickLog
from dstream_compat.state_spec import State

Source = Callable[[], Iterator[Any]]
_NO_RDD = "AttributeError: 'NoneType' object has no attribute 'combineByKey'"
INITIAL = 1  # the tag of an initial state; the data's is 0


@dataclass(frozen=True)
class Job:
    """One partition of a keyed operator at one tick."""

    entry: Entry
    keeping: Keeping
    cell: Cell
    tick: int
    told: Tick
    frames: list[Frame]
    functions: Functions
    poison: str | None

    @property
    def missing(self) -> bool:
        """A transform in front of it gave no RDD at this tick, or failed."""
        source = self.keeping.source
        unknown = source is not None and source not in self.told.counts
        return unknown or bool(self.told.failed)

    def arrived(self, tag: int = 0) -> Iterator[Any]:
        """The elements that came by one input. Raises what kept them from coming."""
        frames = [frame for frame in self.frames if frame.src // SIDE == tag]
        if self.poison is not None and tag != INITIAL:
            raise Failure(self.poison)
        for frame in frames:
            if frame.seq == ERROR:
                raise Failure(bytes(frame.chunk).decode())
        return elements(frames)


def run_keyed(job: Job) -> tuple[Source, Source]:
    """Run a keyed operator: its output, and its snapshots if it has any."""
    buffer = job.cell.buffer
    try:
        assert job.entry.kind is not None
        results = _KEYED[job.entry.kind](job)
        buffer.keep()
        return results
    except BaseException as error:  # becomes the error of this partition
        buffer.discard()
        return _raising(_stopped(error)), _raising(_stopped(error))


def _stopped(error: BaseException) -> BaseException:
    """legacy: a function that raises StopIteration fails, rather than end what goes through it."""
    from pyspark.util import fail_on_stopiteration

    def again() -> None:
        raise error

    if isinstance(error, StopIteration):
        try:
            fail_on_stopiteration(again)()
        except Exception as named:
            return named
    return error


def _raising(error: BaseException) -> Source:
    def source() -> Iterator[Any]:
        raise error

    return source


def _no_elements() -> Iterator[Any]:
    return iter(())


_NOTHING = (_no_elements, _no_elements)  # at a tick at which the operator has no batch


# -- windows ----------------------------------------------------------------------------------


def run_window(
    entry: Entry,
    cell: Cell,
    tick: int,
    told: Tick,
    frames: Sequence[tuple[int, list[Frame]]],
    poison: str | None,
) -> tuple[int, list[tuple[int, Source]]]:
    """A plain window: how many partitions it has at this tick, and those that lie here."""
    keeping = entry.keeping
    assert keeping is not None
    assert entry.count is not None
    log = TickLog(cell)
    missing = keeping.source is not None and keeping.source not in told.counts
    covered = tick > _next_due(tick, entry, told) - keeping.window_ms
    if told.due(tick, keeping.input_ms) and covered and (told.failed or not missing):
        n = entry.count.at(told.counts)
        stored = [(index, *_stored(sent, poison)) for index, sent in frames]
        if told.failed:
            n, stored = 1, [(0, [], _lost(entry, told))] if cell.part == 0 else []
        log.append(tick, n, stored)
    parts: list[tuple[int, Source]] = []
    count = 0
    if told.due(tick, entry.slide_ms):
        noted = log.notes(tick - keeping.window_ms, tick)
        held = [(n, log.chunks(known)) for known, n in noted]
        if keeping.aligned:
            united: dict[int, list[tuple[list[bytes], str | None]]] = {}
            for n, partitions in held:
                count = n
                for index, stored_chunks, error in partitions:
                    united.setdefault(index, []).append((stored_chunks, error))
            parts = [(index, _unpickled(pieces)) for index, pieces in united.items()]
        else:
            for n, partitions in held:
                for index, stored_chunks, error in partitions:
                    parts.append((count + index, _unpickled([(stored_chunks, error)])))
                count += n
        log.drop(tick + entry.slide_ms - keeping.window_ms)
    cell.buffer.keep()
    return count, parts


def _lost(entry: Entry, told: Tick) -> str:
    """The error of a batch that a transform in front of a window did not give."""
    return f"in {entry.site}:\n{told.failed or _NO_RDD}"


def _next_due(tick: int, entry: Entry, told: Tick) -> int:
    """The first tick from ``tick`` on at which the stream has a batch."""
    return tick + (told.zero - tick) % entry.slide_ms


def _stored(frames: list[Frame], poison: str | None) -> tuple[list[bytes], str | None]:
    """What came of one partition: chunks, in order, and the error that ended them."""
    held: list[bytes] = []
    error = poison
    for frame in sorted(frames, key=lambda frame: (frame.src, frame.seq)):
        if frame.seq == ERROR:
            error = bytes(frame.chunk).decode()
        elif frame.seq != OPEN:
            held.append(bytes(frame.chunk))
    return held, error


def _unpickled(parts: Iterable[tuple[list[bytes], str | None]]) -> Source:
    held = list(parts)

    def source() -> Iterator[Any]:
        for chunks_, error in held:
            for chunk in chunks_:
                yield from pickle.loads(chunk)
            if error is not None:
                raise Failure(error)

    return source


def _same(value: Any) -> Any:
    return value


def reduce_near(
    functions: Functions, tag: int, index: int, iterator: Iterator[Any], n: int
) -> Iterator[tuple[int, list[Any]]]:
    return combine_near((_same, functions[0], functions[0]), tag, index, iterator, n)


def _reduced(function: Callable[..., Any], pairs: Iterable[Any]) -> Iterable[tuple[Any, Any]]:
    return combine_far((_same, function, function), iter(pairs))


def reduce_window(job: Job) -> tuple[Source, Source]:
    """reduceByKeyAndWindow. ``functions``: how to reduce, to undo that, and what to keep.

    legacy: the inverse is used only where a window is at least five slides long; else, and for the
    first window, all batches in it are reduced afresh.
    """
    keeping, tick, slide = job.keeping, job.tick, job.entry.slide_ms
    incremental = len(job.entry.functions) > 1 and keeping.window_ms >= 5 * slide
    log = TickLog(job.cell)
    if job.told.due(tick, keeping.input_ms):
        _append_reduced(job, log, incremental)
    if not job.told.due(tick, slide):
        return _NOTHING
    begin = tick - keeping.window_ms
    if not incremental:
        covered = _covered(log, begin, tick)
        log.drop(begin + slide)
        job.cell.buffer.keep()
        return _fresh_window(job, covered), _no_elements
    pages = OrderedPages(job.cell)
    usable = pages.extra.get("tick") == tick - slide
    try:
        if usable:
            _slide(job, log, pages, begin)
        else:
            everything = dict(_fresh_window(job, _covered(log, begin, tick))())
            pages.rewrite(lambda page: {}, lambda: everything)
        pages.extra["tick"] = tick
        pages.save()
    except BaseException:
        # the window is reduced afresh when no failed batch is in it any more
        job.cell.buffer.discard()
        log = TickLog(job.cell)
        log.drop(begin)
        job.cell.buffer.keep()
        raise
    log.drop(begin)
    return pages.items, _no_elements


def _append_reduced(job: Job, log: TickLog, incremental: bool) -> None:
    horizon = _next_due(job.tick, job.entry, job.told) - job.keeping.window_ms
    if job.tick <= horizon and not incremental:
        return  # in a gap between two windows
    held: list[bytes] = []
    error = None
    try:
        if job.missing:  # legacy: every batch is reduced as it comes, and None cannot be
            raise Failure(_lost(job.entry, job.told))
        pairs = _reduced(job.functions[0], job.arrived()) if job.poison is None else job.arrived()
        held = [chunk for _, chunk in chunks(pairs)]
    except Failure as failure:
        error = str(failure)
    except BaseException as raised:
        from dstream_compat.failure import describe

        error = describe(raised, [(job.entry.site, function) for function in job.functions])
    log.append(job.tick, error, held)
    job.cell.buffer.keep()


def _covered(log: TickLog, after: int, until: int) -> list[tuple[list[bytes], str | None]]:
    return [(log.chunks(tick), error) for tick, error in log.notes(after, until)]


def _fresh_window(job: Job, covered: list[tuple[list[bytes], str | None]]) -> Source:
    keep = job.functions[2] if len(job.functions) > 2 else None

    def source() -> Iterator[Any]:
        from pyspark.util import fail_on_stopiteration

        pairs = _reduced(job.functions[0], _unpickled(covered)())
        return iter(pairs) if keep is None else filter(fail_on_stopiteration(keep), pairs)

    return source


def _slide(job: Job, log: TickLog, pages: OrderedPages, begin: int) -> None:
    """The window before, without what has left it and with what has come."""
    function, inverse = job.functions[:2]
    keep = job.functions[2] if len(job.functions) > 2 else None
    slide = job.entry.slide_ms
    leaving = dict(_reduced(function, _unpickled(_covered(log, begin - slide, begin))()))
    coming = dict(_reduced(function, _unpickled(_covered(log, job.tick - slide, job.tick))()))

    def change(page: dict[Any, Any]) -> dict[Any, Any]:
        changed = {}
        for key, value in page.items():
            left = leaving.get(key)
            if left is not None:
                value = inverse(value, left)
            if key in coming:
                value = function(value, coming.pop(key))
            if keep is None or keep((key, value)):
                changed[key] = value
        return changed

    pages.rewrite(
        change, lambda: {key: v for key, v in coming.items() if keep is None or keep((key, v))}
    )


# -- state ------------------------------------------------------------------------------------


def update_near(
    functions: Functions, tag: int, index: int, iterator: Iterator[Any], n: int
) -> Iterator[tuple[int, list[Any]]]:
    near = hashed_near if tag == INITIAL else group_near
    return near(functions, tag, index, iterator, n)


def update_state(job: Job) -> tuple[Source, Source]:
    """updateStateByKey: every key of the state is called on every batch. None removes a key."""
    pages = OrderedPages(job.cell)
    _take_initial(job, pages)
    if not job.told.due(job.tick, job.entry.slide_ms):
        return _NOTHING
    if job.missing:  # legacy: then the state is handed on as it is
        return pages.items, _no_elements
    values = {key: list(listed) for key, listed in grouped(job.arrived())}
    function = job.functions[0]

    def change(page: dict[Any, Any]) -> dict[Any, Any]:
        changed = {}
        for key, state in page.items():
            state = function(values.pop(key, []), state)
            if state is not None:
                changed[key] = state
        return changed

    def fresh() -> dict[Any, Any]:
        states = {key: function(listed, None) for key, listed in values.items()}
        return {key: state for key, state in states.items() if state is not None}

    pages.rewrite(change, fresh)
    return pages.items, _no_elements


def _take_initial(job: Job, pages: OrderedPages) -> None:
    """The initial state, which stays also if the rest of its tick fails."""
    initial: dict[Any, Any] = {}
    for key, state in job.arrived(INITIAL):
        initial.setdefault(key, state)  # legacy: of several for a key the first one counts
    if initial:
        pages.rewrite(_same, lambda: initial)
        job.cell.buffer.keep()


def map_with_state(job: Job) -> tuple[Source, Source]:
    """mapWithState: called once per record, in order; state of other keys is not even read."""
    from dstream_compat.durations import to_datetime

    tick, timeout = job.tick, job.keeping.timeout_ms
    pages = HashedPages(job.cell)
    first = _next_due(tick, job.entry, job.told)
    touched = first if timeout is not None else NEVER
    initial = dict(job.arrived(INITIAL))  # legacy: of several for a key the last one counts
    if initial:
        for key, state in initial.items():
            pages.put(key, (state, touched), existed=False)
        pages.save()
        job.cell.buffer.keep()
        pages = HashedPages(job.cell)
    if tick != first or job.told.failed:
        return _NOTHING
    records = list(job.arrived())
    pages.fetch({key for key, _ in records})
    moment = to_datetime(tick)
    timed = _arity(job.functions[0]) == 4
    function = job.functions[0]
    results: list[bytes] = []
    state = State()

    def mapped() -> Iterator[Any]:
        for key, value in records:
            item = pages.get(key)
            state._wrap(item is not None, item[0] if item is not None else None)
            result = function(moment, key, value, state) if timed else function(key, value, state)
            if state._removed:
                pages.put(key, None, item is not None)
            elif state._updated or (state._defined and timeout is not None):
                pages.put(key, (state._value, touched), item is not None)
            if not timed or result is not None:
                yield result
        if timeout is not None and job.told.due(tick, job.keeping.check_ms):
            yield from timed_out(tick - timeout)

    def timed_out(before: int) -> Iterator[Any]:
        for key, (value, _) in list(pages.untouched_since(before)):
            state._wrap(True, value, timing_out=True)
            result = function(moment, key, None, state) if timed else function(key, None, state)
            pages.put(key, None, existed=True)
            if not timed or result is not None:
                yield result

    results.extend(chunk for _, chunk in chunks(mapped()))
    pages.save()
    return _unpickled([(results, None)]), lambda: ((k, item[0]) for k, item in pages.items())


def _arity(function: Callable[..., Any]) -> int:
    """How many positional arguments a state function takes: three, or four with the time."""
    from dstream_compat.state_spec import arguments

    return arguments(function)


NEAR: dict[str, Any] = {
    "window": align_near,
    "reduceWindow": reduce_near,
    "updateState": update_near,
    "mapWithState": hashed_near,
}

_KEYED: dict[str, Callable[[Job], tuple[Source, Source]]] = {
    "reduceWindow": reduce_window,
    "updateState": update_state,
    "mapWithState": map_with_state,
}
