"""What windows keep: one entry per tick, dropped after the last window that covers it."""

from __future__ import annotations

from typing import Any

from dstream_compat.stages.state.store import StateCell

TICKS = 3
_PIECES = 1024  # at most, per tick
_PIECE = 4 * 1024 * 1024  # bytes: the store copies a value several times


class TickLog:
    """Entries by tick, each a list of chunks (pickled lists) and a note."""

    def __init__(self, cell: StateCell) -> None:
        self._cell = cell
        # tick, note, pieces
        self._entries: list[tuple[int, Any, int]] = cell.get(TICKS, -1) or []

    def append(self, tick: int, note: Any, chunks: list[Any]) -> None:
        """``chunks`` are whatever the operator stores, mostly bytes."""
        pieces = _pieces(chunks)
        for number, piece in enumerate(pieces):
            self._cell.set(TICKS, tick * _PIECES + number, piece)
        self._entries.append((tick, note, len(pieces)))
        self._save()

    def notes(self, after: int, until: int) -> list[tuple[int, Any]]:
        """The ticks in ``(after, until]``, oldest first, with their notes."""
        return [(tick, note) for tick, note, _ in self._entries if after < tick <= until]

    def chunks(self, tick: int) -> list[Any]:
        """The chunks of a tick."""
        pieces = next(pieces for known, _, pieces in self._entries if known == tick)
        numbers = range(tick * _PIECES, tick * _PIECES + pieces)
        return [chunk for piece in self._cell.get_many(TICKS, numbers) for chunk in piece]

    def drop(self, until: int) -> None:
        """Forget the ticks up to ``until``."""
        gone = [entry for entry in self._entries if entry[0] <= until]
        if not gone:
            return
        for tick, _, pieces in gone:
            for number in range(pieces):
                self._cell.set(TICKS, tick * _PIECES + number, None)
        self._entries = [entry for entry in self._entries if entry[0] > until]
        self._save()

    def _save(self) -> None:
        self._cell.set(TICKS, -1, self._entries or None)


def _pieces(chunks: list[Any]) -> list[list[Any]]:
    pieces: list[list[Any]] = []
    size = _PIECE
    for chunk in chunks:
        length = _length(chunk)
        if size + length > _PIECE and (not pieces or len(pieces) < _PIECES):
            pieces.append([])
            size = 0
        pieces[-1].append(chunk)
        size += length
    return pieces


def _length(chunk: Any) -> int:
    if isinstance(chunk, bytes):
        return len(chunk)
    return sum(map(_length, chunk)) if isinstance(chunk, (tuple, list)) else 64
