"""Random operator graphs: branches grow, meet and are looked at, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from dstream_parity.base import functions as f
from dstream_parity.base.pipelines import Input, Pipeline
from dstream_parity.strategies import stateful, stateless
from dstream_parity.strategies.branches import Branch

_GROW: dict[str, Callable[[Branch], st.SearchStrategy[Branch]]] = {
    "narrow": stateless.narrow,
    "wide": stateless.wide,
    "raising": stateless.raising,
    "remembering": stateless.remembering,
    "transform": stateless.transformed,
    "window": stateful.window,
    "state": stateful.state,
    "mapWithState": stateful.map_with_state,
}
_JOIN: dict[str, Callable[[Branch, Branch], st.SearchStrategy[Branch]]] = {
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
    """Graphs of at most ``steps`` operators and ``outputs`` outputs, sharing what they share.

    ``keyed`` and ``hashable`` as the batches they are meant for. ``kinds`` of operators, one that
    is named twice comes twice as often: narrow, wide, combined, window, state, mapWithState,
    transform, transformWith, raising, remembering.
    """
    branches = [Branch(Input(i), keyed=keyed, hashable=hashable) for i in range(inputs)]
    for _ in range(draw(st.integers(1, steps))):
        kind = draw(st.sampled_from(kinds))
        branch = draw(st.sampled_from(branches))
        if kind in _JOIN:
            others = [b for b in branches if b.slide == branch.slide or branch.joins(b)]
            branches.append(draw(_JOIN[kind](branch, draw(st.sampled_from(others)))))
            continue
        branches.append(draw(_GROW[_possible(kind, branch)](_prepared(kind, branch))))
    chosen = branches[-outputs:]
    return Pipeline(tuple(b.node for b in chosen), tuple(b.exact for b in chosen))


def _possible(kind: str, branch: Branch) -> str:
    """``kind``, or what comes close to it on this branch."""
    if kind in _LOOKING_BACK and branch.weight > 16:
        return "narrow"
    if branch.fails and kind in ("state", "mapWithState"):
        return "window"  # state behind a failed batch is a documented difference
    if kind == "mapWithState" and not branch.exact:
        return "state"  # its functions depend on the order of the records
    return kind


def _prepared(kind: str, branch: Branch) -> Branch:
    if _possible(kind, branch) in ("state", "mapWithState"):
        if not branch.keyed:
            return branch.then("map", f.by_length, keyed=True)
        if not branch.exact:  # which of several equal keys, 1 or True, comes first is not defined
            return branch.then("map", f.text_key)
    return branch
