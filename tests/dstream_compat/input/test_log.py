"""The input log: whole entries in order, whatever happens to the process."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dstream_compat.input.blocks import DirectoryBlockStore
from dstream_compat.input.log import InputLog, LogEntry
from dstream_compat.input.storage import LocalStorage
from dstream_compat.stages.chunks import pickle_chunks
from dstream_compat.stages.partitions import Batch, Data, portable_data


def entry(tick: int, size: int = 0) -> LogEntry:
    return LogEntry(tick, tick, {0: Batch((Data((b"x" * size,), 1),))})


def test_entries_are_numbered_from_one_and_survive_a_restart(tmp_path: Path) -> None:
    log = InputLog(LocalStorage(tmp_path / "log"))
    assert log.last == 0
    assert [log.append(entry(1000)), log.append(entry(2000))] == [1, 2]
    again = InputLog(LocalStorage(tmp_path / "log"))
    assert [(number, found.tick) for number, found in again.items()] == [(1, 1000), (2, 2000)]
    assert again.append(entry(3000)) == 3


def test_a_write_that_was_cut_off_is_no_entry(tmp_path: Path) -> None:
    log = InputLog(LocalStorage(tmp_path))
    log.append(entry(1000))
    (tmp_path / "000000000002.tmp").write_bytes(b"half of it")
    again = InputLog(LocalStorage(tmp_path))
    assert again.last == 1
    assert again.append(entry(2000)) == 2


def test_waiting_for_entries_ends_with_the_next_one(tmp_path: Path) -> None:
    log = InputLog(LocalStorage(tmp_path, durable=False))
    found: list[int | None] = []
    waiter = threading.Thread(target=lambda: found.append(log.beyond(0, 10, 2**30)))
    waiter.start()
    log.append(entry(1000))
    waiter.join(10)
    assert found == [1]


def test_waiting_ends_when_the_log_is_closed(tmp_path: Path) -> None:
    log = InputLog(LocalStorage(tmp_path, durable=False))
    found: list[int | None] = []
    waiter = threading.Thread(target=lambda: found.append(log.beyond(0, 10, 2**30)))
    waiter.start()
    log.close()
    waiter.join(10)
    assert found == [None]


@pytest.mark.parametrize(
    ("most", "most_bytes", "expected"), [(2, 10**6, 2), (10, 250, 2), (10, 10, 1), (10, 10**6, 4)]
)
def test_a_batch_covers_as_many_entries_as_fit(
    tmp_path: Path, most: int, most_bytes: int, expected: int
) -> None:
    log = InputLog(LocalStorage(tmp_path, durable=False))
    for number in range(4):
        log.append(entry(number, size=100))
    assert log.beyond(0, most, most_bytes) == expected


def test_entries_appended_together_become_visible_at_once(tmp_path: Path) -> None:
    log = InputLog(LocalStorage(tmp_path, durable=False))
    found: list[int | None] = []
    waiter = threading.Thread(target=lambda: found.append(log.beyond(0, 10, 2**30)))
    waiter.start()
    with log.together():
        for number in range(3):
            log.append(entry(number))
    waiter.join(10)
    assert found == [3]


def test_old_entries_are_forgotten_but_never_the_last(tmp_path: Path) -> None:
    log = InputLog(LocalStorage(tmp_path))
    for tick in (1000, 2000, 3000):
        log.append(entry(tick))
    assert [old.tick for old in log.older(2, 9000)] == [1000, 2000]
    log.forget(3, 9000)
    assert [number for number, _ in InputLog(LocalStorage(tmp_path)).items()] == [3]
    assert log.append(entry(4000)) == 4


def test_the_newest_batch_of_a_skipped_source_is_kept(tmp_path: Path) -> None:
    log = InputLog(LocalStorage(tmp_path))
    for tick in range(1000, 10_000, 1000):
        batches = {0: Batch()} if tick % 4000 else {0: Batch(), 1: Batch()}
        log.append(LogEntry(tick, tick, batches))
        log.forget(log.last, tick - 1000, keep_newest_of={1})
        if tick == 7000:
            assert [kept.tick for _, kept in log.items()] == [4000, 6000, 7000]
            assert log.newest_batch(1, 7000) == Batch()
            assert log.newest_batch(1, 3999) is None
    assert [kept.tick for _, kept in InputLog(LocalStorage(tmp_path)).items()] == [8000, 9000]


def test_an_entry_can_carry_its_blocks_to_executors_with_other_disks(tmp_path: Path) -> None:
    store = DirectoryBlockStore(LocalStorage(tmp_path))
    stored = store.put(0, pickle_chunks(["a", "b"]), 2)
    carried = LogEntry(1000, 0, {0: Batch((stored,))}).self_contained(
        lambda path: Path(path).read_bytes()
    )
    assert carried.batches[0].partitions == (portable_data(["a", "b"]),)
