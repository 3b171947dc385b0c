"""Which ticks of an input anybody asks for."""

from __future__ import annotations

from dstream_compat.graph.demand import Demand
from dstream_compat.graph.nodes import Narrow, Node, Source, Stateful, Union

LINES = Source("lines", 1, 0, None)


def window(parent: Node, length: int, slide: int, inverse: bool = False) -> Stateful:
    kind = "reduceWindow" if inverse else "window"
    return Stateful(kind, slide, (parent,), kind, window_ms=length, must_checkpoint=inverse)


def state(parent: Node) -> Stateful:
    return Stateful("state", parent.slide_ms, (parent,), "updateState")


def asked(*outputs: Node, source: Source = LINES) -> list[int]:
    demand = Demand(outputs)
    return [tick for tick in range(1, 13) if demand.asks(source.id, tick)]


ALL = list(range(1, 13))


def test_without_windows_every_tick_is_asked_for() -> None:
    assert asked(LINES) == ALL


def test_windows_that_overlap_or_meet_ask_for_every_tick() -> None:
    assert asked(window(LINES, 3, 3)) == ALL
    assert asked(window(LINES, 5, 2)) == ALL


def test_a_window_asks_for_what_is_in_it() -> None:
    assert asked(window(LINES, 1, 4)) == [4, 8, 12]
    assert asked(window(Narrow("map", 1, LINES, "map"), 2, 4)) == [3, 4, 7, 8, 11, 12]
    assert asked(window(LINES, 0, 4)) == []


def test_another_output_asks_too() -> None:
    gaps = window(LINES, 1, 4)
    assert asked(gaps, LINES) == ALL
    assert asked(gaps, window(LINES, 1, 3)) == [3, 4, 6, 8, 9, 12]


def test_windows_of_windows_ask_only_for_the_windows_in_them() -> None:
    inner = window(LINES, 1, 2)
    assert asked(window(inner, 2, 4)) == [4, 8, 12]
    assert asked(window(inner, 4, 4)) == [2, 4, 6, 8, 10, 12]
    assert asked(window(window(LINES, 2, 2), 2, 6)) == [5, 6, 11, 12]


def test_state_asks_for_all_that_came_before() -> None:
    assert asked(window(state(LINES), 1, 4)) == ALL
    assert asked(state(window(LINES, 1, 4))) == [4, 8, 12]


def test_a_window_with_an_inverse_asks_for_every_window_before_it() -> None:
    assert asked(window(window(LINES, 1, 2, inverse=True), 2, 6)) == [2, 4, 6, 8, 10, 12]


def test_each_input_is_asked_for_what_is_behind_it() -> None:
    other = Source("other", 1, 7, None)
    both = Union("union", 4, (window(LINES, 1, 4), window(other, 2, 4)))
    assert asked(both) == [4, 8, 12]
    assert asked(both, source=other) == [3, 4, 7, 8, 11, 12]
