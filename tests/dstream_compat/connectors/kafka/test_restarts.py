"""Brokers that go away, jobs that are killed: no record is lost and none comes twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext

from dstream_compat import StreamingContext
from dstream_compat.kafka import KafkaUtils
from tests.dstream_compat.connectors.kafka.conftest import Topics
from tests.dstream_compat.engine.hand_driven import by_hand, collected, setting
from tests.servers import jars
from tests.servers.kafka import Broker
from tests.servers.processes import wait_for

ROOT = Path(__file__).resolve().parents[4]


def test_a_broker_that_restarts_costs_time_and_nothing_else(
    sc: SparkContext, topics: Topics, broker: Broker
) -> None:
    topic = topics.create(partitions=2)
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params)
        seen = collected(stream.map(lambda pair: pair[1]))
        job.ssc.start()
        topics.send(topic, (None, "1"), partition=0)
        job.tick()
        topics.send(topic, (None, "2"), partition=1)
        broker.stop(kill=True)
        ticking = threading.Thread(target=lambda: job.tick(timeout=120))
        ticking.start()
        broker.start()
        ticking.join(120)
        assert not ticking.is_alive()
        topics.send(topic, (None, "3"), partition=0)
        job.tick()
        assert seen == [["1"], ["2"], ["3"]]
        assert job.error() == ""


def test_a_broker_that_stays_away_fails_the_batch_and_loses_nothing(
    sc: SparkContext, topics: Topics, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dstream_compat.connectors.kafka.kafka_source._PATIENCE", 0.0)
    monkeypatch.setattr("dstream_compat.connectors.kafka.admin._ANSWER_SECONDS", 2)
    topic = topics.create()
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params)
        seen = collected(stream.map(lambda pair: pair[1]))
        job.ssc.start()
        topics.send(topic, (None, "1"))
        broker.stop()
        job.tick()
        broker.start()
        wait_for(lambda: topics.committed("nobody") == {}, "the broker answering")
        job.tick()
        assert "do not answer" in seen[0]
        assert seen[1] == ["1"]


def test_backpressure_shares_the_rate_out_by_lag(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create(partitions=2)
    topics.send(topic, *((None, str(i)) for i in range(40)), partition=0)
    topics.send(topic, *((None, str(i)) for i in range(10)), partition=1)
    limits: dict[str, Any] = {
        "spark__streaming__backpressure__enabled": "true",
        "spark__streaming__backpressure__initialRate": "10",
    }
    with setting(sc, **limits), by_hand(sc) as job:
        params = {**topics.params, "auto.offset.reset": "smallest"}
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], params)
        ranges: list[Any] = []
        stream.foreachRDD(
            lambda rdd: ranges.append([r.untilOffset - r.fromOffset for r in rdd.offsetRanges()])
        )
        job.ssc.start()
        job.tick()
        assert ranges == [[8, 2]]
        engine = job.ssc._engine
        assert engine is not None
        source: Any = engine.parts.sources[0]
        source.update_rate(20.0)
        job.tick()
        assert ranges[1] == [16, 4]


def test_a_rebuilt_job_goes_on_behind_the_last_range(
    sc: SparkContext, topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create(partitions=2)
    seen: list[Any] = []

    def setup(more: bool) -> StreamingContext:
        ssc = StreamingContext(sc, 1)
        ssc.checkpoint(str(tmp_path))
        pairs = KafkaUtils.createDirectStream(ssc, [topic], topics.params).map(lambda p: (p[1], 1))
        counts = pairs.updateStateByKey(lambda new, old: sum(new) + (old or 0)).named("counts")
        counts.foreachRDD(lambda rdd: seen.append(sorted(rdd.collect())))
        if more:
            pairs.window(2, 1).count().foreachRDD(lambda rdd: seen.append(rdd.collect()))
        return ssc

    with by_hand(sc) as job:
        job.ssc = StreamingContext.getOrCreate(str(tmp_path), lambda: setup(False))
        job.ssc.start()
        topics.send(topic, (None, "a"), partition=0)
        job.tick()
    topics.send(topic, (None, "b"), partition=1)  # while nobody reads
    with by_hand(sc) as job:
        job.ssc = StreamingContext.getOrCreate(str(tmp_path), lambda: setup(True), rebuild=True)
        job.ssc.start()
        topics.send(topic, (None, "a"), partition=0)
        job.tick()
    assert seen == [[("a", 1)], [("a", 2), ("b", 1)], [2]]


def test_a_job_restored_in_a_gap_between_windows_goes_on_behind_the_last_range(
    sc: SparkContext, topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create()
    written = str(tmp_path / "written")

    def setup() -> StreamingContext:
        ssc = StreamingContext(sc, 1)
        ssc.checkpoint(str(tmp_path / "checkpoint"))
        stream = KafkaUtils.createDirectStream(ssc, [topic], topics.params)

        def write(rdd: Any) -> None:
            with open(written, "a") as file:
                file.writelines(f"{value}\n" for value in rdd.collect())

        stream.map(lambda pair: pair[1]).window(1, 5).foreachRDD(write)
        return ssc

    for value, ticks in (("a", 9), ("b", 6)):
        with by_hand(sc) as job:
            job.ssc = StreamingContext.getOrCreate(str(tmp_path / "checkpoint"), setup)
            job.ssc.start()
            topics.send(topic, (None, value))
            for _ in range(ticks):
                job.tick()
    assert Path(written).read_text().split() == ["a", "b"]


class Job:
    """The records job in processes of its own, one after the other, over the same directories."""

    def __init__(self, folder: Path, brokers: str, topic: str) -> None:
        self.output, self.control = folder / "output", folder / "control"
        self.output.mkdir()
        self.control.mkdir()
        script = str(ROOT / "tests" / "jobs" / "kafka_records.py")
        places = (folder / "checkpoint", self.output, self.control)
        self._command = [sys.executable, script, brokers, topic, *map(str, places)]
        self._log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "KAFKA_JARS": ",".join(jars.connector()),
        }
        started = len(self.told("started"))
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                self._command, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        self.wait(lambda: len(self.told("started")) > started)

    def kill(self) -> None:
        """As a power cut would: the driver, its JVM and its workers at once."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(60)

    def finish(self) -> None:
        (self.control / "finish").touch()
        assert self._process is not None
        assert self._process.wait(90) == 0, self._log.read_text()[-3000:]

    def wait(self, condition: Callable[[], bool]) -> None:
        def checked() -> bool:
            assert self._process is not None
            assert self._process.poll() is None, self._log.read_text()[-3000:]
            return condition()

        wait_for(checked, "the job")

    def told(self, name: str) -> list[str]:
        path = self.control / name
        return path.read_text().splitlines() if path.exists() else []

    def batches(self) -> dict[int, dict[str, Any]]:
        found = sorted(self.output.glob("*.json"))
        return {int(path.stem): json.loads(path.read_text()) for path in found}

    def values(self) -> list[str]:
        return [value for batch in self.batches().values() for value in batch["values"]]

    def counts(self) -> dict[str, int]:
        newest = max(self.output.glob("*.counts"), key=lambda path: int(path.stem))
        counts: dict[str, int] = json.loads(newest.read_text())
        return counts


