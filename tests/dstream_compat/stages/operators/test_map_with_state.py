"""mapWithState: what its function may do, and what is kept of it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from dstream_compat import StateSpec, StreamingContext
from dstream_compat.graph.specs import PartitionedSpec
from dstream_compat.stages.frames import STATE
from dstream_parity import Batches, Outcome, Seen
from dstream_parity.engines.in_process import (
    LocalContext,
    _entries,
    _Run,
    replay_in_process,
    run_plan,
)


def replay(spec: StateSpec, batches: Batches) -> list[Outcome]:
    (outcomes,) = replay_in_process(
        lambda ssc, inputs: [inputs[0].mapWithState(spec.numPartitions(1))], batches
    )
    return outcomes


def collect(key: str, value: int, state: Any) -> int:
    if not state.exists():
        state.update([value])
    else:
        state.get().append(value)
    return len(state.get())


def nested(key: str, value: int, state: Any) -> int:
    if not state.exists():
        state.update((key, [value]))
    else:
        state.get()[1].append(value)
    return len(state.get()[1])


@pytest.mark.parametrize("function", [collect, nested])
def test_what_was_changed_in_place_is_kept(function: Any) -> None:
    batches: Batches = [[[[("a", n)]]] for n in range(14)]
    assert replay(StateSpec.function(function), batches) == [Seen(((n + 1,),)) for n in range(14)]


def test_arguments_with_a_default_are_left_to_it() -> None:
    def limited(key: str, value: int, state: Any, limit: int = 10) -> tuple[str, int, int]:
        return key, value, limit

    assert replay(StateSpec.function(limited), [[[[("a", 1)]]]]) == [Seen(((("a", 1, 10),),))]


@pytest.mark.parametrize(
    ("function", "takes"),
    [
        (lambda key, value: key, r"\(key, value\)"),
        (lambda *record: record, r"\(\*record\)"),
        (max, "arguments that cannot be inspected"),
    ],
)
def test_other_functions_are_refused(function: Any, takes: str) -> None:
    with pytest.raises(TypeError, match=f"mappingFunction should take .*, but takes {takes}$"):
        StateSpec.function(function)


def test_an_iterator_as_initial_state_serves_several_streams() -> None:
    spec = StateSpec.function(lambda key, value, state: key).numPartitions(1)
    spec.initialState(("a", n) for n in range(1))

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [inputs[0].mapWithState(spec).stateSnapshots() for _ in range(2)]

    assert replay_in_process(build, [[[[]]]]) == [[Seen(((("a", 0),),))]] * 2


def test_keys_are_counted_also_where_there_is_no_batch_or_it_fails() -> None:
    def keep(key: str, value: int, state: Any) -> None:
        if value == 13:
            raise ValueError(value)
        state.update(value)

    ssc = StreamingContext(LocalContext(1), 1)  # type: ignore[arg-type]
    windowed = ssc._input("input", PartitionedSpec(())).window(2, 2)
    stream = windowed.mapWithState(StateSpec.function(keep).numPartitions(1))
    run = _Run([stream._node], 1)
    batches: Batches = [[[[("a", n)]]] for n in (1, 2, 3, 13, 4)]
    last = len(run.plan.operators) - 1
    counted = []
    for entry in _entries(run.plan, batches, 1000):
        frames = run_plan(run.plan, [entry], 1, run._states)
        used = [usage for f in frames if f.route == STATE for usage in pickle.loads(f.chunk)]
        counted.append([keys for operator, _, keys, *_ in used if operator == last])
    assert counted == [[0], [1], [1], [1], [1]]
