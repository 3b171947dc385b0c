"""Operators that look back: windows and state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from dstream_parity.base import functions as f
from dstream_parity.base.pipelines import Spec
from dstream_parity.strategies.drafts import DraftStream, maybe_partitions, partitions
from dstream_parity.strategies.elements import initial_states, initial_text_states
from dstream_parity.strategies.stateless import any_of

# Window and slide in units of the parent's slide. From five slides on the inverse is used; some
# windows have gaps between them, some are longer than any replay.
_durations = st.sampled_from(
    [(1, 1), (2, 1), (5, 1), (6, 1), (5, 1), (12, 1), (2, 2), (3, 2), (1, 2), (10, 2), (1, 3)]
)
_inverses = st.sampled_from(
    [
        (f.flat, None),
        (f.flat, f.drop),
        (f.concat, f.cut),
        (f.plus, f.minus),
        (f.larger, f.first),
        (f.concat, f.concat),
    ]
)


@st.composite
def window(draw: st.DrawFn, stream: DraftStream) -> DraftStream:
    """Apply one operator that looks back a fixed time."""
    if stream.fails:
        # with an inverse, what comes after a failed batch is a documented difference
        return _plain_window(stream, *draw(_durations))
    options = ["window", "countByWindow"]
    if stream.exact:
        options += ["reduceByWindow"]
        options += ["countByValueAndWindow"] if stream.hashable else []
        if stream.keyed:
            options += ["reduceByKeyAndWindow", "groupByKeyAndWindow", "reduceByKeyAndWindow"]
    method = draw(st.sampled_from(options))
    units = draw(_durations)
    if method == "window":
        return _plain_window(stream, *units)
    length, slide = _in_ticks(stream, *units)
    longer = replace(stream, slide=slide)
    if method == "countByWindow":
        return longer.then(method, length, slide, keyed=False, hashable=True, exact=True)
    if method == "reduceByWindow":
        return longer.then(method, *draw(_inverses), length, slide, keyed=False)
    if method == "reduceByKeyAndWindow":
        more = draw(
            st.just(())
            | st.tuples(partitions)
            | st.tuples(st.none(), any_of(f.has_value, f.even_length))
        )
        return longer.then(method, *draw(_inverses), length, slide, *more)
    count = draw(maybe_partitions)
    if method == "groupByKeyAndWindow":
        return longer.then(method, length, slide, *count, hashable=False)
    return longer.then(method, length, slide, *count, keyed=True)


def _in_ticks(stream: DraftStream, units: int, sliding: int) -> tuple[int, int]:
    length, slide = units * stream.slide, sliding * stream.slide
    return length, slide if slide <= 4 else stream.slide


def _plain_window(stream: DraftStream, units: int, sliding: int) -> DraftStream:
    length, slide = _in_ticks(stream, units, sliding)
    weight = stream.weight * min(8, length) // stream.slide
    durations = (length,) if slide == stream.slide else (length, slide)
    return stream.then("window", *durations, slide=slide, weight=max(1, weight))


@st.composite
def state(draw: st.DrawFn, stream: DraftStream) -> DraftStream:
    """Apply updateStateByKey."""
    functions = [f.total, f.forgetful]
    functions += [f.chained, f.latest, f.collect] if stream.exact else []
    function = draw(st.sampled_from(functions))
    more: tuple[Any, ...] = draw(maybe_partitions)
    if draw(st.booleans()):
        more = (*(more or (None,)), draw(initial_states))
    hashable = function is not f.collect and (function is not f.latest or stream.hashable)
    return stream.then(
        "updateStateByKey", function, *more, hashable=hashable, weight=max(4, stream.weight)
    )


@st.composite
def map_with_state(draw: st.DrawFn, stream: DraftStream) -> DraftStream:
    """Apply mapWithState, or look at its snapshots."""
    function = draw(any_of(f.running, f.toggled, f.first_seen, f.dated))
    refinements = {
        "timeout": st.integers(1, 4),
        "initialState": initial_text_states,
        "numPartitions": partitions,
    }
    chosen = draw(st.lists(st.sampled_from(list(refinements)), unique=True))
    calls = tuple((method, draw(refinements[method])) for method in chosen)
    # which of several equal keys, 1 or True, names a state is not defined
    mapped = stream.then("map", f.text_key).then("mapWithState", Spec(function, calls))
    checked = draw(st.sampled_from([1, 2, 3, None]))
    if checked:
        mapped = mapped.then("checkpoint", checked * stream.slide)
    if draw(st.booleans()):
        return mapped.then("stateSnapshots", keyed=True, exact=False, hashable=stream.hashable)
    return replace(
        mapped, keyed=False, exact=stream.exact and "timeout" not in chosen, hashable=False
    )
