"""Pages hold what was put into them, however few keys there are to a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from dstream_compat.stages.state import hashed, pages
from dstream_compat.stages.state.hashed import HashedPages
from dstream_compat.stages.state.pages import OrderedPages
from dstream_compat.stages.state.store import Buffer, Key, MemoryStore, StateCell

KEYS = st.one_of(
    st.integers(0, 60),
    st.integers(0, 30).map("k{}".format),
    st.tuples(KEY := st.integers(0, 9), KEY),
)
PROPERTY = settings(max_examples=200, deadline=None, derandomize=True, database=None)


class Stored:
    """One partition's share of a store, opened anew for every batch."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.buffer = Buffer(self.store)

    def open(self) -> StateCell:
        self.buffer = Buffer(self.store)
        return StateCell(self.buffer, 0, 0)

    def save(self) -> None:
        self.buffer.keep()
        self.buffer.flush()

    def pages(self) -> int:
        return sum(space == 1 for _, _, space, _ in self.store.values)


def put(stored: Stored, keys: Any, value: Any = 0) -> None:
    state = HashedPages(stored.open())
    state.fetch(keys)
    for key in keys:
        state.put(key, (value, 0), state.get(key) is not None)
    state.save()
    stored.save()


def test_keys_of_the_first_batches_are_found_when_the_state_has_grown() -> None:
    stored = Stored()
    put(stored, range(1500))
    put(stored, range(1500, 2100))
    state = HashedPages(stored.open())
    assert [key for key in range(2100) if state.get(key) is None] == []
    assert sorted(key for key, _ in state.items()) == list(range(2100))


class Counting(MemoryStore):
    """Notes which pages were read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: set[int] = set()

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        self.read |= {number for _, _, space, number in keys if space == hashed.PAGES}
        return super().get_many(keys)


def test_only_pages_that_lately_had_records_are_read() -> None:
    stored = Stored()
    stored.store = counting = Counting()
    put(stored, range(50_000))
    assert stored.pages() == 50
    for tick in range(2 * hashed.GROUPS):
        counting.read.clear()
        put(stored, (tick, tick + 1), tick)
        assert len(counting.read) <= hashed.GROUPS + 1, tick  # pages of keys of as many batches
    counting.read.clear()
    state = HashedPages(stored.open())
    assert len(list(state.untouched_since(-1))) == 0
    assert counting.read == set()


@PROPERTY
@given(
    st.integers(2, 5),
    st.lists(st.lists(st.tuples(KEYS, st.booleans()), max_size=40), min_size=1, max_size=20),
    st.integers(1, 6),
)
def test_hashed_pages_are_a_dict(page: int, batches: list[Any], memory: int) -> None:
    stored, expected = Stored(), dict[Any, Any]()
    with patch.object(hashed, "PAGE", page):
        for tick, batch in enumerate(batches):
            state = HashedPages(stored.open())
            state.fetch({key for key, _ in batch})
            for number, (key, removes) in enumerate(batch):
                assert state.get(key) == expected.get(key)
                state.put(key, None if removes else (number, tick), key in expected)
                expected.pop(key, None)
                if not removes:
                    expected[key] = (number, tick)
            old = {key: item for key, item in expected.items() if item[1] < tick - memory}
            assert dict(state.untouched_since(tick - memory)) == old
            state.save()
            stored.save()
            again = HashedPages(stored.open())
            items = list(again.items())
            assert (dict(items), len(items), again.keys) == (expected, len(expected), len(expected))


@PROPERTY
@given(
    st.integers(2, 5),
    st.lists(st.tuples(st.integers(0, 30), st.sets(st.integers(0, 4))), min_size=1, max_size=15),
)
def test_ordered_pages_are_a_dict_in_order(page: int, batches: list[Any]) -> None:
    stored, expected = Stored(), dict[Any, int]()
    with patch.object(pages, "PAGE", page):
        for tick, (fresh, dropped) in enumerate(batches):

            def change(held: dict[Any, int], dropped: set[int] = dropped) -> dict[Any, int]:
                return {k: v + 1 for k, v in held.items() if sum(k) % 5 not in dropped}

            new = {(tick, number): 0 for number in range(fresh)}
            OrderedPages(stored.open()).rewrite(change, lambda new=new: new)
            stored.save()
            expected = {**change(expected), **new}
            again = OrderedPages(stored.open())
            assert list(again.items()) == list(expected.items())
            assert stored.pages() == len(again._numbers)
