"""Positions of a receiver that survive a crash, wherever the checkpoint is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dstream_compat.input.blocks import DirectoryBlockStore
from dstream_compat.input.positions import PositionedReceiver, PositionedSource
from dstream_compat.input.storage import LocalStorage


class Elsewhere(LocalStorage):
    """A storage whose paths mean nothing to this machine, as on HDFS."""

    is_local = False

    def path(self, name: str = "") -> str:
        return f"hdfs://elsewhere/{name}"

    def name_of(self, path: str) -> str:
        return path.removeprefix("hdfs://elsewhere/")


class Counting(PositionedReceiver):
    def onStart(self) -> None: ...

    def onStop(self) -> None: ...

    def reached(self, elements: list[Any]) -> dict[str, str]:
        return {"shard": str(max(elements))}


def test_a_stored_block_tells_its_position_on_any_file_system(tmp_path: Path) -> None:
    def source(receiver: Counting) -> PositionedSource:
        store = DirectoryBlockStore(Elsewhere(tmp_path))
        return PositionedSource(receiver, 0, store=store, on_event=lambda name, facts: None)

    assert source(Counting()).add_block([1, 2])  # and the driver dies before the next tick
    restarted = Counting()
    source(restarted).recover([])
    assert restarted.positions == {"shard": "2"}
