from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from dstream_compat.input import receiver_source as receiver_module
from dstream_compat.input.blocks import DirectoryBlockStore, MemoryBlockStore
from dstream_compat.input.receiver import Receiver
from dstream_compat.input.receiver_source import ReceiverSource
from dstream_compat.input.storage import LocalStorage
from dstream_compat.stages.partitions import Batch, InputInfo, Partition, Stored, read_partition

LIMIT = 10.0  # seconds a test waits before it fails
NEVER = 10**12  # ms: no block is cut, no restart comes while a test runs


class Events:
    """Collects what a source tells, and waits for it."""

    def __init__(self) -> None:
        self.all: list[tuple[str, dict[str, Any]]] = []
        self._changed = threading.Condition()

    def __call__(self, kind: str, fields: dict[str, Any]) -> None:
        with self._changed:
            self.all.append((kind, fields))
            self._changed.notify_all()

    def wait(self, *kinds: str) -> list[dict[str, Any]]:
        """Wait until as many events came, and check that they were these."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.all) >= len(kinds), LIMIT)
            assert [kind for kind, _ in self.all] == list(kinds)
            return [fields for _, fields in self.all]


class Quiet(Receiver):
    """Does nothing by itself; counts its starts and stops."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []

    def onStart(self) -> None:
        self.calls.append("start")

    def onStop(self) -> None:
        self.calls.append("stop")


class Store(MemoryBlockStore):
    """Tells of each block, and fails while told to."""

    def __init__(self) -> None:
        self.failing = False
        self.put_called = threading.Event()

    def put(self, stream_id: int, chunks: Sequence[bytes], records: int) -> Partition:
        self.put_called.set()
        if self.failing:
            raise OSError("disk full")
        return super().put(stream_id, chunks, records)


Make = Callable[..., tuple[ReceiverSource, Events]]


@pytest.fixture
def make() -> Iterator[Make]:
    sources: list[ReceiverSource] = []

    def build(receiver: Receiver, **settings: Any) -> tuple[ReceiverSource, Events]:
        events = Events()
        settings = {"store": MemoryBlockStore(), "block_interval_ms": NEVER, **settings}
        source = ReceiverSource(receiver, 3, on_event=events, **settings)
        sources.append(source)
        return source, events

    yield build
    for source in sources:
        source.stop()


def elements(batch: Batch) -> list[list[Any]]:
    """The elements of a batch, block by block."""
    return [[e for chunk in read_partition(p) for e in chunk] for p in batch.partitions]


def take_all(source: ReceiverSource, count: int) -> list[Any]:
    """Take batches until ``count`` elements came."""
    got: list[Any] = []
    pause = threading.Event()
    for _ in range(int(LIMIT / 0.01)):
        got += [element for block in elements(source.take(0)) for element in block]
        if len(got) >= count:
            break
        pause.wait(0.01)
    return got


def test_calls_on_a_receiver_without_a_stream_say_so() -> None:
    receiver = Quiet()
    calls: list[Callable[[], Any]] = [
        lambda: receiver.store(1),
        lambda: receiver.storeAll([1]),
        lambda: receiver.restart("x"),
        lambda: receiver.stop("x"),
        lambda: receiver.reportError("x", ValueError()),
        receiver.isStarted,
        receiver.isStopped,
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="Quiet does not belong to a stream yet"):
            call()
    assert receiver.streamId == -1


def test_a_receiver_that_never_called_its_base_constructor_works(make: Make) -> None:
    class Bare(Quiet):
        def __init__(self) -> None:
            self.calls = []

    receiver = Bare()
    source, events = make(receiver)
    source.start(0)
    events.wait("started")
    receiver.store(1)
    source.stop()
    assert elements(source.take(0)) == [[1]]


def test_an_attached_receiver_can_be_pickled_and_comes_back_without_its_stream(make: Make) -> None:
    receiver = Quiet()
    make(receiver)
    assert receiver.streamId == 3
    assert pickle.loads(pickle.dumps(receiver)).streamId == -1


def test_the_block_under_construction_is_not_taken_until_stop_flushes_it(make: Make) -> None:
    receiver = Quiet()
    source, events = make(receiver)
    source.start(0)
    events.wait("started")
    for element in ("a", "b"):
        receiver.store(element)
    assert source.take(1000) == Batch((), InputInfo(records=0))
    source.stop()
    assert not source.drained()
    batch = source.take(2000)
    assert elements(batch) == [["a", "b"]]
    assert batch.info == InputInfo(records=2)
    assert source.drained()


def test_blocks_are_cut_at_the_interval_without_being_asked(make: Make) -> None:
    receiver = Quiet()
    source, _ = make(receiver, block_interval_ms=5)
    source.start(0)
    for number in range(100):
        receiver.store(number)
    assert take_all(source, 100) == list(range(100))


