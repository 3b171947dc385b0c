"""`migrate verify` and `migrate record` as a user calls them."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from dstream_compat import record
from migrator.cli import migrate
from tests.dstream_parity.verify.conftest import JOBS

MARK = "MIGRATE_VERIFY_TEST"

WITHOUT_SPARK = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pyspark":
            raise ModuleNotFoundError(name)
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "pyspark" else real(name, *rest)
from migrator.cli import main
sys.argv = ["migrate", "verify", "job.py"]
main()
"""


def run(*arguments: str, directory: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONHASHSEED"}
    return subprocess.run(
        [sys.executable, "-m", "migrator", *arguments],
        capture_output=True,
        text=True,
        cwd=directory,
        env=env,
        timeout=300,
    )


def test_without_spark_it_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_SPARK], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "migrate verify runs the job on Spark, which is not installed here: "
        "pip install '.[spark]' in a checkout of this project, and Java 17 or newer.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.py"], "nowhere.py is not a file"),
        (
            ["neither.py"],
            "neither.py:1 is neither Python 3 nor Python 2, and today's engines need Python 3",
        ),
        (["new.py", "--rewritten", "neither.py"], "neither.py:1 is not Python 3, and today"),
        (
            ["moved.py"],
            "moved.py has already been rewritten, and the legacy engine cannot run it: give",
        ),
        (["new.py", "--input", "gone"], "--input gone: no such file or directory"),
        (["new.py", "--prelude", "gone.py"], "--prelude gone.py: no such file"),
        (["new.py", "--rewritten", "gone.py"], "--rewritten gone.py: no such file"),
        (
            ["new.py", "--sample", "neither.py", "--input", "neither.py"],
            "--sample makes the batches of all sources: leave out --input, or give the other",
        ),
        (
            ["new.py", "--against", "recorded"],
            "--against recorded needs one recording with outputs: --input DIRECTORY",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_exit_code_2(
    tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    (tmp_path / "neither.py").write_text("print 'old'\ndef (: secret\n")
    (tmp_path / "new.py").write_text("print('new')\n")
    (tmp_path / "moved.py").write_text("from dstream_compat import StreamingContext\n")
    done = run("verify", *arguments, directory=tmp_path)
    assert done.returncode == 2
    assert done.stderr == ""
    assert f"COULD NOT BE COMPARED: {sentence}" in done.stdout
    assert "secret" not in done.stdout


FAILING = """
import json, sys
from dstream_parity.verify import __main__
from dstream_parity.verify.coordinator import verification
def verify(self, progress):
    raise KeyError("a value")
verification.Sides.verify = verify
sys.exit(__main__.main())
"""


def test_an_error_of_its_own_is_no_verdict_and_shows_no_value(tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.write_text("pass\n")
    done = subprocess.run(
        [sys.executable, "-c", FAILING],
        input=json.dumps({"job": str(job)}),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "migrate verify: KeyError at <string>:6, which is a bug; there is no verdict; "
        "--verbose shows the traceback\n"
    )


@pytest.mark.parametrize(("ended_with", "code"), [(0, 0), (1, 2), (2, 2), (3, 1), (130, 130)])
def test_a_process_that_fails_is_not_taken_for_one_that_found_a_difference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ended_with: int, code: int
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\ncat > /dev/null\nexit {ended_with}\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    assert CliRunner().invoke(migrate, ["verify", "job.py"]).exit_code == code


def test_numbers_that_make_no_sense_are_refused() -> None:
    for option in ("--examples", "--batches", "--batch-timeout", "--graph-timeout"):
        done = CliRunner().invoke(migrate, ["verify", "job.py", option, "0"])
        assert done.exit_code == 2
        assert f"Invalid value for '{option}'" in done.output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_in_a_batch_it_says_so_and_leaves_nothing_behind(
    tmp_path: Path, number: signal.Signals
) -> None:
    running, temporary = tmp_path / "running", tmp_path / "tmp"
    os.mkfifo(running)
    temporary.mkdir()
    env = {**os.environ, "TMPDIR": str(temporary), MARK: str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "migrator", "verify", str(JOBS / "waits.py"), "--", str(running)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        # a shell that runs the tests in the background has it ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert first_words(running, process) == "running"
        assert len(marked(tmp_path)) > 3  # this one, the one that compares, Spark, its workers
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out) == (128 + number, "")
    assert err == "migrate verify: interrupted; there is no verdict\n"
    assert marked(tmp_path) == []
    assert list(temporary.iterdir()) == []


def test_a_batch_that_takes_too_long_is_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    waits = str(JOBS / "waits.py")
    done = run("verify", waits, "--batch-timeout", "3", "--", str(tmp_path / "running"))
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.splitlines()[-1] == (
        "COULD NOT BE COMPARED: batch 1 of 1 did not finish within 3 s on the legacy engine; "
        "--batch-timeout allows more time (on the legacy engine)"
    )


def first_words(fifo: Path, process: subprocess.Popen[str]) -> str:
    """What is written into a FIFO, or how the process that should have written ended."""
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    ended = os.pidfd_open(process.pid)
    try:
        ready, _, _ = select.select([reading, ended], [], [], 240)
        if ready != [reading]:
            process.kill()
            return f"it did not get that far: {process.communicate()}"
        return os.read(reading, 100).decode()
    finally:
        os.close(reading)
        os.close(ended)


def marked(tmp_path: Path) -> list[str]:
    """The processes that have the mark in their environment: all that were started from here."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={tmp_path}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
        except OSError:  # it has ended, or belongs to someone else
            pass
    return found


def test_the_way_from_the_command_line_to_the_reports(tmp_path: Path) -> None:
    batches = tmp_path / "batches.jsonl"
    batches.write_text('["a b", "a"]\n[]\n["b"]\n')
    page = tmp_path / "report.html"
    done = run(
        *("verify", str(JOBS / "word_count.py"), "--input", str(batches), "--json", "-"),
        *("--html", str(page), "--", "localhost", "9999"),
        directory=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert report["verdict"] == "equal"
    assert report["outputs"][0]["cells"] == ["equal"] * 3
    assert "migrate verify: word_count.py" in page.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["batches.jsonl", "report.html"]


def test_record_puts_its_file_next_to_a_job_and_not_over_another(tmp_path: Path) -> None:
    done = CliRunner().invoke(migrate, ["record", str(tmp_path)])
    assert done.exit_code == 0, done.output
    written = tmp_path / "record.py"
    assert written.read_bytes() == Path(record.__file__).read_bytes()
    written.write_text("mine")
    done = CliRunner().invoke(migrate, ["record", str(tmp_path)])
    assert done.exit_code == 2
    assert "already exists; use --force to overwrite it." in done.output
    assert written.read_text() == "mine"
