"""Windows: they keep the batches that they still need in tick logs, reduced where possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from dstream_compat.base.pyspark_internals import fail_on_stopiteration
from dstream_compat.stages.chunks import pickle_chunks
from dstream_compat.stages.failures import Failure, describe
from dstream_compat.stages.frames import ERROR, OPEN, Frame, Tick
from dstream_compat.stages.operators.keyed import (
    NOTHING,
    KeyedPartition,
    Source,
    next_due,
    no_elements,
    unpickled,
)
from dstream_compat.stages.operators.wide import Functions, combine_far, combine_near
from dstream_compat.stages.plan import StageInput
from dstream_compat.stages.state.pages import HEAD, OrderedPages
from dstream_compat.stages.state.store import StateCell
from dstream_compat.stages.state.ticks import TickLog

_NO_RDD = "AttributeError: 'NoneType' object has no attribute 'combineByKey'"


def run_window(
    stage_input: StageInput,
    cell: StateCell,
    tick: int,
    told: Tick,
    frames: Sequence[tuple[int, list[Frame]]],
    poison: str | None,
) -> tuple[int, list[tuple[int, Source]]]:
    """A plain window: how many partitions it has at this tick, and those of this slot."""
    keeping = stage_input.keeping
    assert keeping is not None
    assert stage_input.count is not None
    log = TickLog(cell)
    missing = keeping.source is not None and keeping.source not in told.counts
    covered = tick > next_due(tick, stage_input, told) - keeping.window_ms
    if told.due(tick, keeping.input_ms) and covered and (told.failed or not missing):
        n = stage_input.count.at(told.counts)
        stored = [(index, *_stored(sent, poison)) for index, sent in frames]
        if told.failed:
            n, stored = 1, [(0, [], _lost(stage_input, told))] if cell.part == 0 else []
        log.append(tick, n, stored)
    parts: list[tuple[int, Source]] = []
    count = 0
    if told.due(tick, stage_input.slide_ms):
        noted = log.notes(tick - keeping.window_ms, tick)
        held = [(n, log.chunks(known)) for known, n in noted]
        if keeping.aligned:
            united: dict[int, list[tuple[list[bytes], str | None]]] = {}
            for n, partitions in held:
                count = n
                for index, stored_chunks, error in partitions:
                    united.setdefault(index, []).append((stored_chunks, error))
            parts = [(index, unpickled(pieces)) for index, pieces in united.items()]
        else:
            for n, partitions in held:
                for index, stored_chunks, error in partitions:
                    parts.append((count + index, unpickled([(stored_chunks, error)])))
                count += n
        log.drop(tick + stage_input.slide_ms - keeping.window_ms)
    cell.buffer.keep()
    return count, parts


def _lost(stage_input: StageInput, told: Tick) -> str:
    """The error of a batch for which a transform in front of a window gave nothing."""
    return f"in {stage_input.site}:\n{told.failed or _NO_RDD}"


def _stored(frames: list[Frame], poison: str | None) -> tuple[list[bytes], str | None]:
    """What one partition sent: chunks, in order, and the error that ended them."""
    held: list[bytes] = []
    error = poison
    for frame in sorted(frames, key=lambda frame: (frame.src, frame.seq)):
        if frame.seq == ERROR:
            error = bytes(frame.chunk).decode()
        elif frame.seq != OPEN:
            held.append(bytes(frame.chunk))
    return held, error


def _same(value: Any) -> Any:
    return value


def reduce_near(
    functions: Functions, tag: int, index: int, iterator: Iterator[Any], n: int
) -> Iterator[tuple[int, list[Any]]]:
    return combine_near((_same, functions[0], functions[0]), tag, index, iterator, n)


def _reduced(function: Callable[..., Any], pairs: Iterable[Any]) -> Iterable[tuple[Any, Any]]:
    return combine_far((_same, function, function), iter(pairs))


def reduce_window(keyed: KeyedPartition) -> tuple[Source, Source]:
    """reduceByKeyAndWindow. ``functions``: how to reduce, how to undo that, and what to keep.

    legacy: the inverse is used only where a window is at least five slides long. Otherwise, and
    for the first window, all its batches are reduced again.
    """
    keeping, tick, slide = keyed.keeping, keyed.tick, keyed.stage_input.slide_ms
    incremental = len(keyed.stage_input.functions) > 1 and keeping.window_ms >= 5 * slide
    log = TickLog(keyed.cell)
    if keyed.told.due(tick, keeping.input_ms):
        _append_reduced(keyed, log, incremental)
    if not keyed.told.due(tick, slide):
        return NOTHING
    begin = tick - keeping.window_ms
    if not incremental:
        covered = _covered(log, begin, tick)
        log.drop(begin + slide)
        if keyed.cell.get(HEAD) is not None:
            OrderedPages(keyed.cell).clear()  # left by a longer window, before the job was rebuilt
        keyed.cell.buffer.keep()
        return _fresh_window(keyed, covered), no_elements
    pages = OrderedPages(keyed.cell)
    times = [keeping.window_ms, slide, len(keyed.stage_input.functions)]
    usable = pages.extra.get("tick") == tick - slide and pages.extra.get("times") == times
    try:
        if usable:
            _slide(keyed, log, pages, begin)
        else:
            everything = dict(_fresh_window(keyed, _covered(log, begin, tick))())
            pages.rewrite(lambda page: {}, lambda: everything)
        pages.extra.update(tick=tick, times=times)
        pages.save()
    except BaseException:
        # the window is reduced again once it has no failed batch in it
        keyed.cell.buffer.discard()
        log = TickLog(keyed.cell)
        log.drop(begin)
        keyed.cell.buffer.keep()
        raise
    log.drop(begin)
    return pages.items, no_elements


def _append_reduced(keyed: KeyedPartition, log: TickLog, incremental: bool) -> None:
    horizon = next_due(keyed.tick, keyed.stage_input, keyed.told) - keyed.keeping.window_ms
    if keyed.tick <= horizon and not incremental:
        return  # in a gap between two windows
    held: list[bytes] = []
    error = None
    try:
        if keyed.missing:  # legacy: every batch is reduced as it comes, and None cannot be
            raise Failure(_lost(keyed.stage_input, keyed.told))
        arrived = keyed.arrived()  # raises, where the functions could not be opened
        held = list(pickle_chunks(_reduced(keyed.functions[0], arrived)))
    except Failure as failure:
        error = str(failure)
    except BaseException as raised:
        site = keyed.stage_input.site
        error = describe(raised, [(site, function) for function in keyed.functions])
    log.append(keyed.tick, error, held)
    keyed.cell.buffer.keep()


def _covered(log: TickLog, after: int, until: int) -> list[tuple[list[bytes], str | None]]:
    return [(log.chunks(tick), error) for tick, error in log.notes(after, until)]


def _fresh_window(keyed: KeyedPartition, covered: list[tuple[list[bytes], str | None]]) -> Source:
    keep = keyed.functions[2] if len(keyed.functions) > 2 else None

    def source() -> Iterator[Any]:
        pairs = _reduced(keyed.functions[0], unpickled(covered)())
        return iter(pairs) if keep is None else filter(fail_on_stopiteration(keep), pairs)

    return source


def _slide(keyed: KeyedPartition, log: TickLog, pages: OrderedPages, begin: int) -> None:
    """The previous window without the batches that left it, and with those that came."""
    function, inverse = keyed.functions[:2]
    keep = keyed.functions[2] if len(keyed.functions) > 2 else None
    slide = keyed.stage_input.slide_ms
    leaving = dict(_reduced(function, unpickled(_covered(log, begin - slide, begin))()))
    coming = dict(_reduced(function, unpickled(_covered(log, keyed.tick - slide, keyed.tick))()))

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
