"""Smaller examples: what is left is what it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dstream_parity import Batches, replay
from dstream_parity.base import functions as f
from dstream_parity.base.pipelines import Input, Made, MethodCall, Pipeline, PipelineContext, Spec
from dstream_parity.merged import Merged
from dstream_parity.shrink import Case, smallest

TICKS: Batches = [[[[3, 1], [2]]], [[[1, 7], [5, 7]]], [[]], [[[9]]]]


def anything(ssc: Any, inputs: list[Any]) -> list[Any]:
    return list(inputs)


def sevens(cases: Sequence[Case]) -> list[bool]:
    return [repr(case.batches).count("7") >= 2 for case in cases]


def test_the_smallest_batches_that_still_fail_are_found() -> None:
    found = smallest(Case(anything, TICKS), sevens, seconds=60)
    assert found.batches in ([[[[7, 7]]]], [[[[7], [7]]]])


def test_inputs_keep_a_partition_where_all_had_one() -> None:
    ticks: Batches = [[[[1], [7, 7]], [[2]]], [[[3]], [[], [4]]]]
    asked: list[Case] = []

    def judge(cases: Sequence[Case]) -> list[bool]:
        asked.extend(cases)
        return sevens(cases)

    assert smallest(Case(anything, ticks), judge, seconds=60).batches == [[[[7, 7]], [[]]]]
    assert all(rdd for case in asked for tick in case.batches for rdd in tick)


def test_nothing_is_tried_when_there_is_no_time() -> None:
    assert smallest(Case(anything, TICKS), sevens, seconds=-1).batches == TICKS


def test_operators_that_do_not_matter_are_left_out() -> None:
    counted = MethodCall(
        MethodCall(MethodCall(Input(0), "map", (f.text,)), "window", (2,)), "count"
    )
    joined = MethodCall(counted, "union", (MethodCall(Input(1), "count"),))
    pipeline = Pipeline((Input(0), joined), (True, True))

    def windows(cases: Sequence[Case]) -> list[bool]:
        return ["window" in repr(case.pipeline) for case in cases]

    found = smallest(Case(pipeline, [[[], []]]), windows, seconds=60)
    assert repr(found.pipeline) == "def pipeline(ssc, inputs):\n    return [inputs[0].window(2)]"


def test_a_pipeline_is_printed_with_its_shared_streams() -> None:
    shared = MethodCall(Input(0), "map", (Made(f.counting),))
    spec = Spec(f.running, (("timeout", 2), ("initialState", (("a", 1),))))
    pipeline = Pipeline(
        (
            MethodCall(PipelineContext(), "transform", ((shared, Input(1)), f.last_first)),
            MethodCall(shared, "mapWithState", (spec,)),
        ),
        (True, True),
    )
    assert repr(pipeline).splitlines() == [
        "def pipeline(ssc, inputs):",
        "    s1 = inputs[0].map(counting())",
        "    return [ssc.transform([s1, inputs[1]], last_first), "
        "s1.mapWithState(StateSpec.function(running).timeout(2).initialState((('a', 1),)))]",
    ]
    assert pipeline.operators == {"transform": 1, "map": 1, "mapWithState": 1}


def test_several_cases_share_a_replay_and_keep_apart() -> None:
    def state(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [inputs[0].map(f.by_type).updateStateByKey(f.total), inputs[0].count()]

    cases: list[tuple[Any, Batches]] = [(state, TICKS), (anything, TICKS[:2]), (state, TICKS[1:])]
    merged = Merged(cases)
    split = merged.split(replay(merged, merged.batches, "in-process"))
    assert split == [replay(build, batches, "in-process") for build, batches in cases]
    assert [merged.ticks_of(number) for number in range(5)] == [4, 4, 2, 3, 3]
