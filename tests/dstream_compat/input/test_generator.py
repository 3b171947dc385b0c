"""Ticks: on the grid, none skipped, none after stop."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from dstream_compat.input import generator as generator_module
from dstream_compat.input.clock import ManualClock
from dstream_compat.input.generator import Generator
from dstream_compat.input.source import InputSource
from dstream_compat.stages.partitions import Batch, BrokenPartition


class Recording(InputSource):
    """An input source that remembers when it was asked, and fails when reported to."""

    on_demand = True

    def __init__(self, fails_at: int | None = None) -> None:
        self.fails_at = fails_at

    def take(self, tick: int) -> Batch:
        if tick == self.fails_at:
            raise OSError("cannot list")
        return Batch()


class Log:
    def __init__(self) -> None:
        self.ticks: list[int] = []
        self.batches: list[dict[int, Batch]] = []
        self.grown = threading.Condition()

    def __call__(self, tick: int, batches: dict[int, Batch]) -> None:
        with self.grown:
            self.ticks.append(tick)
            self.batches.append(batches)
            self.grown.notify_all()

    def wait(self, count: int) -> None:
        with self.grown:
            assert self.grown.wait_for(lambda: len(self.ticks) >= count, 10)


def started(clock: ManualClock, source: Any, first: int = 1000) -> tuple[Generator, Log]:
    log = Log()
    generator = Generator(clock, 500, {7: source}, log)
    generator.start(first)
    return generator, log


def test_ticks_follow_the_grid_and_none_is_skipped_when_the_clock_jumps() -> None:
    clock = ManualClock(0)
    generator, log = started(clock, Recording())
    clock.advance(2600)
    log.wait(4)
    generator.stop()
    assert log.ticks == [1000, 1500, 2000, 2500]


def test_no_tick_after_stop() -> None:
    clock = ManualClock(0)
    generator, log = started(clock, Recording())
    generator.stop()
    clock.advance(5000)
    assert log.ticks == []


def test_one_failing_input_does_not_stop_the_clock() -> None:
    clock = ManualClock(0)
    generator, log = started(clock, Recording(fails_at=1000))
    clock.advance(1500)
    log.wait(2)
    generator.stop()
    assert log.batches[0][7].partitions == (BrokenPartition("OSError: cannot list"),)
    assert log.batches[1][7] == Batch()


def test_a_graceful_end_takes_the_pending_tick_and_one_more() -> None:
    clock = ManualClock(0)
    generator, log = started(clock, Recording())
    finisher = threading.Thread(target=generator.finish, args=(10,))
    finisher.start()
    clock.advance(9000)
    finisher.join(10)
    assert log.ticks == [1000, 1500]


def test_inputs_that_work_on_demand_are_skipped_when_no_output_asks() -> None:
    received = Recording()
    received.on_demand = False
    log = Log()
    generator = Generator(
        ManualClock(0),
        500,
        {0: Recording(), 1: received},
        log,
        asks=lambda source, tick: tick % 1000 == 0,
    )
    generator.start(500)
    for _ in range(3):
        generator.tick_now()
    generator.stop()
    assert [sorted(batches) for batches in log.batches] == [[1], [0, 1], [1]]


def test_a_tick_that_cannot_be_logged_is_told_once_and_tried_until_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(generator_module, "_RETRY", 0.01)
    clock, log = ManualClock(0), Log()
    attempts: list[tuple[int, dict[int, Batch]]] = []
    reported: list[str] = []

    def write(tick: int, batches: dict[int, Batch]) -> None:
        attempts.append((tick, batches))
        if 2 <= len(attempts) <= 4:
            raise OSError(28, "No space left on device")
        log(tick, batches)

    generator = Generator(clock, 500, {7: Recording()}, write, failed=reported.append)
    generator.start(1000)
    clock.advance(2100)
    log.wait(3)
    generator.stop()
    assert log.ticks == [1000, 1500, 2000]
    assert [tick for tick, _ in attempts] == [1000, 1500, 1500, 1500, 1500, 2000]
    assert all(batches is attempts[1][1] for _, batches in attempts[1:5])  # taken once
    assert reported == [
        "the input of batch 1500 could not be logged yet: OSError: [Errno 28] "
        "No space left on device"
    ]


def test_a_stop_does_not_wait_for_a_log_that_cannot_be_written() -> None:
    clock = ManualClock(0)
    refused = threading.Event()

    def refuse(tick: int, batches: dict[int, Batch]) -> None:
        refused.set()
        raise OSError("away")

    generator = Generator(clock, 500, {}, refuse)
    generator.start(1000)
    clock.advance(2000)
    assert refused.wait(10)
    generator.finish(0.1)
    assert not generator._thread.is_alive()
