"""Keyed state in pages: many keys in one value of the store, because a call costs more than a page.

A page is read and written as a whole; keys stay in the order in which they arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dstream_compat.stages.state.store import StateCell

HEAD, PAGES = 0, 1
PAGE = 2000  # keys
_AT_ONCE = 32  # pages fetched together


class OrderedPages:
    """State that every batch goes through from end to end, in order of arrival."""

    def __init__(self, cell: StateCell) -> None:
        self._cell = cell
        head = cell.get(HEAD) or {"pages": [], "sizes": [], "next": 0}
        self._numbers: list[int] = head["pages"]
        self._sizes: list[int] = head["sizes"]
        self._next: int = head["next"]
        self.extra: dict[str, Any] = head.get("extra", {})  # of the operator
        cell.count(len(self))

    def __len__(self) -> int:
        return sum(self._sizes)

    def items(self) -> Iterator[tuple[Any, Any]]:
        for page in self._read(list(self._numbers)):
            yield from page.items()

    def _read(self, numbers: list[int]) -> Iterator[dict[Any, Any]]:
        for at in range(0, len(numbers), _AT_ONCE):
            yield from self._cell.get_many(PAGES, numbers[at : at + _AT_ONCE])

    def rewrite(
        self,
        change: Callable[[dict[Any, Any]], dict[Any, Any]],
        fresh: Callable[[], dict[Any, Any]],
    ) -> None:
        """Put every page through ``change``, then append what ``fresh`` gives.

        A page that has become small is merged with the next one.
        """
        old, self._numbers, self._sizes = self._numbers, [], []
        open_number: int | None = None  # of the page that still has room
        room: dict[Any, Any] = {}
        for number, page in zip(old, self._read(old), strict=True):
            page = change(page)
            if open_number is not None and len(room) < PAGE // 4:
                self._cell.set(PAGES, number, None)
                room.update(page)
                continue
            if open_number is not None:
                self._write(open_number, room)
            open_number, room = number, page
        rest = fresh()
        if open_number is not None and len(room) >= PAGE:
            self._write(open_number, room)
            open_number, room = None, {}
        listed = [*room.items(), *rest.items()] if rest else None
        if listed is None:
            if open_number is not None:
                self._write(open_number, room)
        else:
            for at in range(0, len(listed), PAGE):
                if open_number is None:
                    open_number, self._next = self._next, self._next + 1
                self._write(open_number, dict(listed[at : at + PAGE]))
                open_number = None
        self.save()

    def _write(self, number: int, page: dict[Any, Any]) -> None:
        if not page:
            self._cell.set(PAGES, number, None)
            return
        self._cell.set(PAGES, number, page)
        self._numbers.append(number)
        self._sizes.append(len(page))

    def save(self) -> None:
        head = {"pages": self._numbers, "sizes": self._sizes, "next": self._next}
        if self.extra:
            head["extra"] = self.extra
        self._cell.set(HEAD, 0, head)
        self._cell.count(len(self))

    def clear(self) -> None:
        """Leave nothing, not even a count of keys."""
        for number in self._numbers:
            self._cell.set(PAGES, number, None)
        self._cell.set(HEAD, 0, None)
        self._cell.count(-1)
