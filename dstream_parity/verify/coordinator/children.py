"""The coordinator's side of a child process: orders out, news in, time limits, shutdown."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from dstream_parity.verify.child import standins
from dstream_parity.verify.child.daemon import PRELUDE
from dstream_parity.verify.child.facets import Observations
from dstream_parity.verify.child.job import JobFile
from dstream_parity.verify.child.sites import OURS
from dstream_parity.verify.coordinator.request import Request
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs.feeds import Feed

_START = 120.0  # seconds for a JVM to come up
_GRACE = 60.0  # seconds beyond the limits that the child enforces itself

# Variables that lead to a different Spark, or make it write elsewhere.
_OF_THE_CLUSTER = (
    *("SPARK_REMOTE", "SPARK_HOME", "SPARK_CONNECT_MODE_ENABLED", "MASTER"),
    *("SPARK_LOCAL_DIRS", "SPARK_EXECUTOR_DIRS"),
)

_SIDES = {"legacy": "the legacy engine", "ours": "dstream_compat"}

Progress = Callable[[str, int, int], None]


class ChildProcess:
    """A process that runs jobs on one engine; started when first needed."""

    def __init__(self, side: str, directory: str, verbose: bool = False) -> None:
        self._side = side
        self._directory = os.path.join(directory, side)
        self._scratch = os.path.join(directory, "tmp")
        self._verbose = verbose
        self._process: subprocess.Popen[str] | None = None
        self._news: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._ready = False

    def run(self, job: JobFile, feed: Feed, request: Request, progress: Progress) -> Observations:
        """Run a job; raises Refused if there is nothing to compare."""
        self.launch(job)
        if not self._ready:
            self._ready = self._next(_START)["event"] == "ready"
            if not self._ready:
                raise Refused("Spark could not be started; --verbose shows its output")
        assert self._process is not None
        assert self._process.stdin is not None
        files = {name: os.path.join(self._directory, name) for name in ("feed", "result")}
        with open(files["feed"], "wb") as file:
            pickle.dump(feed, file)
        if os.path.exists(files["result"]):
            os.unlink(files["result"])
        order = {
            **files,
            "job": asdict(job),
            "run_outputs": request.run_outputs,
            "graph_timeout": request.graph_timeout,
            "batch_timeout": request.batch_timeout,
            "show_values": request.show_values,
        }
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        waits = self._follow(request, progress)
        if not os.path.exists(files["result"]):
            raise Refused(
                f"the job on {_SIDES[self._side]} had to be ended before its last batch, so there "
                "is nothing to compare; --verbose shows its output"
            )
        with open(files["result"], "rb") as file:
            seen: Observations = standins.load(file)
        if waits is not None:
            seen.notes.append(
                f"the job did not end by itself after its last batch: it was at {waits}"
            )
        return seen

    def _follow(self, request: Request, progress: Progress) -> str | None:
        """Wait for the end of a run; returns where the job was if it had to be ended."""
        planned, through, why = 0, False, None
        limit = request.graph_timeout
        while True:
            event = self._next(limit + _GRACE)
            kind = event["event"]
            if kind == "started":
                planned, limit = event["batches"], request.batch_timeout
                progress(self._side, 0, planned)
            elif kind == "batch":
                progress(self._side, event["number"] + 1, planned)
            elif kind == "through":
                through = True
            elif kind == "failed":
                why = event["why"]
            elif kind in ("over", "stuck", "gone"):
                return self._ended(event, None if through else why)

    def _ended(self, event: dict[str, Any], why: str | None) -> str | None:
        """What the last event of a run says; raises Refused if there is nothing to compare."""
        if event["event"] != "over" or event.get("ended"):
            self.close()
        if event["event"] == "stuck":
            return str(event["at"])
        if event["event"] == "gone":
            raise Refused(
                f"the process that runs the job on {_SIDES[self._side]} ended unexpectedly; "
                "--verbose shows its output"
            )
        if why is not None:
            raise Refused(f"{why} (on {_SIDES[self._side]})")
        return None

    def _next(self, seconds: float) -> dict[str, Any]:
        try:
            event = self._news.get(timeout=seconds)
        except queue.Empty:
            self.close()
            raise Refused(
                f"the job on {_SIDES[self._side]} did not respond for {seconds:g} s; "
                "--graph-timeout and --batch-timeout allow more time"
            ) from None
        return {"event": "gone"} if event is None else event

    def launch(self, job: JobFile) -> None:
        """Start the process if there is none, without waiting for it."""
        if self._process is not None:
            return
        self._ready = False
        for path in (self._directory, self._scratch):
            os.makedirs(path, exist_ok=True)
        self._news = queue.Queue()
        reading, writing = os.pipe()
        log = None if self._verbose else subprocess.DEVNULL
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "dstream_parity.verify.child.serving"),
                *(self._side, self._directory, str(writing)),
            ],
            stdin=subprocess.PIPE,
            stdout=sys.stderr if self._verbose else subprocess.DEVNULL,
            stderr=log,
            text=True,
            pass_fds=[writing],
            env=self._environment(job),
            start_new_session=True,
        )
        os.close(writing)
        threading.Thread(target=self._read, args=(reading, self._news), daemon=True).start()

    def _read(self, reading: int, news: queue.Queue[dict[str, Any] | None]) -> None:
        with os.fdopen(reading, encoding="utf-8") as lines:
            for line in lines:
                news.put(json.loads(line))
        news.put(None)

    def _environment(self, job: JobFile) -> dict[str, str]:
        """The same for both sides, whatever the user's shell says about Spark."""
        env = {key: value for key, value in os.environ.items() if key not in _OF_THE_CLUSTER}
        homes = dict.fromkeys(os.path.dirname(folder.rstrip(os.sep)) for folder in OURS)
        given = filter(None, env.get("PYTHONPATH", "").split(os.pathsep))
        paths = [*job.homes, *homes, *given]
        env["PYTHONPATH"] = os.pathsep.join(paths)
        env.setdefault("PYTHONHASHSEED", "0")
        if env["PYTHONHASHSEED"] == "random":
            env["PYTHONHASHSEED"] = "0"
        env["PYTHONDONTWRITEBYTECODE"] = "1"
        env["PYSPARK_PYTHON"] = env["PYSPARK_DRIVER_PYTHON"] = sys.executable
        env.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        home = f"-Dderby.system.home={self._directory} -Djava.io.tmpdir={self._directory} "
        home += "-XX:-UsePerfData"  # a file in /tmp that a killed JVM leaves behind
        # in place of a spark-defaults.conf, which could name a master and packages to download
        settings = f'--properties-file "{self._no_settings()}"'
        env["PYSPARK_SUBMIT_ARGS"] = f'{settings} --driver-java-options "{home}" pyspark-shell'
        env["TMPDIR"] = self._scratch  # the same on both sides, because a job may print it
        env["DSTREAM_COMPAT_VERIFY"] = "1"
        env[PRELUDE] = job.prelude or ""
        return env

    def _no_settings(self) -> str:
        path = os.path.join(self._directory, "no-settings.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write("# the job has its own settings\n")
        return path

    def close(self, seconds: float = 10) -> None:
        """End the process and all it has started; it has ``seconds`` to end by itself."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # half an order may be on its way
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _end_session(process.pid)


def _end_session(leader: int) -> None:
    """End what is left of a session: Spark's Python workers have their own process group."""
    deadline = time.monotonic() + _GRACE
    while (left := _session(leader)) and time.monotonic() < deadline:
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _session(leader: int) -> list[int]:
    """The living processes of a session; none where there is no /proc to ask."""
    found = []
    for stat in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError), open(stat, encoding="utf-8", errors="replace") as file:
            state, _, _, session, *_ = file.read().rpartition(")")[2].split()
            if int(session) == leader and state not in ("Z", "X"):
                found.append(int(stat.split("/")[2]))
    return found
