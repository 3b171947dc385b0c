"""The harness notices every fault that is put in on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from dstream_parity import Batches, Outcomes
from dstream_parity.base import functions
from dstream_parity.base.pipelines import Pipeline
from dstream_parity.engines.in_process import replay_in_process
from dstream_parity.strategies import STATEFUL, STATELESS, examples
from parity_tests.known import judged
from parity_tests.model import replay_model
from parity_tests.mutants import MUTANTS
from parity_tests.test_in_process import cases, pages_of

GRAPHS = 60  # per family


@dataclass(frozen=True)
class Sample:
    """A random graph as ring 1 has them, and what the model says of it."""

    pipeline: Pipeline
    batches: Batches
    how: dict[str, Any]
    expected: Outcomes
    before: Callable[[int], None] | None

    def fails(self) -> bool:
        """An engine that breaks down is noticed, too."""
        how = {"slots": 2, "page": 1000, **self.how}
        try:
            with pages_of(how.pop("page")):
                actual = replay_in_process(self.pipeline, self.batches, before=self.before, **how)
        except Exception:
            return True
        verdicts = (
            judged(self.pipeline, number, self.expected, actual, self.batches)
            for number in range(len(actual))
        )
        return any(verdict.message is not None for verdict in verdicts)


FAMILIES: dict[str, tuple[Any, dict[str, Any]]] = {
    "stateless": (cases(*STATELESS, few=False), {}),
    "windows": (cases("window", "narrow", "window", "combined", "wide", inputs=1), {}),
    "state": (cases("state", "narrow", "state", "wide", inputs=1), {}),
    "mapWithState": (cases("mapWithState", "mapWithState", "narrow", inputs=1), {}),
    "small pages": (cases("mapWithState", inputs=1, few=False), {"page": 2, "slots": 1}),
    "several ticks at once": (cases(*STATEFUL), {"together": 3}),
    "restarts": (cases("state", "window", "narrow"), {"restarts": [2, 4]}),
    "functions on RDDs": (cases("transform", "transformWith", "state", "window", "narrow"), {}),
    "raising": (cases("raising", *STATELESS), {}),
    "remembering": (cases("remembering", "remembering", "narrow", few=False), {}),
}


@cache
def samples() -> list[Sample]:
    """In turn from every family, so that a fault meets its like soon."""
    found: list[list[Sample]] = []
    for strategy, how in FAMILIES.values():
        found.append([_sample(case, how) for case in examples(strategy, GRAPHS, seed=4)])
    return [sample for turn in zip(*found, strict=False) for sample in turn]


def _sample(case: tuple[Pipeline, Batches], how: dict[str, Any]) -> Sample:
    pipeline, batches = case
    before = functions.set_level if pipeline.live else None
    return Sample(pipeline, batches, how, replay_model(pipeline, batches, before=before), before)


def test_without_a_fault_nothing_is_noticed() -> None:
    assert not [sample.pipeline for sample in samples() if sample.fails()]


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_is_noticed(name: str) -> None:
    with MUTANTS[name]():
        assert any(sample.fails() for sample in samples())


def test_there_are_at_least_twenty_five_faults() -> None:
    assert len(MUTANTS) >= 25