def test_intervals_in_which_nothing_came_make_no_block(make: Make) -> None:
    receiver = Quiet()
    store = Store()
    source, _ = make(receiver, block_interval_ms=1, store=store)
    source.start(0)
    assert not store.put_called.wait(0.05)
    receiver.store(1)
    assert store.put_called.wait(LIMIT)


def test_storeAll_makes_a_block_of_its_own_that_is_durable_on_return(
    make: Make, tmp_path: Path
) -> None:
    receiver = Quiet()
    source, _ = make(receiver, store=DirectoryBlockStore(LocalStorage(tmp_path)))
    source.start(0)
    receiver.store("single")
    receiver.storeAll(n for n in range(3))
    receiver.storeAll([])
    receiver.storeAll([3])
    on_disk = DirectoryBlockStore(LocalStorage(tmp_path)).pending(3, ())
    batch = source.take(0)
    assert elements(batch) == [[0, 1, 2], [3]]
    assert batch.partitions == tuple(on_disk)
    assert batch.info == InputInfo(records=4)


def test_store_is_rate_limited_and_storeAll_is_not(make: Make) -> None:
    receiver = Quiet()
    source, _ = make(receiver, max_rate=0.001)
    source.start(0)
    receiver.store(1)
    blocked = threading.Thread(target=receiver.store, args=(2,), daemon=True)
    blocked.start()
    receiver.storeAll(range(1000))
    batch = source.take(0)
    assert batch.info == InputInfo(records=1000)
    blocked.join(0.05)
    assert blocked.is_alive()
    source.stop()
    blocked.join(LIMIT)
    assert not blocked.is_alive()


def test_blocks_can_be_paced_and_their_groups_stay_whole(make: Make) -> None:
    class Limiter:
        rate: float | None = None
        left = 100

        def acquire(self) -> bool:
            self.left -= 1
            return self.left >= 0

    source, _ = make(Quiet())
    source._limiter = limiter = Limiter()  # type: ignore[assignment]
    source._interval = 0  # every group makes a block where there is a limit
    groups = [[1, 2], [3], [4, 5]]
    assert list(source.paced(groups)) == [[1, 2, 3, 4, 5]]
    limiter.rate, limiter.left = 10.0, 4
    assert list(source.paced(groups)) == [[1, 2], [3]]  # stopped within the last one


def test_updated_rates_are_whole_numbers_under_the_maximum(make: Make) -> None:
    source, _ = make(Quiet(), max_rate=100, initial_rate=50)
    rates = []
    for rate in (20.9, 0.9, 1000.0):
        source.update_rate(rate)
        rates.append(source._limiter.rate)
    assert rates == [20, 20, 100]


def test_an_element_is_kept_as_it_was_when_stored(make: Make) -> None:
    receiver = Quiet()
    source, _ = make(receiver)
    source.start(0)
    reused = {"n": 0}
    for n in range(3):
        reused["n"] = n
        receiver.store(reused)
    source.stop()
    assert elements(source.take(0)) == [[{"n": 0}, {"n": 1}, {"n": 2}]]


def test_what_cannot_be_pickled_is_refused_where_it_is_stored(make: Make) -> None:
    receiver = Quiet()
    source, _ = make(receiver)
    source.start(0)
    for call in (receiver.store, lambda item: receiver.storeAll([1, item])):
        with pytest.raises(TypeError, match="can only store what can be pickled"):
            call(threading.Lock())
    receiver.store(lambda: 42)
    source.stop()
    ((function,),) = elements(source.take(0))
    assert function() == 42


def test_events_tell_of_the_start_and_of_the_stop_by_the_driver(make: Make) -> None:
    receiver = Quiet()
    source, events = make(receiver)
    source.start(0)
    events.wait("started")
    assert receiver.isStarted()
    assert not receiver.isStopped()
    source.stop()
    started, stopped = events.wait("started", "stopped")
    assert started == {
        "stream_id": 3,
        "name": "Quiet-3",
        "active": True,
        "location": started["location"],
        "executor_id": "driver",
        "last_error_message": "",
        "last_error": "",
        "last_error_time": -1,
    }
    assert started["location"]
    assert stopped == {**started, "active": False, "last_error_message": "Stopped by driver"}
    assert receiver.calls == ["start", "stop"]
    assert receiver.isStopped()
    assert not receiver.isStarted()


def test_a_restart_stops_waits_and_starts_again(make: Make) -> None:
    receiver = Quiet()
    source, events = make(receiver, restart_delay_ms=20)
    source.start(0)
    events.wait("started")
    receiver.restart("line broke", ValueError("boom"))
    _, stopped, started = events.wait("started", "stopped", "started")
    assert stopped["last_error_message"] == "Restarting receiver with delay 20ms: line broke"
    assert "ValueError: boom" in stopped["last_error"]
    assert stopped["last_error_time"] > 0
    assert not stopped["active"]
    assert started["active"]
    assert started["last_error_message"] == ""
    source.stop()
    assert receiver.calls == ["start", "stop", "start", "stop"]


