"""Random operator graphs: streams grow and meet, and several of them become outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from dstream_parity.base import functions as f
from dstream_parity.base.pipelines import Input, Pipeline
from dstream_parity.strategies import stateful, stateless
from dstream_parity.strategies.drafts import DraftStream

_GROW: dict[str, Callable[[DraftStream], st.SearchStrategy[DraftStream]]] = {
    "narrow": stateless.narrow,
    "wide": stateless.wide,
    "raising": stateless.raising,
    "remembering": stateless.remembering,
    "transform": stateless.transformed,
    "window": stateful.window,
    "state": stateful.state,
    "mapWithState": stateful.map_with_state,
}
_JOIN: dict[str, Callable[[DraftStream, DraftStream], st.SearchStrategy[DraftStream]]] = {
    "combined": stateless.combined,
    "transformWith": stateless.transformed_with,
}
STATELESS = ("narrow", "wide", "combined")
STATEFUL = (*STATELESS, "window", "state", "window", "state")
_LOOKING_BACK = ("window", "state", "mapWithState")


@st.composite
def pipelines(
    draw: st.DrawFn,
    *,
    inputs: int = 1,
    keyed: bool = False,
    hashable: bool = True,
    outputs: int = 3,
    steps: int = 6,
    kinds: Sequence[str] = STATELESS,
) -> Pipeline:
    """Graphs of at most ``steps`` operators and ``outputs`` outputs, which may share streams.

    ``keyed`` and ``hashable`` must be those of the batches. ``kinds`` are the kinds of operators:
    narrow, wide, combined, window, state, mapWithState, transform, transformWith, raising,
    remembering. One that is named twice comes twice as often.
    """
    streams = [DraftStream(Input(i), keyed=keyed, hashable=hashable) for i in range(inputs)]
    for _ in range(draw(st.integers(1, steps))):
        kind = draw(st.sampled_from(kinds))
        stream = draw(st.sampled_from(streams))
        if kind in _JOIN:
            others = [b for b in streams if b.slide == stream.slide or stream.joins(b)]
            streams.append(draw(_JOIN[kind](stream, draw(st.sampled_from(others)))))
            continue
        streams.append(draw(_GROW[_possible(kind, stream)](_prepared(kind, stream))))
    chosen = streams[-outputs:]
    return Pipeline(tuple(b.node for b in chosen), tuple(b.exact for b in chosen))


def _possible(kind: str, stream: DraftStream) -> str:
    """``kind``, or the closest kind that this stream allows."""
    if kind in _LOOKING_BACK and stream.weight > 16:
        return "narrow"
    if stream.fails and kind in ("state", "mapWithState"):
        return "window"  # state after a failed batch is a documented difference
    if kind == "mapWithState" and not stream.exact:
        return "state"  # its functions depend on the order of the records
    return kind


def _prepared(kind: str, stream: DraftStream) -> DraftStream:
    if _possible(kind, stream) in ("state", "mapWithState"):
        if not stream.keyed:
            return stream.then("map", f.by_length, keyed=True)
        if not stream.exact:  # which of several equal keys, 1 or True, comes first is not defined
            return stream.then("map", f.text_key)
    return stream
