"""From log entries to tasks: what executors with other disks are given."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dstream_compat.engine.grid import Grid
from dstream_compat.engine.planner import TaskPlanner
from dstream_compat.input.blocks import DirectoryBlockStore
from dstream_compat.input.log import LogEntry
from dstream_compat.input.storage import LocalStorage
from dstream_compat.stages.chunks import pickle_chunks
from dstream_compat.stages.partitions import Batch, portable_data


@pytest.mark.parametrize("local", [True, False])
def test_a_received_block_on_the_drivers_disk_goes_along_with_tasks_on_a_cluster(
    local: bool, tmp_path: Path
) -> None:
    storage = LocalStorage(tmp_path)
    stored = DirectoryBlockStore(storage.within("blocks")).put(0, pickle_chunks(["a", "b"]), 2)
    setup: Any = SimpleNamespace(
        sc=SimpleNamespace(_jsc=SimpleNamespace(isLocal=lambda: local)),
        slots=1,
        logged_sources={0},
    )
    grid = Grid(1000)
    grid.begin(0)
    planner = TaskPlanner(setup, grid, storage, amended=lambda entry: entry)
    (task,) = planner.tasks([LogEntry(1000, 0, {0: Batch((stored,))})])
    ((*_, partition),) = pickle.loads(task).partitions
    assert partition == (stored if local else portable_data(["a", "b"]))
