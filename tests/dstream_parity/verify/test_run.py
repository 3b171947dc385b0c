"""A run on a fake engine: which thread runs the batches, and which waits for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from dstream_parity.verify.child.run import Run
from dstream_parity.verify.inputs.feeds import Feed, Partitions

TIMEOUT = 30


class Fake:
    """An engine whose batches end when they are allowed to."""

    name = "fake"
    context = stream = None

    def __init__(self) -> None:
        self.ticking, self.go_on = threading.Event(), threading.Event()
        self.ticks = 0
        self.driven_when_stopped: list[bool] = []
        self.run: Run | None = None

    def feed(self, ssc: Any, batches: Sequence[Partitions]) -> Any:
        return object()

    def interval_ms(self, ssc: Any) -> int:
        return 1000

    def start(self, ssc: Any, first_ms: int) -> None:
        pass

    def tick(self, ssc: Any, timeout: float) -> BaseException | None:
        self.ticks += 1
        self.ticking.set()
        assert self.go_on.wait(TIMEOUT)
        return None

    def stop(self, ssc: Any) -> None:
        assert self.run is not None
        self.driven_when_stopped.append(self.run.driven)


class Awaited(threading.Event):
    """An event that tells when something begins to wait for it."""

    def __init__(self, tell: Callable[[], None]) -> None:
        super().__init__()
        self._tell = tell

    def wait(self, timeout: float | None = None) -> bool:
        self._tell()
        return super().wait(TIMEOUT)


def started() -> tuple[Fake, Run, object, list[str]]:
    engine, told, ssc = Fake(), list[str](), object()
    engine.run = Run(
        engine,
        Feed(count=3),
        run_outputs=False,
        batch_timeout=1.0,
        checkpoint_directory=lambda: "",
        tell=lambda event, **facts: told.append(event),
    )
    engine.run.start(ssc)
    return engine, engine.run, ssc, told


def test_what_is_through_counts_as_such_only_when_the_engine_has_stopped() -> None:
    engine, run, ssc, told = started()
    engine.go_on.set()
    run.drive(ssc)
    assert engine.driven_when_stopped == [False]
    assert run.driven
    assert told == ["started", "batch", "batch", "batch", "through"]


def test_a_job_that_does_not_ask_for_its_batches_is_seen_to_wait() -> None:
    engine, run, ssc, _ = started()
    assert run.waits_for(0)
    assert not run.waits_for(3600)
    engine.go_on.set()
    run.drive(ssc)
    assert not run.waits_for(0)


def test_a_job_that_asks_or_stops_while_its_batches_run_elsewhere_waits_for_all_of_them() -> None:
    for ask in (Run.drive, Run.stop):
        engine, run, ssc, told = started()
        elsewhere = threading.Thread(target=run.drive, args=(ssc,))
        elsewhere.start()
        assert engine.ticking.wait(TIMEOUT)
        run._over = Awaited(engine.go_on.set)
        ask(run, ssc)
        assert (engine.ticks, told[-1]) == (3, "through")
        assert run.seen.notes == []
        elsewhere.join(TIMEOUT)


def test_a_stop_that_comes_from_a_batch_ends_the_job_with_that_batch() -> None:
    engine, run, ssc, _ = started()
    elsewhere = threading.Thread(target=run.drive, args=(ssc,))
    elsewhere.start()
    assert engine.ticking.wait(TIMEOUT)
    batch = threading.Thread(target=run.stop, args=(ssc,))
    batch.start()
    batch.join(TIMEOUT)
    engine.go_on.set()
    elsewhere.join(TIMEOUT)
    assert engine.ticks == 1
    assert run.seen.notes[0].startswith("the job stopped itself in batch 1 of 3 (stop at ")
