"""Our stages, run in process, give what the model gives: thousands of random graphs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dstream_compat import StateSpec
from dstream_compat.stages.state import hashed, pages
from dstream_parity import Batches, difference
from dstream_parity.base import functions
from dstream_parity.base.pipelines import Pipeline
from dstream_parity.engines.in_process import replay_in_process
from dstream_parity.strategies import STATEFUL, STATELESS
from dstream_parity.strategies import batches as random_batches
from dstream_parity.strategies import pipelines as random_pipelines
from parity_tests.coverage import overclaimed
from parity_tests.known import judged, operators_of
from parity_tests.ledger import IN_PROCESS, LEDGER, Ledger
from parity_tests.model import replay_model

Case = tuple[Pipeline, Batches]

EXAMPLES = settings(
    max_examples=250,
    deadline=None,
    derandomize=True,  # the same graphs in every run: what is new to find is found by deeper runs
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
EVERYTHING = (*STATEFUL, "mapWithState", "transform", "transformWith", "remembering", "raising")


def found_in_process(
    pipeline: Pipeline, batches: Batches, *, ledger: Ledger | None = None, **how: Any
) -> str | None:
    """How our stages differ from the model, if they do; what was compared is noted."""
    before = functions.set_level if pipeline.live else None
    expected = replay_model(pipeline, batches, before=before)
    actual = replay_in_process(pipeline, batches, before=before, **how)
    verdicts = [judged(pipeline, n, expected, actual, batches) for n in range(len(expected))]
    for number, verdict in enumerate(verdicts):
        if verdict.message is not None:
            return f"{verdict.message}\n{pipeline.only(number)!r}"
    if ledger is not None:
        numbers = [number for number, verdict in enumerate(verdicts) if verdict.compared]
        ledger.note(IN_PROCESS, operators_of(pipeline, numbers), len(batches))
    return None


def check(case: Case, **how: Any) -> None:
    found = found_in_process(*case, ledger=LEDGER, **how)
    assert found is None, found


@contextmanager
def pages_of(keys: int) -> Iterator[None]:
    """State in pages so small that few keys need several, and split and join them."""
    with patch.object(hashed, "PAGE", keys), patch.object(pages, "PAGE", keys):
        yield


@st.composite
def cases(
    draw: st.DrawFn,
    *kinds: str,
    inputs: int = 2,
    keyed: bool = True,
    few: bool = True,
    steps: int = 6,
) -> Case:
    """Pipelines of these kinds of operators, and batches for them."""
    hashable = draw(st.sampled_from([True, True, False]))
    shape: dict[str, Any] = {"inputs": inputs, "keyed": keyed, "hashable": hashable}
    pipeline = draw(random_pipelines(**shape, kinds=kinds, steps=steps))
    return pipeline, draw(random_batches(**shape, ticks=10 if few else 6, few=few))


@EXAMPLES
@given(cases(*STATELESS, inputs=1, keyed=False, few=False), st.integers(1, 4))
def test_one_input(case: Case, slots: int) -> None:
    check(case, slots=slots)


@EXAMPLES
@given(cases(*STATELESS, few=False, steps=8), st.integers(1, 4))
def test_two_inputs_of_pairs(case: Case, slots: int) -> None:
    check(case, slots=slots)


@EXAMPLES
@given(cases(*STATELESS, few=False), st.integers(2, 6))
def test_how_ticks_share_a_micro_batch_does_not_matter(case: Case, together: int) -> None:
    check(case, together=together)


@EXAMPLES
@given(cases("window", "narrow", "window", "combined", "wide", inputs=1), st.integers(1, 4))
def test_windows(case: Case, slots: int) -> None:
    check(case, slots=slots)


@EXAMPLES
@given(cases("state", "narrow", "state", "combined", "wide", inputs=1), st.integers(1, 4))
def test_state(case: Case, slots: int) -> None:
    check(case, slots=slots)


@EXAMPLES
@given(cases("mapWithState", "narrow", "mapWithState", "wide", inputs=1), st.integers(1, 4))
def test_map_with_state(case: Case, slots: int) -> None:
    check(case, slots=slots)


@EXAMPLES
@given(cases("mapWithState", "state", "mapWithState", inputs=1, few=False), st.integers(2, 5))
def test_how_many_keys_share_a_page_does_not_matter(case: Case, keys: int) -> None:
    with pages_of(keys):
        check(case, slots=1)


@EXAMPLES
@given(cases(*STATEFUL, "mapWithState"), st.integers(2, 6))
def test_how_ticks_share_a_micro_batch_does_not_matter_to_state(case: Case, together: int) -> None:
    check(case, together=together)


@EXAMPLES
@given(cases("transform", "transformWith", "narrow", "wide", "state", "window", "combined"))
def test_functions_on_rdds(case: Case) -> None:
    check(case)


@EXAMPLES
@given(cases("raising", *STATELESS, "window", "transform", few=False), st.integers(1, 3))
def test_functions_that_raise(case: Case, slots: int) -> None:
    check(case, slots=slots)


@EXAMPLES
@given(cases("remembering", "remembering", *STATELESS, "state", few=False), st.integers(1, 3))
def test_functions_that_remember(case: Case, slots: int) -> None:
    check(case, slots=slots)


@EXAMPLES
@given(cases(*EVERYTHING[:-2]), st.sets(st.integers(1, 8), max_size=3))
def test_restarts_change_nothing(case: Case, restarts: set[int]) -> None:
    ticks = len(case[1])
    check(case, restarts=[number for number in restarts if number < ticks])


@settings(EXAMPLES, max_examples=200)
@given(case=cases(*EVERYTHING))
def test_pipelines_print_the_code_that_builds_them(case: Case) -> None:
    pipeline, batches = case
    names: dict[str, Any] = {**vars(functions), "StateSpec": StateSpec}
    exec(repr(pipeline), names)
    before = functions.set_level
    expected = replay_model(pipeline, batches, before=before)
    found = difference(expected, replay_model(names["pipeline"], batches, before=before))
    assert found is None, found


@settings(EXAMPLES, max_examples=200)
@given(case=cases(*(kind for kind in EVERYTHING if kind != "raising")))
def test_only_functions_that_are_meant_to_raise_do(case: Case) -> None:
    pipeline, batches = case
    outcomes = replay_model(pipeline, batches)
    assert [len(ticks) for ticks in outcomes] == [len(batches)] * len(pipeline.outputs)
    assert "Raised" not in repr(outcomes)


def test_the_page_is_right(request: pytest.FixtureRequest) -> None:
    """Runs last: docs/parity-coverage.md claims no more than was compared above."""
    missing = overclaimed(LEDGER, IN_PROCESS)
    if missing is None:
        pytest.skip("the page was counted with another version of Hypothesis")
    if len([item for item in request.session.items if item.path == request.path]) < 15:
        pytest.skip("only some of the tests were asked for")
    assert not missing, f"run `make parity-docs`: {missing}"
