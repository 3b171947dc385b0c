"""Examples of a strategy as a list, the same for the same seed."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

T = TypeVar("T")


def examples(strategy: st.SearchStrategy[T], count: int, *, seed: int = 0) -> list[T]:
    """``count`` values, or fewer if there are not that many different ones.

    For replays on Spark, which cost too much to run one by one: many cases go into one.
    """
    found: list[T] = []

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @seeded(seed)
    @given(strategy)
    def collect(value: T) -> None:
        found.append(value)

    collect()
    return found
