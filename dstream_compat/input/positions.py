"""Receivers that know their positions, which are logged together with their data."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from dstream_compat.input.receiver import Receiver
from dstream_compat.input.receiver_source import ReceiverSource
from dstream_compat.stages.partitions import Batch, InputInfo, Stored

_KEY = "positions"


class PositionedReceiver(Receiver):
    """A receiver whose blocks say how far it has read.

    ``positions`` is where it must continue when ``onStart`` is called, also after a crash. It
    stores blocks with ``storeAll``.
    """

    positions: dict[str, str]

    def __init__(self) -> None:
        super().__init__()
        self.positions = {}

    def resume(self, positions: dict[str, str]) -> None:
        """Take over the positions of an earlier run; called before ``onStart``."""
        self.positions = positions

    def reached(self, elements: list[Any]) -> dict[str, str]:
        """The positions after the elements of a block. To be overridden."""
        raise NotImplementedError


class PositionedSource(ReceiverSource):
    """Logs a receiver's positions in the entry that has the blocks they belong to."""

    def __init__(self, receiver: PositionedReceiver, *arguments: Any, **named: Any) -> None:
        super().__init__(receiver, *arguments, **named)
        self._positioned = receiver
        self._logged: dict[str, str] = {}
        self._since: dict[str, str] = {}  # positions of blocks that are not logged yet
        self._together = threading.Lock()

    def note(self, positions: dict[str, str]) -> None:
        """Note positions that come without elements."""
        with self._together:
            self._since |= positions

    def add_block(self, items: Iterable[Any]) -> bool:
        elements = list(items)
        with self._together:
            stored = super().add_block(elements)
            if stored:
                self._since |= self._positioned.reached(elements)
            return stored

    def take(self, tick: int) -> Batch:
        with self._together:
            batch = super().take(tick)
            self._logged |= self._since
            self._since = {}
            records = batch.info.records if batch.info is not None else 0
            return replace(batch, info=InputInfo(records, {_KEY: dict(self._logged)}))

    def recover(self, history: Iterable[tuple[int, Batch]]) -> None:
        """Continue after what is logged, and after blocks that are stored but not logged."""
        kept = list(history)
        super().recover(kept)
        for _, batch in kept:
            if batch.info is not None:
                self._logged |= batch.info.metadata.get(_KEY, {})
        for block in self._pending:  # on whatever file system the checkpoint is
            if isinstance(block, Stored):
                self._since |= self._positioned.reached(self._store.read(block))
        self._positioned.resume({**self._logged, **self._since})
