"""Keyed state of which a batch touches a part: its cost follows the batch, not the state.

Keys are placed by hash over *pages* (linear hashing: one page at a time is split as the state
grows). What a batch changed is first written as one *recent* entry, whatever the pages it concerns;
every batch then brings one group of pages up to date, so that after as many batches as there are
groups a recent entry is in the pages and goes away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dstream_compat.state.store import Cell

HEAD, PAGES, RECENT = 0, 1, 2
PAGE = 500  # keys
GROUPS = 8
NEVER = 2**62

Item = tuple[Any, int]  # state, when it was last touched


class HashedPages:
    """The state of one partition while a batch works on it.

    Changes are written by :meth:`save`; without it nothing has happened.
    """

    def __init__(self, cell: Cell, hashed: Any) -> None:
        self._cell = cell
        self._hash = hashed
        head = cell.get(HEAD) or {}
        self._count: int = head.get("pages", 1)
        self.keys: int = head.get("keys", 0)
        self._turn: int = head.get("turn", 0)
        self._numbers: list[int] = head.get("recent", [])
        self._oldest: dict[int, int] = head.get("oldest", {})  # last touch of a page's oldest key
        self._recent: dict[Any, Item | None] = {}  # None: the key was removed
        for entry in cell.get_many(RECENT, self._numbers):
            self._recent.update(entry)
        self._changed: dict[Any, Item | None] = {}
        self._pages: dict[int, dict[Any, Item]] = {}

    # -- one key -------------------------------------------------------------------------------

    def fetch(self, keys: Iterable[Any]) -> None:
        """Read the pages that ``keys`` lie on, together."""
        wanted = {self._place(key) for key in keys if key not in self._recent}
        self._load(wanted)

    def get(self, key: Any) -> Item | None:
        for layer in (self._changed, self._recent):
            if key in layer:
                return layer[key]
        return self._page(self._place(key)).get(key)

    def put(self, key: Any, item: Item | None) -> None:
        """None removes."""
        before = self.get(key)
        self.keys += (item is not None) - (before is not None)
        if item is not None or before is not None:
            self._changed[key] = item

    # -- all keys ------------------------------------------------------------------------------

    def items(self) -> Iterator[tuple[Any, Item]]:
        newest = {**self._recent, **self._changed}
        for number in range(self._count):
            for key, item in self._peek(number).items():
                if key not in newest:
                    yield key, item
        for key, changed in newest.items():
            if changed is not None:
                yield key, changed

    def untouched_since(self, moment: int) -> Iterator[tuple[Any, Item]]:
        """The items last touched before ``moment``; pages known to be younger are not read."""
        newest = {**self._recent, **self._changed}
        for number in [n for n, touched in self._oldest.items() if touched < moment]:
            for key, item in self._peek(number).items():
                if key not in newest and item[1] < moment:
                    yield key, item
        for key, changed in newest.items():
            if changed is not None and changed[1] < moment:
                yield key, changed

    def _peek(self, number: int) -> dict[Any, Item]:
        """A page that is not worth keeping in memory."""
        if number in self._pages:
            return self._pages[number]
        page: dict[Any, Item] = self._cell.get(PAGES, number) or {}
        self._cell.buffer.forget_reads()
        return page

    # -- writing -------------------------------------------------------------------------------

    def save(self) -> None:
        """Write what was changed, and bring the pages whose turn it is up to date."""
        newest = {**self._recent, **self._changed}
        if self.keys > 2 * PAGE * self._count and not self._pages_written():
            self._start_over(newest)
        elif newest:
            self._save(newest)
        elif not self._numbers:
            return
        head = {
            "pages": self._count,
            "keys": self.keys,
            "turn": self._turn,
            "recent": self._numbers,
        }
        if self._oldest:
            head["oldest"] = self._oldest
        self._cell.set(HEAD, 0, head)

    def _pages_written(self) -> bool:
        return self._count > 1 or bool(self._oldest) or self._cell.get(PAGES, 0) is not None

    def _start_over(self, items: dict[Any, Item | None]) -> None:
        """An initial state: lay all of it out at once."""
        self._count = max(1, self.keys // PAGE)
        self._flush(set(range(self._count)), items)
        for number in self._numbers:
            self._cell.set(RECENT, number, None)
        self._numbers = []

    def _save(self, newest: dict[Any, Item | None]) -> None:
        group = self._turn % GROUPS
        due = {self._place(key) for key in newest}
        self._flush({number for number in due if number % GROUPS == group}, newest)
        while self.keys > PAGE * self._count:
            self._split(newest)
        self._turn += 1
        if self._changed:
            self._cell.set(RECENT, self._turn, self._changed)
            self._numbers = [*self._numbers, self._turn]
        # an entry has met every group once it has been there for as many turns
        for number in [n for n in self._numbers if n <= self._turn - GROUPS]:
            self._cell.set(RECENT, number, None)
        self._numbers = [n for n in self._numbers if n > self._turn - GROUPS]

    def _flush(self, numbers: set[int], newest: dict[Any, Item | None]) -> None:
        self._load(numbers)
        pages = {number: self._pages[number] for number in numbers}
        for key, item in newest.items():
            page = pages.get(self._place(key))
            if page is None:
                continue
            if item is None:
                page.pop(key, None)
            else:
                page[key] = item
        for number, page in pages.items():
            self._write(number, page)

    def _split(self, newest: dict[Any, Item | None]) -> None:
        """One page more: the next in line gives away those of its keys that now belong there."""
        whole = 1 << (self._count.bit_length() - 1)
        source = self._count - whole
        page = dict(self._page(source))
        for key in page.keys() & newest.keys():
            del page[key]  # recent entries know better
        self._count += 1
        parts: dict[int, dict[Any, Item]] = {source: {}, self._count - 1: {}}
        for key, item in page.items():
            parts[self._place(key)][key] = item
        for key, changed in newest.items():
            place = self._place(key)
            if changed is not None and place in parts:
                parts[place][key] = changed
        for number, part in parts.items():
            self._pages[number] = part
            self._write(number, part)

    def _write(self, number: int, page: dict[Any, Item]) -> None:
        self._cell.set(PAGES, number, page or None)
        oldest = min((touched for _, touched in page.values()), default=NEVER)
        if oldest < NEVER:
            self._oldest[number] = oldest
        else:
            self._oldest.pop(number, None)

    # -- places --------------------------------------------------------------------------------

    def _place(self, key: Any) -> int:
        """Pages 0 … count - 1; those that were not yet split in this round take two shares."""
        mixed = self._hash(key) * 0x9E3779B97F4A7C15 >> 16 & 0xFFFFFFFF
        whole = 1 << (self._count.bit_length() - 1)
        number = mixed % (2 * whole)
        return int(number if number < self._count else number - whole)

    def _page(self, number: int) -> dict[Any, Item]:
        if number not in self._pages:
            self._load({number})
        return self._pages[number]

    def _load(self, numbers: Iterable[int]) -> None:
        missing = [number for number in numbers if number not in self._pages]
        for number, page in zip(missing, self._cell.get_many(PAGES, missing), strict=True):
            self._pages[number] = page or {}