def test_what_is_stored_while_a_receiver_waits_for_its_restart_is_kept(make: Make) -> None:
    receiver = Quiet()
    source, events = make(receiver)
    source.start(0)
    events.wait("started")
    receiver.restart("line broke", None, NEVER)
    events.wait("started", "stopped")
    receiver.store("late")
    source.stop()
    assert elements(source.take(0)) == [["late"]]


def test_a_stop_does_not_wait_for_the_restart_delay_and_tells_nothing_more(make: Make) -> None:
    receiver = Quiet()
    source, events = make(receiver, restart_delay_ms=NEVER)
    source.start(0)
    events.wait("started")
    receiver.restart("line broke")
    receiver.restart("line broke again")
    _, stopped = events.wait("started", "stopped")
    assert stopped["last_error_message"].endswith(": line broke")
    assert stopped["last_error_time"] == -1
    source.stop()
    events.wait("started", "stopped")
    assert receiver.calls == ["start", "stop"]


def test_an_exception_in_onStart_leads_to_a_restart(make: Make) -> None:
    class Failing(Quiet):
        def onStart(self) -> None:
            super().onStart()
            if self.calls == ["start"]:
                raise ValueError("no such topic")

    receiver = Failing()
    source, events = make(receiver, restart_delay_ms=1)
    source.start(0)
    _, stopped, _ = events.wait("started", "stopped", "started")
    assert stopped["last_error_message"] == (
        "Restarting receiver with delay 1ms: Error starting receiver 3"
    )
    assert "ValueError: no such topic" in stopped["last_error"]
    source.stop()
    assert receiver.calls == ["start", "stop", "start", "stop"]


def test_an_onStart_that_blocks_until_stopped_works(make: Make) -> None:
    class Blocking(Quiet):
        def __init__(self) -> None:
            super().__init__()
            self.wake = threading.Event()

        def onStart(self) -> None:
            super().onStart()
            self.store("before")
            self.wake.wait(LIMIT)
            assert self.isStopped()
            self.calls.append("ended")

        def onStop(self) -> None:
            super().onStop()
            self.wake.set()

    receiver = Blocking()
    source, events = make(receiver)
    source.start(0)
    events.wait("started")
    source.stop()
    events.wait("started", "stopped")
    assert receiver.calls == ["start", "stop", "ended"]
    assert elements(source.take(0)) == [["before"]]


def test_a_blocking_onStart_is_not_started_again_before_it_returned(make: Make) -> None:
    class Slow(Quiet):
        def __init__(self) -> None:
            super().__init__()
            self.release = threading.Event()

        def onStart(self) -> None:
            super().onStart()
            self.release.wait(LIMIT)
            self.calls.append("ended")

    receiver = Slow()
    source, events = make(receiver, restart_delay_ms=0)
    source.start(0)
    events.wait("started")
    receiver.restart("again")
    events.wait("started", "stopped")
    receiver.release.set()
    events.wait("started", "stopped", "started")
    source.stop()
    assert receiver.calls[:4] == ["start", "stop", "ended", "start"]


def test_a_receiver_that_does_not_end_is_given_up_on(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiver_module, "_STOP_SECONDS", 0.05)
    stored, release, ended = threading.Event(), threading.Event(), threading.Event()

    class Endless(Quiet):
        def onStart(self) -> None:
            self.store("kept")
            stored.set()
            release.wait(LIMIT)
            self.store("too late")
            ended.set()

    source, _ = make(Endless())
    source.start(0)
    assert stored.wait(LIMIT)
    source.stop()
    assert not ended.is_set()
    release.set()
    assert ended.wait(LIMIT)
    source.stop()
    assert elements(source.take(0)) == [["kept"]]


def test_onStop_is_not_called_in_the_middle_of_a_short_onStart(make: Make) -> None:
    entered = threading.Event()

    class Short(Quiet):
        def onStart(self) -> None:
            entered.set()
            threading.Event().wait(0.05)
            super().onStart()

    receiver = Short()
    source, _ = make(receiver)
    source.start(0)
    assert entered.wait(LIMIT)
    source.stop()
    assert receiver.calls == ["start", "stop"]


def test_a_receiver_can_stop_itself_for_good(make: Make) -> None:
    receiver = Quiet()
    source, events = make(receiver, restart_delay_ms=0)
    source.start(0)
    events.wait("started")
    receiver.store("kept")
    receiver.stop("all read", EOFError("end"))
    assert receiver.isStopped()
    _, stopped = events.wait("started", "stopped")
    assert stopped["last_error_message"] == "all read"
    assert "EOFError: end" in stopped["last_error"]
    source.stop()
    events.wait("started", "stopped")
    assert elements(source.take(0)) == [["kept"]]
    assert receiver.calls == ["start", "stop"]


