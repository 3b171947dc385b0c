from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dstream_compat.input.blocks import DirectoryBlockStore, MemoryBlockStore
from dstream_compat.input.storage import LocalStorage
from dstream_compat.stages.chunks import CHUNK, pickle_chunks, pickle_portably
from dstream_compat.stages.partitions import Data, Partition, Stored, read_partition

# Puts blocks until it is killed, and tells of each once it is safe. With an argument it dies in
# the middle of writing the block of that number, where only a renaming is missing.
WRITER = """
import os, signal, sys
from dstream_compat.input.blocks import DirectoryBlockStore
from dstream_compat.input.storage import LocalStorage
from dstream_compat.stages.chunks import pickle_chunks

store = DirectoryBlockStore(LocalStorage(sys.argv[1]))
number, last = 0, int(sys.argv[2])
while True:
    if number == last:
        os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
    block = store.put(7, pickle_chunks([number] * 5000), 5000)
    print(block.path, flush=True)
    number += 1
"""


def put(store: DirectoryBlockStore, *elements: Any, stream: int = 0) -> Stored:
    block = store.put(stream, pickle_chunks(elements), len(elements))
    assert isinstance(block, Stored)
    return block


def elements(block: Partition) -> list[Any]:
    return [element for chunk in read_partition(block) for element in chunk]


def writer(directory: Path, die_at: int = -1) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(directory), str(die_at)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_block_is_read_back_from_its_file(tmp_path: Path) -> None:
    many = list(range(2 * CHUNK + 1))
    block = put(DirectoryBlockStore(LocalStorage(tmp_path)), *many)
    assert elements(block) == many
    assert block.records == len(many)
    assert block.size == os.path.getsize(block.path)


def test_pending_blocks_come_oldest_first_with_their_counts_after_a_restart(tmp_path: Path) -> None:
    store = DirectoryBlockStore(LocalStorage(tmp_path))
    blocks = [put(store, *range(n)) for n in (1, 20, 3, 100)]
    assert DirectoryBlockStore(LocalStorage(tmp_path)).pending(0, ()) == blocks


def test_pending_leaves_out_assigned_removed_and_other_streams_blocks(tmp_path: Path) -> None:
    store = DirectoryBlockStore(LocalStorage(tmp_path))
    assigned, removed, left = (put(store, n) for n in range(3))
    other = put(store, 3, stream=1)
    store.remove(removed)
    store.remove(removed)
    assert store.pending(0, {assigned.path}) == [left]
    assert store.pending(1, [assigned.path]) == [other]
    assert store.pending(2, []) == []


def test_a_relative_directory_gives_absolute_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    block = put(DirectoryBlockStore(LocalStorage("blocks")), 1)
    monkeypatch.chdir("/")
    assert elements(block) == [1]


def test_blocks_sort_by_arrival_when_the_clock_goes_backwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([5000, 4000, 1000, 1000])
    monkeypatch.setattr(time, "time_ns", lambda: next(clock))
    store = DirectoryBlockStore(LocalStorage(tmp_path))
    first = [put(store, n) for n in range(2)]
    later = DirectoryBlockStore(LocalStorage(tmp_path))
    assert later.pending(0, ()) == first
    second = [put(later, n) for n in range(2)]
    assert later.pending(0, ()) == [*first, *second]


def test_a_new_block_never_bears_the_name_of_a_removed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1000)
    paths = set()
    for _ in range(20):
        store = DirectoryBlockStore(LocalStorage(tmp_path))
        block = put(store, 1)
        paths.add(block.path)
        store.remove(block)
    assert len(paths) == 20


def test_a_failing_disk_raises_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = DirectoryBlockStore(LocalStorage(tmp_path))

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            put(store, 1)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_a_killed_process_had_confirmed_is_pending_and_readable(tmp_path: Path) -> None:
    process = writer(tmp_path)
    assert process.stdout is not None
    confirmed = [process.stdout.readline().strip() for _ in range(25)]
    process.kill()
    confirmed += process.stdout.read().split()
    process.wait()
    process.stdout.close()

    store = DirectoryBlockStore(LocalStorage(tmp_path))
    pending = store.pending(7, ())
    assert [block.path for block in pending][: len(confirmed)] == confirmed
    assert len(pending) <= len(confirmed) + 1  # renamed, but not told of any more
    for number, block in enumerate(pending):
        assert elements(block) == [number] * 5000
    assert store.pending(7, confirmed) == pending[len(confirmed) :]


def test_a_block_torn_by_a_kill_is_neither_pending_nor_left_on_disk(tmp_path: Path) -> None:
    process = writer(tmp_path, die_at=3)
    confirmed = process.communicate(timeout=60)[0].split()
    assert process.returncode == -9
    folder = tmp_path / "stream-7"
    assert len(confirmed) == 3
    assert len(list(folder.iterdir())) == 4

    store = DirectoryBlockStore(LocalStorage(tmp_path))
    assert [block.path for block in store.pending(7, ())] == confirmed
    assert len(list(folder.iterdir())) == 3
    after = put(store, "after", stream=7)
    assert [block.path for block in store.pending(7, ())] == [*confirmed, after.path]


def test_the_memory_store_hands_the_elements_back_and_keeps_nothing() -> None:
    store = MemoryBlockStore()
    block = store.put(0, pickle_chunks(["a", "b"]), 2)
    assert isinstance(block, Data)
    assert (elements(block), block.records) == (["a", "b"], 2)
    store.remove(block)
    assert store.pending(0, ()) == []


def test_what_plain_pickle_refuses_is_pickled_by_value() -> None:
    (chunk,) = pickle_chunks([lambda: 42])
    assert next(read_partition(Data((chunk,), 1)))[0]() == 42


def test_a_class_of_the_jobs_own_script_can_be_read_in_another_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = type("Own", (), {"__module__": "__main__", "value": 42})
    monkeypatch.setattr(sys.modules["__main__"], "Own", own, raising=False)
    read = "import pickle, sys; print(pickle.load(sys.stdin.buffer).value)"
    done = subprocess.run(
        [sys.executable, "-c", read],
        input=pickle_portably(own()),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout.strip() == b"42", done.stderr.decode()