def test_a_killed_job_reads_every_record_once(topics: Topics, tmp_path: Path) -> None:
    topic = topics.create(partitions=3)
    sent: list[str] = []

    def send(count: int) -> None:
        values = [str(len(sent) + at) for at in range(count)]
        for at, value in enumerate(values):
            topics.send(topic, (None, value), partition=at % 3)
        sent.extend(values)

    job = Job(tmp_path, topics.address, topic)
    try:
        send(30)
        job.start()
        job.wait(lambda: len(job.values()) == 30)
        (job.control / "pause").touch()
        send(20)
        job.wait(lambda: bool(job.told("paused")))
        send(10)  # these are in no batch yet
        job.kill()
        struck = int(job.told("paused")[-1])
        (job.control / "pause").unlink()
        assert struck not in job.batches()
        send(10)  # and these come while nobody reads
        pause = threading.Event()
        while time.time() * 1000 < struck + 3000:
            pause.wait(0.05)
        job.start()
        send(5)
        job.wait(lambda: len(job.values()) >= len(sent))
        job.finish()
    finally:
        job.kill()
    assert Counter(job.values()) == Counter(sent)
    batches = job.batches()
    # the batch that was struck is the one it was going to be
    assert batches[struck]["values"]
    assert len(batches[struck]["values"]) == sum(b - a for _, a, b in batches[struck]["offsets"])
    times = list(batches)
    assert times == list(range(times[0], times[-1] + 1, 1000))
    # ranges follow one another without a gap
    at = {0: 0, 1: 0, 2: 0}
    for batch in batches.values():
        for partition, start, until in batch["offsets"]:
            assert start == at[partition]
            at[partition] = until
    assert job.counts() == {str(n): sum(int(v) % 3 == n for v in sent) for n in range(3)}
    assert len(job.told("setups")) == 1
