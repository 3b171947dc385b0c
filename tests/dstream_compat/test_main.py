"""``python -m dstream_compat job.py``: legacy jobs run on this engine without an edit."""

from __future__ import annotations

import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyspark
import pytest

ROOT = Path(__file__).resolve().parents[2]
LEGACY = ROOT / "samples" / "legacy"
SECONDS = 120.0

Start = Callable[..., "Job"]


class Job:
    """A job in a process of its own, and the lines it prints."""

    def __init__(self, command: list[str], directory: Path) -> None:
        # as a user has it: no seed for hashes, and not in the project's directory
        env = {key: value for key, value in os.environ.items() if key != "PYTHONHASHSEED"}
        self.process = subprocess.Popen(
            command,
            cwd=directory,
            env=env,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._printed: queue.Queue[str | None] = queue.Queue()
        self._errors: list[str] = []
        self._readers = [
            threading.Thread(target=self._read_output, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._printed.put(line.rstrip("\n"))
        self._printed.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self._errors.extend(self.process.stderr)

    def lines_until(self, wanted: str | None) -> list[str]:
        """What it prints up to the line ``wanted``; None: up to its end."""
        lines: list[str] = []
        deadline = time.monotonic() + SECONDS
        while True:
            line = self._printed.get(timeout=max(0.0, deadline - time.monotonic()))
            if line is None:
                assert wanted is None, f"the job ended: {self.errors()}"
                return lines
            lines.append(line)
            if line == wanted:
                return lines

    def ended(self) -> int:
        return self.process.wait(SECONDS)

    def errors(self) -> str:
        self.process.wait(SECONDS)
        self._readers[1].join(SECONDS)
        return "".join(self._errors)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts ``python -m dstream_compat`` with some arguments, or another command."""
    jobs: list[Job] = []

    def start_job(*arguments: object, command: tuple[str, ...] = ()) -> Job:
        whole = command or (sys.executable, "-m", "dstream_compat")
        jobs.append(Job([*whole, *map(str, arguments)], tmp_path))
        return jobs[-1]

    yield start_job
    for job in jobs:
        if job.process.poll() is None:
            job.process.kill()
        job.process.wait(SECONDS)


def test_a_job_sees_its_arguments_and_our_context_under_the_legacy_names(
    start: Start, tmp_path: Path
) -> None:
    script = tmp_path / "job.py"
    (tmp_path / "beside.py").write_text("WORD = 'found'\n")
    script.write_text(
        "import sys\n"
        "import beside\n"
        "import pyspark.streaming\n"
        "from pyspark.streaming import DStream, StreamingContext, StreamingListener\n"
        "from pyspark.streaming.context import StreamingContext as again\n"
        "from pyspark.streaming.dstream import TransformedDStream\n"
        "from pyspark.streaming.util import rddToFileName\n"
        "print(__name__, sys.argv, beside.WORD)\n"
        "print(StreamingContext.__module__, StreamingContext is again)\n"
        "print(pyspark.streaming.DStream is DStream, pyspark.streaming.__name__)\n"
    )
    job = start(script, "one", "--two", "3 4")
    assert job.lines_until(None) == [
        f"__main__ ['{script}', 'one', '--two', '3 4'] found",
        "dstream_compat.context True",
        "True dstream_compat",
    ]
    assert job.ended() == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.py"], "dstream_compat: nowhere.py is not a file\n"),
        (["--fast", "job.py"], "dstream_compat: unknown option --fast; see --help\n"),
    ],
)
def test_what_cannot_be_run_gets_one_sentence(
    start: Start, arguments: list[str], sentence: str
) -> None:
    job = start(*arguments)
    assert job.errors() == sentence
    assert job.ended() == 2
    assert job.lines_until(None) == []


def test_without_arguments_it_says_how_it_is_used(start: Start) -> None:
    job = start()
    assert job.errors().startswith("usage: python -m dstream_compat job.py")
    assert job.ended() == 2


def test_a_source_that_is_gone_says_so_when_it_is_called(start: Start, tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(
        "from pyspark.streaming.flume import FlumeUtils\n"
        "from pyspark.streaming.kafka import KafkaUtils, TopicAndPartition\n"
        "FlumeUtils.createStream(None, 'localhost', 9999)\n"
    )
    job = start(script)
    error = job.errors().splitlines()[-1]
    assert "FlumeUtils.createStream at job.py:3: Apache Flume is retired" in error
    assert "ssc.receiverStream" in error
    assert job.ended() == 1


def test_the_exit_code_is_the_jobs_own(start: Start, tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text("import sys\nsys.exit(7)\n")
    assert start(script).ended() == 7


def test_the_text_file_job_writes_a_directory_per_batch_and_stops_gracefully(
    start: Start, tmp_path: Path
) -> None:
    incoming = tmp_path / "in"
    incoming.mkdir()
    job = start(LEGACY / "textfile_wordcount.py", incoming, tmp_path / "out", tmp_path / "stop")

    def written() -> dict[str, str]:
        parts = sorted(tmp_path.glob("out-*/part-*"))
        return dict(line.split("\t") for part in parts for line in part.read_text().splitlines())

    # a first directory says that the stream is there: files from now on are new
    wait_for(lambda: any(tmp_path.glob("out-*/_SUCCESS")), job)
    (incoming / "first.txt").write_text("tea tea\ncoffee")
    wait_for(lambda: written() == {"tea": "2", "coffee": "1"}, job)
    (tmp_path / "stop").touch()
    assert job.ended() == 0, job.errors()
    times = [int(path.name.removeprefix("out-")) for path in sorted(tmp_path.glob("out-*"))]
    assert times == list(range(times[0], times[-1] + 1, 1000))


def test_the_best_sellers_are_joined_and_sorted_in_transforms(start: Start) -> None:
    job = start(LEGACY / "static_join_topn.py")
    lines = job.lines_until(None)
    assert job.ended() == 0, job.errors()
    assert lines[:4] == [
        "coffee 7, tea 6, water 2",
        "cocoa 18, coffee 1",
        "(no sales)",
        "cocoa 4, coffee 3, tea 2",
    ]


def test_spark_submit_runs_a_job_with_a_socket_and_sql(start: Start) -> None:
    where = start("--where")
    (script,) = where.lines_until(None)
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(SECONDS)
        command = (str(submit), "--master", "local[2]", script)
        job = start(
            LEGACY / "sql_per_batch.py", "127.0.0.1", server.getsockname()[1], command=command
        )
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"b a\na\n")
            assert "|   a|    2|" in job.lines_until("|   b|    1|")


def wait_for(fact: Callable[[], bool], job: Job) -> None:
    deadline = time.monotonic() + SECONDS
    while not fact():
        if job.process.poll() is not None:
            pytest.fail(f"the job ended: {job.errors()}")
        assert time.monotonic() < deadline, "it took too long"
        with_patience.wait(0.1)


with_patience = threading.Event()  # never set: files have no way to tell that they are there
