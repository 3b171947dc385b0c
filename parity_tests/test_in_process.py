"""Our stages, run in process, give what the model gives: thousands of random pipelines."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dstream_compat.testing import Batches, difference
from dstream_compat.testing.inprocess import replay_in_process
from parity_tests import strategies as s
from parity_tests.model import replay_model

EXAMPLES = settings(
    max_examples=400,
    deadline=None,
    derandomize=True,  # the same graphs in every run: what is new to find is found by deeper runs
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def check(pipeline: s.Pipeline, batches: Batches, **how: Any) -> None:
    expected = pipeline.model(batches)
    actual = replay_in_process(pipeline.build, batches, **how)
    for number, exact in enumerate(pipeline.exact):
        if known_to_differ(pipeline.outputs[number], batches):
            continue
        found = difference([expected[number]], [actual[number]], ordered=exact)
        assert found is None, f"{found}\n{pipeline}"


def known_to_differ(output: s.Node, batches: Batches) -> bool:
    """Partitions of unions of unions may differ where an input has none: docs/differences.md.

    A window is a union of batches.
    """
    code = str(output)
    unions, windows = code.count(".union("), code.count(".window(")
    united = unions > 1 or (unions == 1 and windows)
    return bool(united) and any(not rdd for tick in batches for rdd in tick)


def unites_a_union(pipeline: s.Pipeline) -> bool:
    """Partitions of such unions may differ where an input has none: see docs/differences.md."""
    return any(str(output).count(".union(") > 1 for output in pipeline.outputs)


@EXAMPLES
@given(s.pipelines(inputs=1), s.batches(inputs=1), st.integers(1, 4))
def test_one_input(pipeline: s.Pipeline, batches: Batches, slots: int) -> None:
    check(pipeline, batches, slots=slots)


@EXAMPLES
@given(
    s.pipelines(inputs=2, keyed=True, steps=8), s.batches(inputs=2, keyed=True), st.integers(1, 4)
)
def test_two_inputs_of_pairs(pipeline: s.Pipeline, batches: Batches, slots: int) -> None:
    check(pipeline, batches, slots=slots)


@EXAMPLES
@given(s.pipelines(inputs=2, keyed=True), s.batches(inputs=2, keyed=True), st.integers(2, 6))
def test_how_ticks_share_a_micro_batch_does_not_matter(
    pipeline: s.Pipeline, batches: Batches, together: int
) -> None:
    check(pipeline, batches, together=together)


def remembering(
    kinds: tuple[str, ...], inputs: int = 1
) -> st.SearchStrategy[tuple[s.Pipeline, Batches]]:
    """Pipelines of these kinds of operators, and long replays of small batches."""
    return st.tuples(
        s.pipelines(inputs=inputs, keyed=True, kinds=kinds),
        s.batches(inputs=inputs, keyed=True, ticks=10, few=True),
    )


@EXAMPLES
@given(remembering(("window", "narrow", "window", "combined", "wide")), st.integers(1, 4))
def test_windows(case: tuple[s.Pipeline, Batches], slots: int) -> None:
    check(*case, slots=slots)


@EXAMPLES
@given(remembering(("state", "narrow", "state", "combined", "wide")), st.integers(1, 4))
def test_state(case: tuple[s.Pipeline, Batches], slots: int) -> None:
    check(*case, slots=slots)


@EXAMPLES
@given(remembering(("mapWithState", "narrow", "mapWithState", "wide")), st.integers(1, 4))
def test_map_with_state(case: tuple[s.Pipeline, Batches], slots: int) -> None:
    check(*case, slots=slots)


@EXAMPLES
@given(remembering((*s.STATEFUL, "mapWithState"), inputs=2), st.integers(2, 6))
def test_how_ticks_share_a_micro_batch_does_not_matter_to_state(
    case: tuple[s.Pipeline, Batches], together: int
) -> None:
    check(*case, together=together)


@st.composite
def cases(draw: st.DrawFn) -> tuple[s.Pipeline, Batches]:
    inputs, keyed = draw(st.integers(1, 2)), draw(st.booleans())
    kinds = draw(st.sampled_from([s.STATELESS, (*s.STATEFUL, "mapWithState")]))
    pipeline = draw(s.pipelines(inputs=inputs, keyed=keyed, kinds=kinds))
    return pipeline, draw(s.batches(inputs=inputs, keyed=keyed))


@settings(max_examples=300, deadline=None, database=None)
@given(case=cases())
def test_random_pipelines_never_fail_and_print_the_code_that_builds_them(
    case: tuple[s.Pipeline, Batches],
) -> None:
    pipeline, batches = case
    outcomes = pipeline.model(batches)
    assert [len(ticks) for ticks in outcomes] == [len(batches)] * len(pipeline.outputs)

    def from_code(ssc: Any, inputs: list[Any]) -> list[Any]:
        built = eval(repr(pipeline), {**vars(s), "inputs": inputs})
        return list(built)

    found = difference(outcomes, replay_model(from_code, batches), ordered=True)
    assert found is None, found
