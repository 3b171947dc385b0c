"""The model, the legacy engine and ours give the same, down to order and partitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark import SparkContext

from dstream_compat.testing import Batches, Outcomes, difference
from dstream_compat.testing.legacy import replay_legacy
from dstream_compat.testing.on_spark import replay_on_spark
from parity_tests import strategies as s
from parity_tests.graphs import ALL, GRAPHS, SAMPLE, UNORDERED, replayed
from parity_tests.model import replay_model
from parity_tests.test_in_process import unites_a_union

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


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[s.Pipeline], Batches]:
    inputs, keyed = draw(st.sampled_from([(2, True), (1, True), (1, False), (2, False)]))
    pipelines = st.lists(s.pipelines(inputs=inputs, keyed=keyed), min_size=4, max_size=4)
    return draw(pipelines), draw(s.batches(inputs=inputs, keyed=keyed))


@settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # shrinking would replay hundreds of times
    suppress_health_check=list(HealthCheck),
)
@given(case=cases(), together=st.integers(1, 3))
def test_random_pipelines(
    live_sc: LiveContext, case: tuple[list[s.Pipeline], Batches], together: int
) -> None:
    pipelines, batches = case

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [output for pipeline in pipelines for output in pipeline.build(ssc, inputs)]

    legacy = iter(replay_legacy(build, batches, sc=live_sc()))
    ours = iter(replay_on_spark(build, batches, sc=live_sc(), together=together))
    for pipeline in pipelines:
        known_to_differ = unites_a_union(pipeline)
        for exact, modelled in zip(pipeline.exact, pipeline.model(batches), strict=True):
            expected, actual = next(legacy), next(ours)
            assert_same([expected], [modelled], ordered=exact)
            if not known_to_differ:
                assert_same([expected], [actual], ordered=exact)
