"""Matches the operators of a changed job to the state of the previous run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import IllegalArgumentException

from dstream_compat import DStream, StreamingContext
from dstream_compat.engine.rebuild import Described, describe_operators, match
from dstream_compat.graph.compiler import compile_graph
from dstream_compat.graph.specs import PartitionedSpec
from dstream_parity.engines.in_process import LocalContext

Build = Callable[[DStream[Any]], list[DStream[Any]]]


def described(build: Build) -> list[Described]:
    ssc = StreamingContext(LocalContext(2), 1)  # type: ignore[arg-type]
    streams = build(ssc._input("input", PartitionedSpec(())))
    return describe_operators(compile_graph([stream._node for stream in streams]).operators)


def lengths(s: DStream[Any]) -> list[DStream[Any]]:
    return [s.window(10), s.window(60), s.countByWindow(10, 1), s.countByWindow(60, 1)]


def turned(s: DStream[Any]) -> list[DStream[Any]]:
    return [s.countByWindow(60, 1), s.countByWindow(10, 1), s.window(60), s.window(10)]


def alike(s: DStream[Any]) -> list[DStream[Any]]:
    return [
        s.map(lambda pair: (pair[0], 1)).updateStateByKey(lambda new, old: sum(new)),
        s.map(lambda pair: (pair[0], 2)).updateStateByKey(lambda new, old: sum(new)),
    ]


def in_a_loop(s: DStream[Any]) -> list[DStream[Any]]:
    return [s.updateStateByKey(lambda new, old: number) for number in (1, 2)]  # noqa: B023


@pytest.mark.parametrize("build", [lengths, alike, in_a_loop])
def test_unchanged_code_keeps_its_own_state(build: Build) -> None:
    operators = described(build)
    assert match(operators, described(build), {}) == {n: n for n in range(len(operators))}


def test_windows_are_told_apart_by_their_lengths() -> None:
    before, now = described(lengths), described(turned)
    found = match(before, now, {})
    assert sorted(found) == sorted(found.values()) == list(range(4))
    assert all(before[old]["times"] == now[new]["times"] for new, old in found.items())


def test_operators_that_may_have_changed_places_are_refused() -> None:
    before = described(alike)
    swapped = [{**before[0], "code": "b"}, {**before[1], "code": "a"}]
    with pytest.raises(IllegalArgumentException, match="several operators called updateStateByKey"):
        match(before, swapped, {})


def test_an_old_operator_can_be_meant_by_its_place() -> None:
    before = described(lambda s: [s.window(10),
        s.window(60)])  # fmt: skip
    now = described(lambda s: [s.window(20).named("short"), s.window(90).named("long")])
    with pytest.raises(
        IllegalArgumentException, match=r"several operators called window.*its place"
    ):
        match(before, now, {"short": "window", "long": "window"})
    short, long = (operator["site"] for operator in before)
    assert match(before, now, {"short": short, "long": long}) == {0: 0, 1: 1}
    assert match(before, now, {"short": long, "long": short}) == {0: 1, 1: 0}
