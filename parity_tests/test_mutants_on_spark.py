"""Faults at a restart, and in what reaches the workers, are noticed on Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

import pytest
from pyspark import SparkContext

from dstream_compat.engine.checkpoint import Checkpoint
from dstream_compat.engine.orders import Table
from dstream_compat.input.queues import PartitionedSource
from dstream_compat.input.storage import Storage
from dstream_parity import Batches, difference, replay
from dstream_parity.base import functions as f
from parity_tests.model import replay_model

BATCHES: Batches = [[[[("a", 1)], [("b", 2)]]], [[[("a", 3)]]], [[[("a", 4), ("c", 5)]]], [[]]]
RESTART = 2  # ticks before it


def build(ssc: Any, inputs: list[Any]) -> list[Any]:
    (pairs,) = inputs
    return [pairs.updateStateByKey(f.collect), pairs.window(3, 3), pairs.map(f.levelled)]


def without_state() -> AbstractContextManager[Any]:
    """The query starts after the last committed entry, without state."""

    class Forgetful(Checkpoint):
        """A checkpoint that, opened a second time, has lost its query."""

        def __init__(self, storage: Storage) -> None:
            self.lost = 0
            super().__init__(storage)
            self.lost = super().committed()

        @property
        def _query(self) -> str:
            return super()._query + ("-lost" if self.lost else "")

        @property
        def first(self) -> int:
            return self.lost or super().first

    return patch("dstream_compat.engine.wiring.Checkpoint", Forgetful)


def skewed_recovery(by: int) -> AbstractContextManager[Any]:
    original = PartitionedSource.recover

    def recover(self: PartitionedSource, history: Iterable[tuple[int, Any]]) -> None:
        listed = list(history)
        everything = list(self._batches)
        original(self, listed)
        if listed:
            self._batches = everything[len(everything) - len(self._batches) + by :]

    return patch.object(PartitionedSource, "recover", recover)


def functions_of_the_start() -> AbstractContextManager[Any]:
    original = Table.pickle
    first: dict[int, bytes] = {}

    def once(self: Table, functions: Any) -> bytes:
        return first.setdefault(len(functions), original(self, functions))

    return patch.object(Table, "pickle", once)


def another_grid() -> AbstractContextManager[Any]:
    return patch.object(Checkpoint, "zero_time", lambda self, default: default)


MUTANTS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "state is lost at a restart": without_state,
    "a batch is lost at a restart": lambda: skewed_recovery(1),
    "a batch comes twice at a restart": lambda: skewed_recovery(-1),
    "windows start over at a restart": another_grid,
    "functions stay as they were at the start": functions_of_the_start,
}


def found(sc: SparkContext) -> str | None:
    f.set_level(0)
    expected = replay_model(build, BATCHES, before=f.set_level)
    # restored functions have a level of their own, that of the last start
    expected[2] = expected[2][:RESTART]
    f.set_level(0)
    actual = replay(build, BATCHES, sc=sc, restarts=[RESTART], before=f.set_level)
    actual[2] = actual[2][:RESTART]
    return difference(expected, actual)


def test_without_a_fault_nothing_is_noticed(sc: SparkContext) -> None:
    assert found(sc) is None


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_is_noticed(sc: SparkContext, name: str) -> None:
    with MUTANTS[name]():
        assert found(sc) is not None
