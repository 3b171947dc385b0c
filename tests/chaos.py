"""``python -m tests.chaos``: kill -9 a job with state again and again, then look at every batch.

The job is killed at random moments, driver, JVM and workers at once, and started again over the
same checkpoint. At the end it stops gracefully. Then the batches it received are run once more,
undisturbed and in process, and every output of every batch is compared.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dstream_parity import Missing, Seen
from dstream_parity.engines.in_process import replay_in_process
from tests.jobs.stateful_records import INTERVAL, streams

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 240.0  # seconds for whatever is waited for
MILLISECONDS = int(INTERVAL * 1000)


class Job:
    """The job in separate processes, one after the other, over the same directories."""

    def __init__(self, folder: Path) -> None:
        self.checkpoint, self.output, self.control = (
            folder / name for name in ("checkpoint", "output", "control")
        )
        self.output.mkdir()
        self.control.mkdir()
        self._log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, str(ROOT / "tests" / "jobs" / "stateful_records.py")]
        command += map(str, (self.checkpoint, self.output, self.control))
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
        environment.setdefault("SPARK_CONF_DIR", str(ROOT / "conf"))
        environment.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def kill(self) -> None:
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(LIMIT)

    def finish(self) -> None:
        (self.control / "finish").touch()
        assert self._process is not None
        assert self._process.wait(LIMIT) == 0, self._log.read_text()[-3000:]

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

    def written(self) -> int:
        return sum(1 for _ in self.output.glob("*.json"))

    def outputs(self, name: str) -> dict[int, list[Any]]:
        """The elements of an output, by batch time; those of the input are its partitions."""
        return {
            int(path.name.partition("-")[0]): json.loads(path.read_text())
            for path in sorted(self.output.glob(f"*-{name}.json"))
        }


def torment(job: Job, kills: int, seed: int, say: Callable[[str], None]) -> None:
    """Start the job, kill it ``kills`` times, let it finish."""
    chance = random.Random(seed)
    pause = threading.Event()
    for number in range(kills):
        job.start()
        # mostly some time after batches have come again, now and then while it starts up
        if chance.random() < 0.8:
            before = job.written()
            job.wait(lambda before=before: job.written() > before)  # type: ignore[misc]
            pause.wait(chance.uniform(0, 3))
        else:
            pause.wait(chance.uniform(1, 12))
        job.kill()
        say(f"kill {number + 1} of {kills}: {len(job.outputs('totals'))} batches so far")
    job.start()
    before = job.written()
    job.wait(lambda: job.written() > before + 20)
    job.finish()


def check(job: Job) -> int:
    """Compare every output of every batch with an undisturbed run; how many were compared."""
    received = job.outputs("input")
    times = sorted(received)
    assert times == list(range(times[0], times[-1] + 1, MILLISECONDS)), "a tick is missing"
    numbers = [pair[1] for batch in received.values() for part in batch for pair in part]
    assert len(numbers) == len(set(numbers)), "a record came twice"
    tried, stored = ((job.control / name).read_text().split() for name in ("tried", "stored"))
    # the record that was being stored at a kill may have arrived or not; all others have
    assert set(map(int, stored)) <= set(numbers), "a stored record was lost"
    assert set(numbers) <= set(map(int, tried)), "a record came that was never sent"
    batches: Any = [[[[tuple(p) for p in part] for part in received[at]]] for at in times]
    names: list[str] = []

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        made = streams(inputs[0])
        names.extend(made)
        return list(made.values())

    undisturbed = replay_in_process(build, batches, interval=INTERVAL)
    compared = 0
    for name, expected in zip(names, undisturbed, strict=True):
        found = job.outputs(name)
        for at, outcome in zip(times, expected, strict=True):
            if isinstance(outcome, Missing):
                assert at not in found, f"{name} has a batch at {at} that it should not have"
                continue
            assert isinstance(outcome, Seen), f"{name} at {at}: {outcome}"
            assert _counted(outcome.partitions) == _counted([found[at]]), f"{name} at {at} differs"
            compared += 1
    return compared


def _counted(partitions: Any) -> Counter[str]:
    return Counter(json.dumps(element) for part in partitions for element in part)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    print(f"chaos: {options.kills} kills, --seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        job = Job(Path(folder))
        try:
            torment(job, options.kills, options.seed, lambda text: print(text, flush=True))
            compared = check(job)
        finally:
            job.close()
    print(f"chaos: {compared} outputs of batches are those of an undisturbed run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
