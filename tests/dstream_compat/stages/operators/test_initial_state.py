"""An initial state comes once, with the first batch, and stays also if that batch fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest

from dstream_compat import StateSpec
from dstream_compat.stages.tasks import Setting
from dstream_parity import Batches, Outcome, Outcomes, Raised, Seen
from dstream_parity.engines import in_process as inprocess
from dstream_parity.engines.in_process import replay_in_process

BATCHES: Batches = [[[[("a", 1)]]] for _ in range(3)]
INITIAL = [("a", 100), ("idle", 7)]
Before = Callable[[Any], Any]


def total(new: list[int], state: int | None) -> int:
    return sum(new) + (state or 0)


def running(key: str, value: int, state: Any) -> tuple[str, int]:
    state.update(state.getOption(0) + value)
    return key, state.get()


def replay(before: Before = lambda stream: stream) -> Outcomes:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        stream = before(inputs[0])
        spec = StateSpec.function(running).numPartitions(1).initialState(INITIAL)
        mapped = stream.mapWithState(spec)
        return [stream.updateStateByKey(total, 1, INITIAL), mapped, mapped.stateSnapshots()]

    return replay_in_process(build, BATCHES)


def raising(time: Any, rdd: Any) -> Any:
    if time.timestamp() == 1:
        raise ValueError("the first batch")
    return rdd


def in_later_batches(outcomes: Outcomes) -> list[list[Outcome]]:
    assert all(isinstance(ticks[0], Raised) for ticks in outcomes)
    return [ticks[1:] for ticks in outcomes]


AFTER_IT = [
    [Seen(((("a", 101), ("idle", 7)),)), Seen(((("a", 102), ("idle", 7)),))],
    [Seen(((("a", 101),),)), Seen(((("a", 102),),))],
    [Seen(((("a", 101), ("idle", 7)),)), Seen(((("a", 102), ("idle", 7)),))],
]


def test_it_outlives_a_transform_that_fails_in_front_of_it() -> None:
    assert in_later_batches(replay(lambda stream: stream.transform(raising))) == AFTER_IT


HOW = [
    {"poisoned": {1000: "a worker died"}},
    {"broken": "no module x"},
    {"poisoned": {1000: "cannot pickle"}, "functions": ()},
]


@pytest.mark.parametrize("phases", [0, 1, 2])
@pytest.mark.parametrize("how", HOW)
def test_it_outlives_workers_that_die_and_functions_that_never_arrive(
    how: dict[str, Any], phases: int
) -> None:
    run_plan = inprocess.run_plan

    def broken_at_first(plan: Any, entries: Any, *rest: Any) -> Any:
        def setting(functions: Any, slots: int, reopen: Any) -> Setting:
            if entries[0].tick > 1000:
                return Setting(functions, slots, reopen=reopen)
            return Setting(**{"functions": functions, "slots": slots, **how})

        with patch.object(inprocess, "Setting", setting):
            return run_plan(plan, entries, *rest)

    def behind(stream: Any) -> Any:
        for _ in range(phases):  # one after each transform that has state behind it
            stream = stream.transform(lambda rdd: rdd).mapWithState(
                StateSpec.function(lambda key, value, state: (key, value))
            )
        return stream

    with patch.object(inprocess, "run_plan", broken_at_first):
        assert in_later_batches(replay(behind)) == AFTER_IT
