"""What is forgiven, and what is not: an output that could differ is still compared."""

from __future__ import annotations

from typing import Any

import pytest

from dstream_parity import Batches, Outcomes, Seen
from dstream_parity.base import functions as f
from dstream_parity.base.pipelines import Input, MethodCall, Node, Pipeline, PipelineContext
from dstream_parity.engines.in_process import replay_in_process
from parity_tests.known import judged, known_to_differ, operators_of
from parity_tests.ledger import ON_SPARK, Ledger
from parity_tests.model import replay_model

LEFT, RIGHT = Input(0), Input(1)
PLACED = MethodCall(LEFT, "reduceByKey", (f.concat, 2))
# with nothing between them, the two that are placed alike are united partition by partition
BY_LUCK = MethodCall(PipelineContext(), "union", (PLACED, RIGHT, PLACED))
BARE: Batches = [[[[("a", 1)], [("b", 2)]], [[("c", 3)]]], [[[("a", 4)]], []]]
FULL: Batches = [[rdd or [[]] for rdd in tick] for tick in BARE]


def call(on: Any, method: str, *arguments: Any) -> MethodCall:
    return MethodCall(on, method, arguments)


def reason(output: Node, batches: Batches = BARE, **how: Any) -> str | None:
    known = known_to_differ(output, batches, **how)
    return None if known is None else known.reason[:3]


@pytest.mark.parametrize(
    ("output", "batches", "expected"),
    [
        (BY_LUCK, BARE, "D24"),
        (call(PLACED, "union", call(PLACED, "union", RIGHT)), BARE, "D24"),
        (call(call(PLACED, "union", RIGHT), "window", 2), BARE, None),
        (call(call(PLACED, "union", RIGHT), "window", 2), [*BARE, BARE[1]], "D24"),
        (BY_LUCK, FULL, None),
        (MethodCall(PipelineContext(), "union", (LEFT, RIGHT, LEFT)), BARE, None),
        (call(call(LEFT, "union", RIGHT), "transformWith", f.both, RIGHT), BARE, None),
        (call(call(LEFT, "transform", f.stamped), "transform", f.unchanged), BARE, None),
    ],
)
def test_a_union_differs_only_where_an_empty_input_lets_placed_ones_meet(
    output: Node, batches: Batches, expected: str | None
) -> None:
    assert reason(output, batches) == expected
    pipeline = Pipeline((output,), (True,))
    expected_outcomes = replay_model(pipeline, batches)
    same = expected_outcomes == replay_in_process(pipeline, batches)
    assert same == (expected is None)


def test_the_model_has_no_such_excuse() -> None:
    assert reason(BY_LUCK, ours=False) is None


def verdict(output: Node, actual: Outcomes) -> tuple[bool, bool]:
    pipeline = Pipeline((output,), (True,))
    found = judged(pipeline, 0, replay_model(pipeline, BARE), actual, BARE)
    return found.message is None, found.compared


def test_elements_must_be_the_same_where_only_places_may_differ() -> None:
    ours = replay_in_process(Pipeline((BY_LUCK,), (True,)), BARE)
    assert verdict(BY_LUCK, ours) == (True, True)
    lost: Outcomes = [[ours[0][0], Seen(())]]
    assert verdict(BY_LUCK, lost) == (False, True)


def test_what_looks_at_places_behind_such_a_union_counts_as_not_compared() -> None:
    output = call(BY_LUCK, "glom")
    ours = replay_in_process(Pipeline((output,), (True,)), BARE)
    assert verdict(output, ours) == (True, False)


def test_the_ledger_counts_operators_of_compared_outputs_only() -> None:
    pipeline = Pipeline((call(LEFT, "count"), call(BY_LUCK, "glom")), (True, True))
    ledger = Ledger()
    ledger.note(ON_SPARK, operators_of(pipeline, [0]), 2)
    ledger.note(ON_SPARK, operators_of(pipeline, []), 2)
    assert ledger.graphs[ON_SPARK] == 1
    assert ledger.operators[ON_SPARK] == {"count": 1}
