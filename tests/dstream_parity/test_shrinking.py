"""Smaller examples of any kind: what is asked, in which order, and when it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dstream_parity.base.shrinking import fewer, shrunk

Numbers = tuple[int, ...]


def sevens(asked: Sequence[Numbers]) -> list[bool]:
    return [example.count(7) >= 2 for example in asked]


def test_the_smallest_failing_example_is_found() -> None:
    assert shrunk((3, 7, 1, 7, 9, 9, 2), fewer, sevens, seconds=60) == (7, 7)


def test_no_candidate_is_asked_twice() -> None:
    asked: list[Numbers] = []

    def failing(some: Sequence[Numbers]) -> list[bool]:
        asked.extend(some)
        return sevens(some)

    shrunk((7, 7, 1, 1, 1, 1), fewer, failing, seconds=60)
    assert len(asked) == len(set(asked))


def test_of_several_that_fail_the_smallest_is_taken() -> None:
    sizes: list[int] = []

    def smaller(example: Numbers) -> list[Numbers]:
        sizes.append(len(example))
        return [example[1:], example[2:], example[3:]]

    shrunk((1, 2, 3, 7, 7), smaller, sevens, seconds=60, size=len, at_once=3)
    assert sizes == [5, 2]


def test_candidates_are_made_only_as_they_are_asked() -> None:
    made: list[Numbers] = []

    def smaller(example: Numbers) -> Iterator[Numbers]:
        for at in range(1, len(example)):
            made.append(example[at:])
            yield example[at:]

    assert shrunk((7, 7, 7), smaller, sevens, seconds=60) == (7, 7)
    assert made == [(7, 7), (7,)]


def test_when_the_time_is_up_the_example_stays_as_it_is() -> None:
    assert shrunk((7, 7, 1), fewer, sevens, seconds=-1) == (7, 7, 1)


def test_halves_come_first() -> None:
    assert list(fewer("abcd")) == ["ab", "cd", "bcd", "acd", "abd", "abc"]
    assert list(fewer("ab")) == ["b", "a"]
