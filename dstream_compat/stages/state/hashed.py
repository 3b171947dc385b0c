"""Keyed state of which a batch touches only part: the cost follows the batch, not the state.

Keys are placed on *pages* by their hash (linear hashing: as the state grows, one page at a time is
split). A batch's changes are first written as one *recent* entry, whichever pages they concern.
Every batch then brings one group of pages up to date, so after as many batches as there are groups
a recent entry is on the pages and can go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dstream_compat.base.pyspark_internals import portable_hash
from dstream_compat.stages.state.slab import EMPTY, NEVER, Item, Slab
from dstream_compat.stages.state.store import StateCell

HEAD, PAGES, RECENT = 0, 1, 2
PAGE = 1000  # keys
GROUPS = 8

_PLAIN = frozenset((str, bytes, int, float))
Change = tuple[int, Item | None]  # hash, item; None: the key was removed


class HashedPages:
    """The state of one partition while a batch works on it.

    Nothing is written before :meth:`save`.
    """

    def __init__(self, cell: StateCell) -> None:
        self._cell = cell
        self._hashes: dict[Any, int] = {}  # of the keys at hand
        known = cell.get(HEAD)
        self._unwritten = known is None
        head = known or {}
        self._count: int = head.get("pages", 1)
        self.keys: int = head.get("keys", 0)
        self._turn: int = head.get("turn", 0)
        self._numbers: list[int] = head.get("recent", [])
        self._oldest: dict[int, int] = head.get("oldest", {})  # touch of a page's oldest key
        self._recent: dict[Any, Change] = {}
        for entry in cell.get_many(RECENT, self._numbers):
            self._recent.update(entry)
        self._changed: dict[Any, Change] = {}
        self._pages: dict[int, Slab] = {}
        cell.count(self.keys)

    # -- one key -------------------------------------------------------------------------------

    def fetch(self, keys: Iterable[Any]) -> None:
        """Read the pages that ``keys`` lie on, together."""
        recent = self._recent
        self._load({self._place(self._mixed(key)) for key in keys if key not in recent})

    def get(self, key: Any) -> Item | None:
        for layer in (self._changed, self._recent):
            change = layer.get(key)
            if change is not None:
                return change[1]
        mixed = self._mixed(key)
        return self._page(self._place(mixed)).find(mixed >> 16, key)

    def put(self, key: Any, item: Item | None, existed: bool) -> None:
        """None removes; ``existed`` says whether :meth:`get` gave anything."""
        self.keys += (item is not None) - existed
        if item is not None or existed:
            self._changed[key] = (self._mixed(key), item)

    # -- all keys ------------------------------------------------------------------------------

    def items(self) -> Iterator[tuple[Any, Item]]:
        return self._older_than(NEVER + 1, range(self._count))

    def untouched_since(self, moment: int) -> Iterator[tuple[Any, Item]]:
        """The items last touched before ``moment``. Pages known to be younger are not read."""
        pages = [number for number, touched in self._oldest.items() if touched < moment]
        return self._older_than(moment, pages)

    def _older_than(self, moment: int, pages: Iterable[int]) -> Iterator[tuple[Any, Item]]:
        newest = {**self._recent, **self._changed}
        for number in pages:
            for key, item in self._peek(number).items(moment):
                if key not in newest:
                    yield key, item
        for key, (_, changed) in newest.items():
            if changed is not None and changed[1] < moment:
                yield key, changed

    def _peek(self, number: int) -> Slab:
        """A page, read without keeping it in memory."""
        if number in self._pages:
            return self._pages[number]
        content = self._cell.get(PAGES, number)
        self._cell.buffer.forget_reads()
        return Slab(content) if content else EMPTY

    # -- writing -------------------------------------------------------------------------------

    def save(self) -> None:
        """Write the changes, and bring the pages whose turn it is up to date."""
        self._cell.count(self.keys)
        if not self._changed and not self._numbers:
            return
        newest = {**self._recent, **self._changed}
        if self._is_new() and self.keys > PAGE:
            # an initial state is put on pages right away
            self._count = self.keys // PAGE
            self._flush(range(self._count), newest)
        else:
            self._save(newest)
        head = {
            "pages": self._count,
            "keys": self.keys,
            "turn": self._turn,
            "recent": self._numbers,
        }
        if self._oldest:
            head["oldest"] = self._oldest
        self._cell.set(HEAD, 0, head)
        self._unwritten = False

    def _is_new(self) -> bool:
        """Whether no key is on a page yet: only then may their number change at will."""
        return self._unwritten

    def _save(self, newest: dict[Any, Change]) -> None:
        group = self._turn % GROUPS
        self._flush(range(group, self._count, GROUPS), newest)
        while self.keys > PAGE * self._count:
            self._split(newest)
        self._turn += 1
        if self._changed:
            self._cell.set(RECENT, self._turn, self._changed)
            self._numbers = [*self._numbers, self._turn]
        # an entry has met every group once it has been there for as many turns
        gone = self._turn - GROUPS
        for number in self._numbers:
            if number <= gone:
                self._cell.set(RECENT, number, None)
        self._numbers = [number for number in self._numbers if number > gone]

    def _flush(self, numbers: range, newest: dict[Any, Change]) -> None:
        """Bring those pages of ``numbers`` that have changes up to date."""
        due: dict[int, list[tuple[int, Any, Item | None]]] = {}
        whole = 1 << (self._count.bit_length() - 1)
        wanted = set(numbers)
        for key, (mixed, item) in newest.items():
            place = mixed & (2 * whole - 1)
            if place >= self._count:
                place -= whole
            if place in wanted:
                due.setdefault(place, []).append((mixed >> 16, key, item))
        self._load(due)
        for number, changes in due.items():
            self._write(number, self._pages[number].changed(changes))

    def _split(self, newest: dict[Any, Change]) -> None:
        """Add a page: the next one in line gives up the keys that now belong there."""
        whole = 1 << (self._count.bit_length() - 1)
        source, target = self._count - whole, self._count
        # what is recent there must not be forgotten when its old place has had its turn
        self._flush(range(source, source + 1), newest)
        self._count += 1
        moved = []
        for key, item in self._page(source).items():
            mixed = self._mixed(key)
            if self._place(mixed) == target:
                moved.append((mixed >> 16, key, item))
        self._write(target, EMPTY.changed(moved))
        self._write(source, self._page(source).changed((mark, key, None) for mark, key, _ in moved))

    def _write(self, number: int, content: bytes) -> None:
        slab = Slab(content)
        self._pages[number] = slab
        self._cell.set(PAGES, number, content if len(slab) else None)
        oldest = slab.oldest
        if oldest < NEVER:
            self._oldest[number] = oldest
        else:
            self._oldest.pop(number, None)

    # -- places --------------------------------------------------------------------------------

    def _mixed(self, key: Any) -> int:
        """32 bits of the hash; not its lowest ones, which have already chosen the partition."""
        known = self._hashes.get(key)
        if known is None:
            # the latter also takes None, but looks at the environment every time
            hashed = hash(key) if type(key) in _PLAIN else portable_hash(key)
            known = self._hashes[key] = hashed * 0x9E3779B97F4A7C15 >> 16 & 0xFFFFFFFF
        return known

    def _place(self, mixed: int) -> int:
        """Pages 0 … count - 1; those not yet split in this round hold two shares."""
        whole = 1 << (self._count.bit_length() - 1)
        number = mixed & (2 * whole - 1)
        return number if number < self._count else number - whole

    def _page(self, number: int) -> Slab:
        if number not in self._pages:
            self._load((number,))
        return self._pages[number]

    def _load(self, numbers: Iterable[int]) -> None:
        missing = [number for number in numbers if number not in self._pages]
        for number, content in zip(missing, self._cell.get_many(PAGES, missing), strict=True):
            self._pages[number] = Slab(content) if content else EMPTY
