"""Operators that remember: keyed state, and the table of all of them.

A tick either counts or does not: what an operator changed is kept when its function has gone
through all keys of a partition, and discarded if it raised.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from dstream_compat.base.durations import to_datetime
from dstream_compat.base.pyspark_internals import fail_on_stopiteration
from dstream_compat.stages.chunks import pickle_chunks
from dstream_compat.stages.operators.keyed import (
    INITIAL,
    NOTHING,
    KeyedPartition,
    Source,
    next_due,
    no_elements,
    unpickled,
)
from dstream_compat.stages.operators.wide import (
    Functions,
    align_near,
    group_near,
    grouped,
    hashed_near,
)
from dstream_compat.stages.operators.windows import reduce_near, reduce_window
from dstream_compat.stages.state.hashed import HashedPages
from dstream_compat.stages.state.pages import OrderedPages
from dstream_compat.stages.state.slab import NEVER
from dstream_compat.stages.state_spec import State, arguments


def run_keyed(keyed: KeyedPartition) -> tuple[Source, Source]:
    """Run a keyed operator: its output, and its snapshots if it has any."""
    buffer = keyed.cell.buffer
    try:
        assert keyed.stage_input.kind is not None
        results = _KEYED[keyed.stage_input.kind](keyed)
        buffer.keep()
        return results
    except BaseException as error:  # becomes the error of this partition
        buffer.discard()
        return _raising(_stopped(error)), _raising(_stopped(error))


def _stopped(error: BaseException) -> BaseException:
    """legacy: a function that raises StopIteration fails, rather than end what goes through it."""

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


def update_near(
    functions: Functions, tag: int, index: int, iterator: Iterator[Any], n: int
) -> Iterator[tuple[int, list[Any]]]:
    near = hashed_near if tag == INITIAL else group_near
    return near(functions, tag, index, iterator, n)


def update_state(keyed: KeyedPartition) -> tuple[Source, Source]:
    """updateStateByKey: every key of the state is called on every batch. None removes a key."""
    pages = OrderedPages(keyed.cell)
    _take_initial(keyed, pages)
    if not keyed.told.due(keyed.tick, keyed.stage_input.slide_ms):
        return NOTHING
    if keyed.missing:  # legacy: then the state is handed on as it is
        return pages.items, no_elements
    values = {key: list(listed) for key, listed in one_by_one(grouped(keyed.arrived()))}
    function = keyed.functions[0]

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
    return pages.items, no_elements


def one_by_one(grouped: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """Take values apart that have met under one NaN.

    legacy: records are pickled on their way to the state, and a NaN that has been pickled is
    another key: each record under one gets a state of its own.
    """
    for key, values in grouped:
        if type(key) is str or len(values) == 1 or _is_itself(key):
            yield key, values
        else:
            for value in values:
                yield pickle.loads(pickle.dumps(key)), [value]


def _is_itself(key: Any) -> bool:
    """Whether a pickled copy of ``key`` is the same key."""
    if type(key) is tuple:
        return all(map(_is_itself, key))
    if type(key) is float:
        return key == key
    return type(key) in _PLAIN or bool(pickle.loads(pickle.dumps(key)) == key)


_PLAIN = frozenset({str, int, bool, bytes, type(None)})
_FIXED = _PLAIN | {float}


def _take_initial(keyed: KeyedPartition, pages: OrderedPages) -> None:
    """The initial state, which stays also if the rest of its tick fails."""
    initial: dict[Any, Any] = {}
    for key, state in keyed.arrived(INITIAL):
        initial.setdefault(key, state)  # legacy: of several for a key the first one counts
    if initial:
        pages.rewrite(lambda page: page, lambda: initial)
        keyed.cell.buffer.keep()


def map_with_state(keyed: KeyedPartition) -> tuple[Source, Source]:
    """mapWithState: called once per record, in order; state of other keys is not even read."""
    first = next_due(keyed.tick, keyed.stage_input, keyed.told)
    touched = first if keyed.keeping.timeout_ms is not None else NEVER
    pages = _with_initial(keyed, HashedPages(keyed.cell), touched)
    if keyed.tick != first or keyed.told.failed:
        return NOTHING
    results = list(pickle_chunks(_mapped(keyed, pages, touched)))
    pages.save()
    return unpickled([(results, None)]), lambda: ((k, item[0]) for k, item in pages.items())


def _with_initial(keyed: KeyedPartition, pages: HashedPages, touched: int) -> HashedPages:
    """The pages with the initial state on them, which stays also if the rest of its tick fails."""
    initial = dict(keyed.arrived(INITIAL))  # legacy: of several for a key the last one counts
    if not initial:
        return pages
    for key, state in initial.items():
        pages.put(key, (state, touched), existed=False)
    pages.save()
    keyed.cell.buffer.keep()
    return HashedPages(keyed.cell)


def _mapped(keyed: KeyedPartition, pages: HashedPages, touched: int) -> Iterator[Any]:
    """What the function gives for every record, and then for every key that timed out."""
    function, all_kept = keyed.functions[0], True
    if arguments(function) == 4:  # with the time; then None means no element
        function, all_kept = partial(function, to_datetime(keyed.tick)), False
    timeout = keyed.keeping.timeout_ms
    records = list(keyed.arrived())
    pages.fetch({key for key, _ in records})
    state = State()
    for key, value in records:
        item = pages.get(key)
        state._wrap(item is not None, item[0] if item is not None else None)
        result = function(key, value, state)
        if state._removed:
            pages.put(key, None, item is not None)
        elif state._updated or (
            state._defined and (timeout is not None or not _is_fixed(state._value))
        ):
            pages.put(key, (state._value, touched), item is not None)
        if all_kept or result is not None:
            yield result
    if timeout is None or not keyed.told.due(keyed.tick, keyed.keeping.check_ms):
        return
    for key, (value, _) in list(pages.untouched_since(keyed.tick - timeout)):
        state._wrap(True, value, timing_out=True)
        result = function(key, None, state)
        pages.put(key, None, existed=True)
        if all_kept or result is not None:
            yield result


def _is_fixed(value: Any) -> bool:
    """Whether a state cannot have been changed in place, which the original keeps, too."""
    kind = type(value)
    return kind in _FIXED or (kind is tuple and all(type(part) in _FIXED for part in value))


NEAR: dict[str, Any] = {
    "window": align_near,
    "reduceWindow": reduce_near,
    "updateState": update_near,
    "mapWithState": hashed_near,
}

_KEYED: dict[str, Callable[[KeyedPartition], tuple[Source, Source]]] = {
    "reduceWindow": reduce_window,
    "updateState": update_state,
    "mapWithState": map_with_state,
}
