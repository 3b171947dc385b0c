"""What went wrong once does not go wrong again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark import SparkContext

from dstream_parity import Outcomes, difference, replay
from dstream_parity.engines.in_process import replay_in_process
from dstream_parity.merged import Merged
from parity_tests.model import replay_model
from parity_tests.regressions import REGRESSIONS

ON_SPARK = {name: case for name, case in REGRESSIONS.items() if case.legacy}


def assert_same(expected: Outcomes, actual: Outcomes) -> None:
    message = difference(expected, actual, ordered=True)
    assert message is None, message


@pytest.mark.parametrize("name", [name for name, case in REGRESSIONS.items() if case.modelled])
def test_in_process(name: str) -> None:
    case = REGRESSIONS[name]
    expected = replay_model(case.build, case.batches)
    assert_same(expected, replay_in_process(case.build, case.batches, **case.how))


@pytest.fixture(scope="module")
def replays(live_sc: Callable[[], SparkContext]) -> dict[str, dict[str, Outcomes]]:
    """All of them in one replay per engine."""
    found: dict[str, dict[str, Outcomes]] = {}
    engine: Any
    for engine in ("legacy", "compat"):
        merged = Merged([(case.build, case.batches) for case in ON_SPARK.values()])
        outcomes = replay(merged, merged.batches, engine, sc=live_sc())
        found[engine] = dict(zip(ON_SPARK, merged.split(outcomes), strict=True))
    return found


@pytest.mark.parametrize("name", ON_SPARK)
def test_on_spark(replays: dict[str, dict[str, Outcomes]], name: str) -> None:
    assert_same(replays["legacy"][name], replays["compat"][name])


@pytest.mark.parametrize("name", [name for name, case in ON_SPARK.items() if case.modelled])
def test_the_model_on_spark(replays: dict[str, dict[str, Outcomes]], name: str) -> None:
    case = ON_SPARK[name]
    assert_same(replays["legacy"][name], replay_model(case.build, case.batches))
