"""Making a failing example smaller, whatever it is made of."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")
S = TypeVar("S", bound=Sequence[Any])


def shrunk(
    example: T,
    smaller: Callable[[T], Iterable[T]],
    failing: Callable[[Sequence[T]], Sequence[bool]],
    *,
    seconds: float,
    size: Callable[[T], Any] = lambda _: 0,
    at_once: int = 1,
) -> T:
    """The smallest failing example that was found in the time given; ``example`` itself fails.

    ``smaller`` gives candidates, the boldest first. ``failing`` is asked which of them fail,
    ``at_once`` at a time; of several that do, the one of the least ``size`` is made smaller next.

    >>> shrunk((3, 7, 1), fewer, lambda asked: [7 in e for e in asked], seconds=5)
    (7,)
    """
    deadline = time.monotonic() + seconds
    tried: list[T] = []

    def untried(example: T) -> Iterator[T]:
        for candidate in smaller(example):
            if candidate not in tried:
                tried.append(candidate)
                yield candidate

    found: T | None = example
    while found is not None:
        example, found = found, None
        candidates = untried(example)
        while found is None and time.monotonic() <= deadline:
            asked = list(islice(candidates, at_once))
            if not asked:
                break
            verdicts = zip(asked, failing(asked), strict=True)
            found = min((e for e, fails in verdicts if fails), key=size, default=None)
    return example


def fewer(elements: S) -> Iterator[S]:
    """Parts of a sequence: its halves, then all but one element."""
    half = len(elements) // 2
    if half > 1:
        yield elements[:half]  # type: ignore[misc]
        yield elements[half:]  # type: ignore[misc]
    for at in range(len(elements)):
        yield elements[:at] + elements[at + 1 :]  # type: ignore[operator]
