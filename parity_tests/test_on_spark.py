"""Our engine on Spark gives what the legacy engine gives, down to order and partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark import SparkContext

from dstream_compat.testing import Batches, Outcomes, difference
from dstream_compat.testing.legacy import replay_legacy
from dstream_compat.testing.on_spark import replay_on_spark
from parity_tests import strategies as s
from parity_tests.test_in_process import unites_a_union
from parity_tests.test_model_against_legacy import BATCHES, GRAPHS

LiveContext = Callable[[], SparkContext]


def fails_on_b(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    if pair[0] == "b":
        raise LookupError("b is not there")
    return pair


def every_operator(ssc: Any, inputs: list[Any]) -> list[Any]:
    """All graphs in one replay: a batch costs a stage more, not a job more, for each of them."""
    outputs = [output for graph in GRAPHS.values() for output in graph(inputs)]
    return [
        *outputs,
        inputs[0].repartition(3).glom(),
        inputs[0].union(inputs[1]).repartition(2).glom(),
        ssc.union(inputs[0], inputs[1], inputs[0]).glom(),
        ssc.transform([inputs[0], inputs[1]], lambda rdds: rdds[1].union(rdds[0])),
        inputs[0].transform(lambda rdd: rdd.sortBy(repr)).map(s.text).reduce(s.concat),
        inputs[0].transformWith(lambda a, b: a.cartesian(b), inputs[1].count()),
        # in one partition only: which of several fails first is chance, on the legacy engine too
        inputs[0].map(fails_on_b),
        inputs[0].map(fails_on_b).reduceByKey(s.concat),
    ]


def assert_same(
    expected: Outcomes, actual: Outcomes, ordered: Sequence[bool] | None = None
) -> None:
    for number, (left, right) in enumerate(zip(expected, actual, strict=True)):
        found = difference([left], [right], ordered=ordered[number] if ordered else True)
        assert found is None, f"of output {number}: {found}"


@pytest.fixture(scope="module")
def legacy(live_sc: LiveContext) -> Outcomes:
    return replay_legacy(every_operator, BATCHES, sc=live_sc())


def test_the_legacy_engine_equals_itself(sc: SparkContext, legacy: Outcomes) -> None:
    assert_same(legacy, replay_legacy(every_operator, BATCHES, sc=sc))


@pytest.mark.parametrize("together", [1, 3])
def test_every_operator(sc: SparkContext, legacy: Outcomes, together: int) -> None:
    assert_same(legacy, replay_on_spark(every_operator, BATCHES, sc=sc, together=together))


@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # shrinking would replay hundreds of times
    suppress_health_check=list(HealthCheck),
)
@given(
    st.lists(
        s.pipelines(inputs=2, keyed=True).filter(lambda p: not unites_a_union(p)),
        min_size=6,
        max_size=6,
    ),
    s.batches(inputs=2, keyed=True),
    st.integers(1, 3),
)
def test_random_pipelines(
    live_sc: LiveContext, pipelines: list[s.Pipeline], batches: Batches, together: int
) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [output for pipeline in pipelines for output in pipeline.build(ssc, inputs)]

    expected = replay_legacy(build, batches, sc=live_sc())
    actual = replay_on_spark(build, batches, sc=live_sc(), together=together)
    assert_same(expected, actual, [exact for pipeline in pipelines for exact in pipeline.exact])
