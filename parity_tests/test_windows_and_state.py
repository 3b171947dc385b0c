"""Windows and states: the model, the legacy engine and ours give the same, tick by tick."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark import SparkContext

from dstream_parity import Outcomes, difference
from dstream_parity.engines.in_process import replay_in_process
from dstream_parity.engines.legacy import replay_legacy
from dstream_parity.engines.on_spark import replay_on_spark
from parity_tests.model import replay_model
from parity_tests.stateful_graphs import GRAPHS, replayed

LiveContext = Callable[[], SparkContext]

pytestmark = pytest.mark.timeout(900)  # one test pays for the replay that all of them share


@pytest.fixture(scope="module")
def checkpointing(live_sc: LiveContext, tmp_path_factory: pytest.TempPathFactory) -> LiveContext:
    """The SparkContext, with the directory that streams with state cannot start without."""

    def give() -> SparkContext:
        sc = live_sc()
        sc.setCheckpointDir(str(tmp_path_factory.mktemp("checkpoint")))
        return sc

    return give


@pytest.fixture(scope="module")
def legacy(checkpointing: LiveContext) -> dict[str, Outcomes]:
    return replayed(replay_legacy, sc=checkpointing())


@pytest.fixture(scope="module", params=[1, 3], ids="{}-together".format)
def ours(checkpointing: LiveContext, request: pytest.FixtureRequest) -> dict[str, Outcomes]:
    return replayed(replay_on_spark, sc=checkpointing(), together=request.param)


def assert_same(expected: Outcomes, actual: Outcomes, *, ordered: bool = True) -> None:
    message = difference(expected, actual, ordered=ordered)
    assert message is None, message


@pytest.mark.parametrize("together", [1, 3])
@pytest.mark.parametrize("name", GRAPHS)
def test_our_stages_equal_the_model(name: str, together: int) -> None:
    model = replayed(replay_model, [name])
    assert_same(model[name], replayed(replay_in_process, [name], together=together)[name])


@pytest.mark.parametrize("name", GRAPHS)
def test_the_model_equals_the_legacy_engine(legacy: dict[str, Outcomes], name: str) -> None:
    assert_same(legacy[name], replayed(replay_model, [name])[name])


@pytest.mark.parametrize("name", GRAPHS)
def test_our_engine_equals_the_legacy_engine(
    legacy: dict[str, Outcomes], ours: dict[str, Outcomes], name: str
) -> None:
    assert_same(legacy[name], ours[name])
