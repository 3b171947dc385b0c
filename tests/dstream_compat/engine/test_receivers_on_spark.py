"""Received data on its way into batches: sockets, receivers of one's own, and their rate."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from pyspark import SparkContext

from dstream_compat import Receiver
from dstream_compat.engine import progress
from dstream_compat.engine.backpressure import Backpressure
from dstream_compat.engine.bus import ListenerBus
from dstream_compat.engine.events import ReceiverInfo
from dstream_compat.engine.grid import Grid
from dstream_compat.engine.metrics import StateUsage
from dstream_compat.input.log import LogEntry
from dstream_compat.input.source import InputSource
from dstream_compat.stages.partitions import Batch, InputInfo
from tests.dstream_compat.engine.hand_driven import LIMIT, ByHand, by_hand, setting


class Server:
    """A TCP server on loopback that keeps its port over a pause."""

    def __init__(self) -> None:
        self.port = 0
        self.listen()

    def listen(self) -> None:
        self._listening = socket.socket()
        self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listening.settimeout(LIMIT)
        self._listening.bind(("127.0.0.1", self.port))
        self.port = self._listening.getsockname()[1]
        self._listening.listen(1)

    def send_and_break_off(self, text: str) -> None:
        """Serve one client, then refuse all others."""
        connection, _ = self._listening.accept()
        self._listening.close()
        with connection:
            connection.sendall(text.encode())


class Given(Receiver):
    """Stores what it is given, each list as one block."""

    def __init__(self, blocks: Iterable[list[Any]]) -> None:
        super().__init__()
        self.blocks = list(blocks)
        self.stored = threading.Event()
        self.stopped = threading.Event()

    def onStart(self) -> None:
        for block in self.blocks:
            self.storeAll(block)
        self.stored.set()

    def onStop(self) -> None:
        self.stopped.set()


def tick_until(job: ByHand, condition: Callable[[], bool]) -> None:
    until = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < until
        job.tick()


def test_lines_survive_a_server_that_breaks_off_and_comes_back(sc: SparkContext) -> None:
    server = Server()
    with setting(sc, spark__streaming__receiverRestartDelay="50"), by_hand(sc) as job:
        lines: list[str] = []
        partitions: list[int] = []
        counts: list[list[int]] = []
        stream = job.ssc.socketTextStream("127.0.0.1", server.port)
        stream.foreachRDD(lambda rdd: lines.extend(rdd.collect()))
        stream.foreachRDD(lambda rdd: partitions.append(rdd.getNumPartitions()))
        stream.count().foreachRDD(lambda rdd: counts.append(rdd.collect()))
        job.ssc.start()
        server.send_and_break_off("eins\nzwei\n\ndrei ohne Ende")
        tick_until(job, lambda: len(lines) == 4)
        job.tick()  # nothing listens, so nothing comes
        server.listen()
        server.send_and_break_off("vier\r\nfünf\n")
        tick_until(job, lambda: len(lines) == 6)
        assert job.error() == ""
    assert lines == ["eins", "zwei", "", "drei ohne Ende", "vier", "fünf"]
    for number, count in zip(partitions, counts, strict=True):
        # legacy: as many partitions as blocks, and nothing to count where there is none
        assert len(count) == (1 if number else 0)
    assert 0 in partitions
    assert sum(count[0] for count in counts if count) == 6


def test_each_block_of_a_receiver_is_a_partition_in_order(sc: SparkContext) -> None:
    events: list[tuple[str, str]] = []
    running = threading.Event()

    class Listener:
        def onReceiverStarted(self, event: Any) -> None:
            events.append(("started", event.receiverInfo().name()))
            running.set()

        def onReceiverStopped(self, event: Any) -> None:
            info: ReceiverInfo = event.receiverInfo()
            events.append(("stopped", info.lastErrorMessage()))

    with by_hand(sc) as job:
        receiver = Given([[1, 2], [3], list(range(4, 3000))])
        seen: list[Any] = []
        stream = job.ssc.receiverStream(receiver)
        stream.foreachRDD(lambda rdd: seen.append(rdd.glom().collect()))
        job.ssc.addStreamingListener(Listener())
        job.ssc.start()
        assert receiver.stored.wait(LIMIT)
        job.tick()
        job.tick()
        assert seen == [[[1, 2], [3], list(range(4, 3000))], []]
        assert running.wait(LIMIT)
        job.ssc.stop(stopSparkContext=False)
        assert receiver.stopped.is_set()
    assert events == [("started", "Given-0"), ("stopped", "Stopped by driver")]


def test_a_restarted_receiver_starts_over_and_what_it_stored_is_kept(sc: SparkContext) -> None:
    class Flaky(Given):
        starts = 0

        def onStart(self) -> None:
            self.starts += 1
            self.storeAll([self.starts])
            if self.starts < 3:
                self.restart("again", ValueError("lost"), 5)
            else:
                self.stored.set()

    with by_hand(sc) as job:
        receiver = Flaky([])
        seen: list[int] = []
        job.ssc.receiverStream(receiver).foreachRDD(lambda rdd: seen.extend(rdd.collect()))
        job.ssc.start()
        assert receiver.stored.wait(LIMIT)
        job.tick()
        assert seen == [1, 2, 3]
        assert job.error() == ""


def test_max_rate_brakes_store(sc: SparkContext) -> None:
    class Fast(Given):
        seconds = 0.0

        def onStart(self) -> None:
            began = time.monotonic()
            for number in range(150):
                self.store(number)
            self.seconds = time.monotonic() - began
            self.stored.set()

    with setting(sc, spark__streaming__receiver__maxRate="50"), by_hand(sc) as job:
        receiver = Fast([])
        seen: list[int] = []
        job.ssc.receiverStream(receiver).foreachRDD(lambda rdd: seen.extend(rdd.collect()))
        job.ssc.start()
        assert receiver.stored.wait(LIMIT)
        tick_until(job, lambda: len(seen) == 150)
    assert seen == list(range(150))
    # 50 a second, of which the first second's worth may have been saved up before
    assert receiver.seconds >= 1.9


def test_backpressure_sets_the_rate_from_what_batches_took(monkeypatch: pytest.MonkeyPatch) -> None:
    class Brake(InputSource):
        adapts = True
        rates: list[float] = []  # noqa: RUF012

        def update_rate(self, rate: float) -> None:
            self.rates.append(rate)

    conf = {"spark.streaming.backpressure.enabled": "true"}
    now = 0
    monkeypatch.setattr(progress, "_now", lambda: now)
    brake = Brake()
    backpressure = Backpressure({7: brake}, conf.get, 1000)
    usage, grid = StateUsage([], []), Grid(1000)
    grid.begin(0)
    told = progress.Progress(ListenerBus(), [], grid, usage, backpressure, lambda text: None)

    def batch(tick: int, records: int, waited: int, took: int) -> None:
        nonlocal now
        told.submitted(LogEntry(tick, tick, {7: Batch((), InputInfo(records))}))
        told.batch_started(tick, tick + waited)
        now = tick + waited + took
        told.batch_ended(tick)
        told.passed(tick, 0, True)

    batch(1000, 1000, 0, 500)
    assert brake.rates == []  # legacy: the first batch sets the scale
    batch(2000, 1000, 0, 1000)
    batch(3000, 0, 0, 1000)
    assert brake.rates == [1000.0]  # 1000 a second were managed; an empty batch says nothing
    batch(4000, 1000, 500, 1000)
    assert brake.rates[1:] == [900.0]  # and half a second of backlog is to be made up for
    seen = len(brake.rates)
    off = Backpressure({7: brake}, {}.get, 1000)
    for tick in range(1000, 5000, 1000):
        off.adapt({7: 1000}, tick, tick, tick + 500)
    assert len(brake.rates) == seen


def test_backpressure_reaches_the_receiver_of_a_running_job(sc: SparkContext) -> None:
    with setting(sc, spark__streaming__backpressure__enabled="true"), by_hand(sc) as job:
        receiver = Given([])
        job.ssc.receiverStream(receiver).foreachRDD(lambda rdd: rdd.count() and None)
        job.ssc.start()
        source = receiver._attached()
        assert source._limiter.rate is None
        for _ in range(3):
            source.add_block(list(range(500)))
            job.tick()
        assert source._limiter.rate is not None