def test_reported_errors_reach_the_listener_and_change_nothing_else(make: Make) -> None:
    receiver = Quiet()
    source, events = make(receiver)
    source.start(0)
    events.wait("started")
    receiver.reportError("odd record", KeyError("id"))
    _, error = events.wait("started", "error")
    assert error["active"]
    assert error["last_error_message"] == "odd record"
    assert "KeyError: 'id'" in error["last_error"]
    assert error["last_error_time"] == -1
    assert receiver.isStarted()


def test_storing_in_onStop_counts_and_storing_after_stop_is_ignored(make: Make) -> None:
    class Last(Quiet):
        def onStop(self) -> None:
            self.store("last")

    receiver = Last()
    source, events = make(receiver)
    source.start(0)
    events.wait("started")
    source.stop()
    receiver.store("late")
    receiver.storeAll(["later"])
    source.stop()
    assert elements(source.take(0)) == [["last"]]


def test_a_failing_onStop_or_listener_does_not_keep_a_receiver_from_restarting() -> None:
    class Failing(Quiet):
        def onStop(self) -> None:
            raise ValueError("cannot stop")

    events = Events()

    def deaf(kind: str, fields: dict[str, Any]) -> None:
        events(kind, fields)
        raise ValueError("deaf")

    receiver = Failing()
    store = MemoryBlockStore()
    source = ReceiverSource(receiver, 0, store=store, restart_delay_ms=0, on_event=deaf)
    source.start(0)
    events.wait("started")
    receiver.restart("again")
    events.wait("started", "stopped", "started")
    source.stop()
    events.wait("started", "stopped", "started", "stopped")


def test_a_source_stopped_before_it_started_never_starts_its_receiver(make: Make) -> None:
    receiver = Quiet()
    source, events = make(receiver)
    source.stop()
    source.start(0)
    source.stop()
    assert (receiver.calls, events.all) == ([], [])


def test_a_store_that_fails_for_a_while_loses_nothing_and_is_reported_once(make: Make) -> None:
    receiver = Quiet()
    store = Store()
    store.failing = True
    source, events = make(receiver, block_interval_ms=2, store=store)
    source.start(0)
    events.wait("started")
    receiver.store(1)
    _, error = events.wait("started", "error")
    assert error["last_error_message"] == "Error in block pushing thread"
    receiver.store(2)
    store.put_called.clear()
    assert store.put_called.wait(LIMIT)
    store.failing = False
    receiver.store(3)
    assert take_all(source, 3) == [1, 2, 3]
    events.wait("started", "error")


def test_a_store_that_fails_at_the_end_leaves_the_elements_in_memory(make: Make) -> None:
    receiver = Quiet()
    store = Store()
    source, _ = make(receiver, store=store)
    source.start(0)
    receiver.store(1)
    store.failing = True
    source.stop()
    assert elements(source.take(0)) == [[1]]


def test_recovery_takes_first_what_no_logged_batch_has(make: Make, tmp_path: Path) -> None:
    store = DirectoryBlockStore(LocalStorage(tmp_path))
    receiver = Quiet()
    source, _ = make(receiver, store=store)
    for n in range(4):
        receiver.storeAll([n])
    logged = source.take(1000)
    history = [(1000, Batch(logged.partitions[:2])), (2000, Batch())]

    again = Quiet()
    recovered, _ = make(again, store=DirectoryBlockStore(LocalStorage(tmp_path)))
    again.storeAll([4])
    recovered.recover(history)
    recovered.start(2000)
    batch = recovered.take(3000)
    assert elements(batch) == [[2], [3], [4]]
    assert batch.info == InputInfo(records=3)
    assert all(isinstance(block, Stored) for block in batch.partitions)


def test_many_threads_storing_at_once_lose_and_double_nothing(make: Make) -> None:
    class Crowd(Receiver):
        def onStart(self) -> None:
            self.threads = [
                threading.Thread(target=self.feed, args=(who,), daemon=True) for who in range(4)
            ]
            for thread in self.threads:
                thread.start()

        def feed(self, who: int) -> None:
            for n in range(500):
                self.store((who, n))
                if n % 100 == 99:
                    self.storeAll([(who, n, "block")])

        def onStop(self) -> None:
            for thread in self.threads:
                thread.join(LIMIT)

    source, events = make(Crowd(), block_interval_ms=1)
    source.start(0)
    events.wait("started")
    got = take_all(source, 1000)
    source.stop()
    got += [element for block in elements(source.take(0)) for element in block]
    assert len(got) == 4 * 505
    for who in range(4):
        assert [e[1] for e in got if e[0] == who and len(e) == 2] == list(range(500))
