"""Batch times: where the grid begins, and what lies on it."""

from __future__ import annotations

import pytest

from dstream_compat.engine.grid import Grid


def grid(zero: int = 500, interval_ms: int = 1000) -> Grid:
    made = Grid(interval_ms)
    made.begin(zero)
    return made


def test_a_new_job_begins_at_the_next_full_interval_and_never_now() -> None:
    assert [grid().next_tick(None, now) for now in (4999, 5000, 5001)] == [5000, 6000, 6000]


def test_a_restart_makes_up_for_missed_ticks() -> None:
    assert grid().next_tick(last=2500, now_ms=60_000) == 3500


def test_a_stream_is_due_at_multiples_of_its_slide_after_zero() -> None:
    ticks = range(1500, 7000, 1000)
    assert [tick for tick in ticks if grid().due(tick, 3000)] == [3500, 6500]


def test_a_time_between_two_batches_counts_as_the_earlier_one() -> None:
    assert [grid().floor(ms) for ms in (1499, 1500, 2499)] == [500, 1500, 1500]


def test_there_are_no_batch_times_before_the_grid_begins() -> None:
    with pytest.raises(RuntimeError, match="not known yet"):
        Grid(1000).due(1000, 1000)
