"""The model, the legacy engine and ours give the same, down to order and partitions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark import SparkContext

from dstream_parity import Outcomes, difference
from dstream_parity.engines.legacy import replay_legacy
from dstream_parity.engines.on_spark import replay_on_spark
from parity_tests.graphs import ALL, GRAPHS, SAMPLE, UNORDERED, replayed
from parity_tests.model import replay_model

LiveContext = Callable[[], SparkContext]


def assert_same(expected: Outcomes, actual: Outcomes, *, ordered: bool = True) -> None:
    message = difference(expected, actual, ordered=ordered)
    assert message is None, message


@pytest.fixture(scope="module")
def legacy(live_sc: LiveContext) -> dict[str, Outcomes]:
    return replayed(replay_legacy, sc=live_sc())


@pytest.fixture(scope="module", params=[1, 3], ids="{}-together".format)
def ours(live_sc: LiveContext, request: pytest.FixtureRequest) -> dict[str, Outcomes]:
    return replayed(replay_on_spark, sc=live_sc(), together=request.param)


def test_the_legacy_engine_equals_itself(sc: SparkContext, legacy: dict[str, Outcomes]) -> None:
    for name, again in replayed(replay_legacy, [SAMPLE, *UNORDERED], sc=sc).items():
        assert_same(legacy[name], again)


@pytest.mark.parametrize("name", [*GRAPHS, *UNORDERED])
def test_the_model_equals_the_legacy_engine(legacy: dict[str, Outcomes], name: str) -> None:
    model = replayed(replay_model, [name])
    assert_same(legacy[name], model[name], ordered=name not in UNORDERED)


@pytest.mark.parametrize("name", ALL)
def test_our_engine_equals_the_legacy_engine(
    legacy: dict[str, Outcomes], ours: dict[str, Outcomes], name: str
) -> None:
    assert_same(legacy[name], ours[name])
