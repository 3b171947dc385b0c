"""mapWithState: the JVM's original, the model and our engine give the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark import SparkContext

from dstream_parity import Batches, Outcomes, difference
from dstream_parity.engines.in_process import replay_in_process
from dstream_parity.engines.on_spark import replay_on_spark
from parity_tests.jvm_oracle import JvmOracle, Mapping, dealt
from parity_tests.model import replay_model

LiveContext = Callable[[], SparkContext]

pytestmark = pytest.mark.timeout(900)  # one test pays for the replay that all of them share


def build(mappings: list[Mapping]) -> Callable[[Any, list[Any]], list[Any]]:
    return lambda ssc, inputs: [o for mapping in mappings for o in mapping.build(inputs[0])]


def assert_same(expected: Outcomes, actual: Outcomes) -> None:
    # the JVM places keys by its own hashes, so order and partitions say nothing
    message = difference(expected, actual)
    assert message is None, message


@pytest.fixture(scope="module")
def checkpointing(live_sc: LiveContext, tmp_path_factory: pytest.TempPathFactory) -> SparkContext:
    sc = live_sc()
    sc.setCheckpointDir(str(tmp_path_factory.mktemp("checkpoint")))
    return sc


@pytest.fixture(scope="module")
def jvm(checkpointing: SparkContext, tmp_path_factory: pytest.TempPathFactory) -> JvmOracle:
    return JvmOracle(checkpointing, tmp_path_factory.mktemp("jar"))


# Every key is also what to try when it times out. "x" does nothing.
BATCHES: Batches = [
    [dealt([("x", "add"), ("get", "add"), ("x", "add get"), ("remove", "get")], 2)],
    [dealt([("remove", "add remove"), ("remove", "add"), ("add", "add")], 3)],
    [[]],
    [dealt([("x", "remove"), ("x", "get"), ("get", "x"), ("new", "remove remove")], 1)],
    [dealt([("x", "remove add get"), ("new", "add")], 2)],
    [[[]]],
    [[[("add", "get"), ("new", "remove")]]],
    [[[("new", "add add remove add")]]],
    [[]],
    [[[("x", "add")]]],
    [[]],
    [[]],
]
INITIAL = (("x", 5), ("get", 7), ("x", 6), ("idle", 8))

MAPPINGS = {
    "plain": Mapping(),
    "timed": Mapping(timed=True, partitions=3),
    "time-outs at every tenth batch": Mapping(timeout=2),
    "time-outs at every batch": Mapping(timeout=2, checkpoint=1, partitions=1),
    "time-outs at every third batch": Mapping(timed=True, timeout=1, checkpoint=3),
    "an initial state": Mapping(initial=INITIAL),
    "an initial state that times out": Mapping(timeout=3, checkpoint=2, initial=INITIAL),
}


def replayed(outcomes: Outcomes) -> dict[str, Outcomes]:
    return {name: outcomes[2 * i : 2 * i + 2] for i, name in enumerate(MAPPINGS)}


@pytest.fixture(scope="module")
def original(jvm: JvmOracle) -> dict[str, Outcomes]:
    return replayed(jvm.replay(list(MAPPINGS.values()), BATCHES))


@pytest.fixture(scope="module", params=[1, 4], ids="{}-together".format)
def ours(checkpointing: SparkContext, request: pytest.FixtureRequest) -> dict[str, Outcomes]:
    every = build(list(MAPPINGS.values()))
    return replayed(replay_on_spark(every, BATCHES, sc=checkpointing, together=request.param))


@pytest.mark.parametrize("name", MAPPINGS)
def test_the_model_equals_the_original(original: dict[str, Outcomes], name: str) -> None:
    assert_same(original[name], replay_model(build([MAPPINGS[name]]), BATCHES))


@pytest.mark.parametrize("name", MAPPINGS)
def test_our_engine_equals_the_original(
    original: dict[str, Outcomes], ours: dict[str, Outcomes], name: str
) -> None:
    assert_same(original[name], ours[name])


def test_the_original_did_what_is_to_be_compared(original: dict[str, Outcomes]) -> None:
    told = repr(original)
    for message in (
        "timing out",
        "State is not set",
        "Cannot update the state after it has been removed",
        "Cannot remove the state that has already been removed",
        "Cannot update the state that is timing out",
        "Cannot remove the state that is timing out",
    ):
        assert message in told


_words = st.sampled_from(["add", "remove", "get", "x", "add remove", "remove add", "add get"])
_names = st.sampled_from(["x", "add", "remove", "get", "y"])
_batch = st.builds(dealt, st.lists(st.tuples(_names, _words), max_size=5), st.integers(1, 3))
_mappings = st.builds(
    Mapping,
    timed=st.booleans(),
    timeout=st.none() | st.integers(1, 4),
    checkpoint=st.none() | st.integers(1, 3),
    initial=st.lists(st.tuples(_names, st.integers(0, 9)), max_size=4).map(tuple),
    partitions=st.none() | st.integers(1, 3),
)


@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    mappings=st.lists(_mappings, min_size=1, max_size=4),
    batches=st.lists(_batch | st.just([]), min_size=1, max_size=12),
    together=st.integers(1, 4),
)
def test_random_mappings(
    jvm: JvmOracle, mappings: list[Mapping], batches: list[list[list[Any]]], together: int
) -> None:
    ticks: Batches = [[batch] for batch in batches]
    original = jvm.replay(mappings, ticks)
    assert_same(original, replay_model(build(mappings), ticks))
    assert_same(original, replay_in_process(build(mappings), ticks, together=together))
