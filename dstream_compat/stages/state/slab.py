"""A page of keyed state in which single keys are found without unpickling the others.

Four arrays, one after the other: marks (16 bits of hash each, sorted), times of the last touch,
lengths, and the pickled ``[key, state]`` pairs. Kept small: reading from the store costs by the
byte.
"""

from __future__ import annotations

import pickle
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

from dstream_compat.stages.chunks import dumps

Item = tuple[Any, int]  # state, when it was last touched
NEVER = 2**62  # the touch of state that cannot time out


class Slab:
    """An immutable page."""

    __slots__ = ("_blob", "_ends", "_lengths", "_marks", "_touches")

    def __init__(self, content: bytes) -> None:
        view = memoryview(content)
        n = int.from_bytes(view[:4], "little")
        self._marks = view[4 : 4 + 2 * n].cast("H")
        self._touches = view[4 + 2 * n : 4 + 10 * n].cast("q")
        self._lengths = view[4 + 10 * n : 4 + 14 * n].cast("I")
        self._blob = view[4 + 14 * n :]
        self._ends = [0, *accumulate(self._lengths)]  # the pair at i lies in ends[i] … ends[i + 1]

    def __len__(self) -> int:
        return len(self._marks)

    def find(self, mark: int, key: Any) -> Item | None:
        at = self._position(mark, key)
        if at is None:
            return None
        return pickle.loads(self._pair(at))[1], self._touches[at]

    def _position(self, mark: int, key: Any) -> int | None:
        marks = self._marks
        at = bisect_left(marks, mark)
        while at < len(marks) and marks[at] == mark:
            if pickle.loads(self._pair(at))[0] == key:
                return at
            at += 1
        return None

    def items(self, before: int = NEVER + 1) -> Iterator[tuple[Any, Item]]:
        """``key, item`` for everything last touched before a moment."""
        for at, touched in enumerate(self._touches):
            if touched < before:
                key, state = pickle.loads(self._pair(at))
                yield key, (state, touched)

    @property
    def oldest(self) -> int:
        """The earliest touch on this page; NEVER if nothing can time out."""
        return min(self._touches, default=NEVER)

    def _pair(self, at: int) -> memoryview:
        return self._blob[self._ends[at] : self._ends[at + 1]]

    def changed(self, items: Iterable[tuple[int, Any, Item | None]]) -> bytes:
        """This page with some ``mark, key, item`` set, or removed where the item is None."""
        edits: list[tuple[int, int, Any, Item | None]] = []  # where, entries replaced, key, item
        for mark, key, item in sorted(items, key=lambda entry: entry[0]):
            at = self._position(mark, key)
            if at is not None:
                edits.append((at, 1, (mark, key), item))
            elif item is not None:
                edits.append((bisect_left(self._marks, mark), 0, (mark, key), item))
        edits.sort(key=lambda edit: (edit[0], edit[1]))
        marks, touches, lengths = array("H"), array("q"), array("I")
        pieces: list[Any] = []
        copied = 0

        def copy(until: int) -> None:
            if copied < until:
                marks.extend(self._marks[copied:until])
                touches.extend(self._touches[copied:until])
                lengths.extend(self._lengths[copied:until])
                pieces.append(self._blob[self._ends[copied] : self._ends[until]])

        for at, replaced, (mark, key), item in edits:
            copy(at)
            copied = at + replaced
            if item is not None:
                pair = dumps([key, item[0]])
                marks.append(mark)
                touches.append(item[1])
                lengths.append(len(pair))
                pieces.append(pair)
        copy(len(self))
        size = len(marks).to_bytes(4, "little")
        arrays = (marks.tobytes(), touches.tobytes(), lengths.tobytes())
        return b"".join((size, *arrays, *pieces))


EMPTY = Slab((0).to_bytes(4, "little"))
