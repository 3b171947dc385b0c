"""Killed in the middle of a batch and started again: nothing stored is lost, no time is skipped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyspark
import pytest

from dstream_compat import StreamingContext

ROOT = Path(__file__).resolve().parents[3]
LIMIT = 90.0
INTERVAL = 1000


class Job:
    """The numbers job in separate processes, one after the other, over the same directories."""

    def __init__(self, folder: Path) -> None:
        self.checkpoint, self.output, self.control = (
            folder / name for name in ("checkpoint", "output", "control")
        )
        self.output.mkdir()
        self.control.mkdir()
        self._log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *launcher: str) -> None:
        script = str(ROOT / "tests" / "jobs" / "numbered_records.py")
        command = [*(launcher or (sys.executable,)), script]
        command += map(str, (self.checkpoint, self.output, self.control))
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        started = len(self.lines("started"))
        self.wait(lambda: len(self.lines("started")) > started)

    def kill(self) -> None:
        """As a power cut would: the driver, its JVM and its workers at once."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(LIMIT)

    def terminate(self) -> None:
        """As a cluster manager does: tell the process to end, and wait until it has."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGTERM)
        self._process.wait(LIMIT)

    def finish(self) -> None:
        """Stop gracefully."""
        (self.control / "finish").touch()
        assert self._process is not None
        assert self._process.wait(LIMIT) == 0, self._log.read_text()[-3000:]
        (self.control / "finish").unlink()

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()

    def wait(self, condition: Callable[[], bool]) -> None:
        assert self._process is not None
        pause = threading.Event()
        until = time.monotonic() + LIMIT
        while not condition():
            assert self._process.poll() is None, self._log.read_text()[-3000:]
            assert time.monotonic() < until, self._log.read_text()[-3000:]
            pause.wait(0.02)

    def lines(self, name: str) -> list[str]:
        path = self.control / name
        return path.read_text().splitlines() if path.exists() else []

    def batches(self) -> dict[int, list[int]]:
        """The numbers in the sink, by batch time."""
        return {
            int(path.stem): json.loads(path.read_text())
            for path in sorted(self.output.glob("*.json"))
        }

    def numbers(self) -> list[int]:
        return [number for batch in self.batches().values() for number in batch]

    def wait_for_arrival(self) -> None:
        """Wait until what is stored by now is in the sink."""
        stored = set(map(int, self.lines("stored")))
        self.wait(lambda: stored <= set(self.numbers()))

    def seen(self) -> list[tuple[int, list[int]]]:
        """The batches as the first output saw them, also again."""
        return [(time, numbers) for time, numbers in map(json.loads, self.lines("seen"))]

    def kill_in_a_batch(self) -> int:
        """Kill the job when only the first output of a batch has run; returns the batch's time."""
        (self.control / "pause").touch()
        self.wait(lambda: bool(self.lines("paused")))
        stored = len(self.lines("stored"))
        self.wait(lambda: len(self.lines("stored")) > stored + 10)  # receiving continues meanwhile
        self.kill()
        (self.control / "pause").unlink()
        return int(self.lines("paused")[-1])


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    job = Job(tmp_path)
    yield job
    job.close()


def test_a_killed_job_continues_where_it_was(job: Job) -> None:
    job.start()
    job.wait(lambda: len(job.numbers()) > 20)
    struck = job.kill_in_a_batch()
    assert struck in dict(job.seen())
    assert struck not in job.batches()
    # ticks are missed before it comes back
    pause = threading.Event()
    while time.time() * 1000 < struck + 3 * INTERVAL:
        pause.wait(0.05)
    job.start()
    job.wait_for_arrival()
    job.finish()

    seen = job.seen()
    times = list(job.batches())
    # every tick has run, with its own time, also those that fell into the pause
    assert times == list(range(times[0], times[-1] + 1, INTERVAL))
    assert times[0] % INTERVAL == 0
    numbers = job.numbers()
    assert len(numbers) == len(set(numbers))
    assert set(map(int, job.lines("stored"))) <= set(numbers) <= set(map(int, job.lines("tried")))
    # what was seen and not committed is seen again, the same; what was not yet written is written
    assert [milliseconds for milliseconds, _ in seen].count(struck) == 2
    for milliseconds, batch in seen:
        assert sorted(job.batches()[milliseconds]) == sorted(batch)
    assert len(job.lines("setups")) == 1

    # after a clean stop nothing is repeated
    job.start()
    job.wait_for_arrival()
    job.finish()
    later = [milliseconds for milliseconds, _ in job.seen()[len(seen) :]]
    assert later == list(range(times[-1] + INTERVAL, later[-1] + 1, INTERVAL))
    numbers = job.numbers()
    assert len(numbers) == len(set(numbers))
    assert set(map(int, job.lines("stored"))) <= set(numbers)
    assert len(job.lines("setups")) == 1


def test_a_driver_that_is_told_to_end_stops_gracefully_if_asked_to(job: Job) -> None:
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    job.start(str(submit), "--conf", "spark.streaming.stopGracefullyOnShutdown=true")
    job.wait(lambda: len(job.numbers()) > 20)
    before = set(map(int, job.lines("stored")))
    job.terminate()
    # all that was received is in the sink, and nothing was done twice
    assert before <= set(map(int, job.lines("stored"))) <= set(job.numbers())
    assert [milliseconds for milliseconds, _ in job.seen()] == list(job.batches())


def _not_called() -> StreamingContext:
    raise AssertionError("the setup function was called")


def test_a_damaged_graph_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "dstream.json").write_text('{"format": 1, "zero_time": 0, "slots": 2}')
    (tmp_path / "graph").write_bytes(b"\x80\x05torn")
    with pytest.raises(Exception, match="Failed to read checkpoint from directory") as caught:
        StreamingContext.getOrCreate(str(tmp_path), _not_called)
    assert "UnpicklingError" in str(caught.value)


def test_a_checkpoint_of_the_legacy_engine_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-1700000000000").write_bytes(b"java")
    with pytest.raises(Exception, match="a checkpoint of the legacy engine"):
        StreamingContext.getOrCreate(str(tmp_path), _not_called)


def test_a_checkpoint_of_another_format_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "dstream.json").write_text('{"format": 99}')
    (tmp_path / "graph").write_bytes(b"N.")
    with pytest.raises(Exception, match="its format is 99"):
        StreamingContext.getOrCreate(str(tmp_path), _not_called)
