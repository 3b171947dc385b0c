"""Functions on their way to the workers: what is not asked for any more is let go of."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dstream_compat.engine.orders import Table
from dstream_compat.stages import orders
from dstream_compat.stages.tasks import Setting


class Sc:
    """As much of a SparkContext as a table asks for: a driver's, in local mode or on a cluster."""

    _encryption_enabled = False

    def __init__(self, local: bool = True) -> None:
        self.told: dict[str, str] = {}
        self.added: list[str] = []
        self._jsc = SimpleNamespace(isLocal=lambda: local)
        self._conf: dict[str, str] = {}

    def setLocalProperty(self, key: str, value: str) -> None:
        self.told[key] = value

    def addFile(self, path: str) -> None:
        self.added.append(path)


def sent(table: Table, sc: Sc, content: Any) -> Setting:
    """What a worker gets of a batch whose one function is ``content``."""
    table.send(table.pickle([content]), 0, {})
    return orders.decoded(sc.told[orders.PROPERTY]).setting(1)


def values_held() -> list[Any]:
    return [broadcast.value for broadcast in orders._broadcasts.values()]


def asks_for(number: int, file: str) -> Any:
    """A function with a broadcast in it, as the pickler writes it."""

    class Asking:
        def __reduce__(self) -> Any:
            return orders.open_broadcast, (number, file)

    return Asking()


def test_a_worker_holds_the_broadcasts_of_the_latest_batch(tmp_path: Path) -> None:
    sc = Sc()
    table = Table(sc, str(tmp_path))  # type: ignore[arg-type]
    for number in range(5):
        file = tmp_path / f"value-{number}"
        file.write_bytes(pickle.dumps(f"value {number}"))
        opened = sent(table, sc, asks_for(number, str(file)))
        assert opened.functions[0].value == f"value {number}"
        file.unlink()
        assert opened.reopen()[0].value == f"value {number}"  # read once
        assert values_held() == [f"value {number}"]


def test_closures_that_change_leave_no_files_behind(tmp_path: Path) -> None:
    sc = Sc()
    table = Table(sc, str(tmp_path))  # type: ignore[arg-type]
    for _ in range(10):
        large = os.urandom(300_000)
        assert sent(table, sc, large).functions == (large,)
        assert len(os.listdir(tmp_path)) <= 3
    for _ in range(10):  # and one that stays the same is written once
        assert sent(table, sc, large).functions == (large,)
    assert len(os.listdir(tmp_path)) == 1


def test_what_was_published_long_ago_can_be_published_again(tmp_path: Path) -> None:
    sc = Sc()
    table = Table(sc, str(tmp_path))  # type: ignore[arg-type]
    large = os.urandom(300_000)
    for content in (large, 1, 2, 3, 4, large):
        assert sent(table, sc, content).functions == (content,)


def test_on_a_cluster_a_broadcast_outlives_the_file_its_owner_deletes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, root = tmp_path / "shared", tmp_path / "root"
    shared.mkdir()
    root.mkdir()
    monkeypatch.setattr(orders.SparkFiles, "get", lambda name: str(root / name))
    sc = Sc(local=False)
    table = Table(sc, str(shared))  # type: ignore[arg-type]
    theirs = tmp_path / "broadcast"
    theirs.write_bytes(b"value")
    table.published.file("broadcast-1", str(theirs))
    theirs.unlink()
    (added,) = sc.added
    assert Path(added).read_bytes() == b"value"
    for _ in range(4):
        table.pickle(())
    # empty, not gone: a task that was planned before may still have an executor fetch it
    assert Path(added).read_bytes() == b""
    assert table.published.names == []


def test_executors_delete_what_they_fetched_for_batches_that_are_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orders.SparkFiles, "getRootDirectory", lambda: str(tmp_path))
    names = [f"{orders.PREFIX}{name}" for name in ("kept", "over", "new")]
    for name in (*names, "theirs"):
        (tmp_path / name).write_bytes(b"")
        if name != names[2]:
            os.utime(tmp_path / name, (0, 0))
    orders._tidy([names[0]])
    assert sorted(os.listdir(tmp_path)) == sorted([names[0], names[2], "theirs"])
