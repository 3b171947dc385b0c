"""Random graphs on Spark: the legacy engine, the model and ours give the same, tick by tick.

Several graphs share a replay. One that fails is run again alone and made smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark import SparkContext

from dstream_parity import Outcomes, difference, replay
from dstream_parity.base import functions
from parity_tests.coverage import COMPARED, overclaimed
from parity_tests.known import judged, operators_of
from parity_tests.ledger import LEDGER, ON_SPARK
from parity_tests.model import replay_model
from parity_tests.on_spark import explained
from parity_tests.random_groups import GROUPS

LiveContext = Callable[[], SparkContext]

pytestmark = pytest.mark.timeout(900)  # one test pays for the replay that all of them share


class Replays:
    """What the engines made of each group, replayed when first asked for."""

    def __init__(self, live_sc: LiveContext) -> None:
        self._live_sc = live_sc
        self._done: dict[tuple[str, str], list[Outcomes]] = {}

    def of(self, name: str, engine: Any) -> list[Outcomes]:
        if (name, engine) not in self._done:
            self._done[name, engine] = self.again(name, engine)
        return self._done[name, engine]

    def again(self, name: str, engine: Any) -> list[Outcomes]:
        group = GROUPS[name]
        together = group.together if engine == "compat" else 1
        outcomes = replay(
            group.build,
            group.batches,
            engine,
            sc=self._live_sc(),
            together=together,
            restarts=group.restarts,
            before=functions.set_level if together == 1 and not group.restarts else None,
        )
        return group.split(outcomes)


@pytest.fixture(scope="module")
def replays(live_sc: LiveContext) -> Replays:
    return Replays(live_sc)


def test_the_legacy_engine_equals_itself(replays: Replays) -> None:
    name = "plain elements"
    first, again = replays.of(name, "legacy"), replays.again(name, "legacy")
    for pipeline, left, right in zip(GROUPS[name].pipelines, first, again, strict=True):
        for number, exact in enumerate(pipeline.exact):
            found = difference([left[number]], [right[number]], ordered=exact)
            assert found is None, f"{found}\n{pipeline.only(number)!r}"


@pytest.mark.parametrize("name", GROUPS)
def test_the_model_equals_the_legacy_engine(replays: Replays, name: str) -> None:
    group = GROUPS[name]
    before = functions.set_level if not group.restarts else None
    model = group.split(replay_model(group.build, group.batches, before=before))
    restarts = bool(group.restarts)
    found = []
    legacy = replays.of(name, "legacy")
    for pipeline, expected, actual in zip(group.pipelines, legacy, model, strict=True):
        for number in range(len(pipeline.outputs)):
            verdict = judged(
                pipeline, number, expected, actual, group.batches, restarts=restarts, ours=False
            )
            if verdict.message is not None:
                found.append(f"{verdict.message}\n{pipeline.only(number)!r}")
    assert not found, "\n\n".join(found)


@pytest.mark.parametrize("name", GROUPS)
def test_our_engine_equals_the_legacy_engine(
    replays: Replays, live_sc: LiveContext, name: str
) -> None:
    group = GROUPS[name]
    restarts = bool(group.restarts)
    legacy, ours = replays.of(name, "legacy"), replays.of(name, "compat")
    for pipeline, expected, actual in zip(group.pipelines, legacy, ours, strict=True):
        compared = []
        for number in range(len(pipeline.outputs)):
            verdict = judged(pipeline, number, expected, actual, group.batches, restarts=restarts)
            if verdict.message is not None:
                alone = pipeline.only(number)
                message = explained(
                    live_sc(),
                    alone,
                    group.batches,
                    together=group.together,
                    restarts=group.restarts,
                )
                pytest.fail(message)
            compared += [number] if verdict.compared else []
        LEDGER.note(ON_SPARK, operators_of(pipeline, compared), len(group.batches))


def test_at_least_forty_graphs_are_compared_and_every_operator_is() -> None:
    compared = [
        group.compared(pipeline) for group in GROUPS.values() for pipeline in group.pipelines
    ]
    assert len(list(filter(None, compared))) >= 40
    assert {len(group.batches) for group in GROUPS.values()} == {6}
    assert set().union(*compared) == COMPARED


def test_as_much_was_compared_as_the_page_says(request: pytest.FixtureRequest) -> None:
    """Runs last: docs/parity-coverage.md claims no more than was compared above."""
    if len([item for item in request.session.items if item.path == request.path]) < 15:
        pytest.skip("only some of the tests were asked for")
    assert LEDGER.graphs[ON_SPARK] >= 40
    missing = overclaimed(LEDGER, ON_SPARK)
    if missing is None:
        pytest.skip("the page was counted with another version of Hypothesis")
    assert not missing, f"run `make parity-docs`: {missing}"
