"""The order of entries: a tick follows the last phase of the one before it, and none is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from dstream_compat.engine.phase_log import PhaseLog
from dstream_compat.input.log import InputLog, LogEntry
from dstream_compat.input.storage import LocalStorage
from dstream_compat.stages.partitions import Batch


class FullDisk(LocalStorage):
    full = False

    def write(self, name: str, content: bytes) -> None:
        if self.full:
            raise OSError("no space")
        super().write(name, content)


def entries(log: InputLog) -> list[tuple[int, int]]:
    return [(entry.tick, entry.phase) for _, entry in log.items()]


def test_a_tick_waits_for_the_phases_of_the_one_before(tmp_path: Path) -> None:
    log, submitted = InputLog(LocalStorage(tmp_path)), list[LogEntry]()
    phases = PhaseLog(log, last_phase=1, first=0, submitted=submitted.append)
    phases.submit(1000, {0: Batch()})
    phases.submit(2000, {0: Batch()})
    assert phases.has_open_tick()
    assert entries(log) == [(1000, 0)]
    assert [entry.tick for entry in submitted] == [1000, 2000]  # it is announced all the same
    phases.hand_over(1000, 1, {}, "")
    assert entries(log) == [(1000, 0), (1000, 1), (2000, 0)]


def test_a_phase_that_is_run_again_after_a_crash_is_logged_once(tmp_path: Path) -> None:
    log = InputLog(LocalStorage(tmp_path))
    phases = PhaseLog(log, last_phase=1, first=0, submitted=lambda entry: None)
    phases.submit(1000, {})
    phases.hand_over(1000, 1, {}, "the first time")
    phases.hand_over(1000, 1, {}, "again")
    assert [entry.failed for _, entry in log.items()] == ["", "the first time"]
    assert not phases.has_open_tick()


def test_a_tick_from_before_a_rebuild_has_no_phases_to_come(tmp_path: Path) -> None:
    log = InputLog(LocalStorage(tmp_path))
    log.append(LogEntry(1000, 0, {}))
    phases = PhaseLog(log, last_phase=1, first=1, submitted=lambda entry: None)
    phases.submit(2000, {})
    assert entries(log) == [(1000, 0), (2000, 0)]


def test_a_tick_that_could_not_be_logged_is_submitted_once(tmp_path: Path) -> None:
    storage, submitted = FullDisk(tmp_path), list[LogEntry]()
    log = InputLog(storage)
    phases = PhaseLog(log, last_phase=0, first=0, submitted=submitted.append)
    storage.full = True
    with pytest.raises(OSError, match="no space"):
        phases.submit(1000, {})
    storage.full = False
    phases.submit(1000, {})
    assert entries(log) == [(1000, 0)]
    assert len(submitted) == 1
