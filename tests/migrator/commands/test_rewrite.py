"""`migrate rewrite` and `migrate undo`, from the command line to the files."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrator.cli import migrate
from migrator.text.maven import KAFKA

JOB = """\
from pyspark import SparkContext
from pyspark.streaming import StreamingContext

ssc = StreamingContext(SparkContext(), 1)
ssc.socketTextStream("localhost", 9999).map(len).pprint()
ssc.start()
ssc.awaitTermination()
"""
MOVED = JOB.replace("pyspark.streaming", "dstream_compat")
BY_HAND = JOB.replace("ssc.start()", "print(ssc._jssc)\nssc.start()")
BROKEN = "from pyspark.streaming import StreamingContext\nssc = StreamingContext(\n"


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    result = CliRunner().invoke(migrate, [str(argument) for argument in arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(**files: str) -> None:
    for name, text in files.items():
        path = Path(name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def test_a_file_is_rewritten_in_place() -> None:
    put(job=JOB)
    os.chmod("job.py", 0o754)
    result = run("rewrite", "job.py")
    assert Path("job.py").read_text() == MOVED
    assert stat.S_IMODE(os.stat("job.py").st_mode) == 0o754
    assert result.stdout == ""
    assert "rewritten job.py: 1 change\n" in result.stderr
    assert os.listdir() == ["job.py"]


def test_exit_code_0_if_nothing_is_left_to_do() -> None:
    put(job=JOB)
    assert run("rewrite", "job.py").exit_code == 0
    assert run("rewrite", "job.py").exit_code == 0


def test_exit_code_1_if_findings_remain() -> None:
    put(job=BY_HAND)
    result = run("rewrite", "job.py")
    assert result.exit_code == 1
    assert "DS601" in result.stderr
    assert "dstream_compat" in Path("job.py").read_text()


def test_exit_code_2_if_a_file_could_not_be_handled_and_the_others_are() -> None:
    put(a_broken=BROKEN, job=JOB, z_job=JOB)
    Path("binary.py").write_bytes(b"from pyspark.streaming import \xff\xfe\n")
    result = run("rewrite", ".")
    assert result.exit_code == 2
    assert Path("job.py").read_text() == Path("z_job.py").read_text() == MOVED
    assert Path("a_broken.py").read_text() == BROKEN
    assert "a_broken.py: is not Python 3: line 2: '(' was never closed\n" in result.stderr
    assert "binary.py: cannot be decoded: " in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("rewrite",),
        ("rewrite", "missing.py"),
        ("rewrite", "job.py", "--no-such-option"),
        ("rewrite", "job.py", "--diff", "-o", "x.py"),
        ("rewrite", "job.py", "--backup", "--check"),
        ("rewrite", "-", "job.py"),
        ("rewrite", "-", "--backup"),
        ("undo",),
        ("undo", "missing.py"),
    ],
)
def test_exit_code_2_for_usage_errors(arguments: tuple[str, ...]) -> None:
    put(job=JOB)
    assert run(*arguments).exit_code == 2
    assert Path("job.py").read_text() == JOB


def test_a_second_run_changes_nothing() -> None:
    put(job=JOB, sub__other=BY_HAND)
    run("rewrite", ".")
    before = {path: path.read_bytes() for path in Path().rglob("*.py")}
    assert run("rewrite", "--check", ".").exit_code == 0
    run("rewrite", ".")
    assert {path: path.read_bytes() for path in Path().rglob("*.py")} == before


def test_directories_and_notebooks() -> None:
    put(jobs__a=JOB, jobs__b__c=JOB, jobs__other="import os\n")
    cell = {"cell_type": "code", "source": ["%time\n", *JOB.splitlines(keepends=True)]}
    Path("jobs/n.ipynb").write_text(json.dumps({"cells": [cell], "nbformat": 4}, indent=1))
    assert run("rewrite", "jobs").exit_code == 0
    assert Path("jobs/a.py").read_text() == Path("jobs/b/c.py").read_text() == MOVED
    assert Path("jobs/other.py").read_text() == "import os\n"
    after = json.loads(Path("jobs/n.ipynb").read_text())
    assert "".join(after["cells"][0]["source"]) == "%time\n" + MOVED


def test_standard_input_goes_to_standard_output() -> None:
    result = run("rewrite", "-", stdin=JOB.replace("\n", "\r\n").encode())
    assert result.stdout_bytes == MOVED.replace("\n", "\r\n").encode()
    assert result.exit_code == 0


@pytest.mark.parametrize("code", [b"import os", b"", b"x = '\xc3\xa9'\r\n"])
def test_standard_input_without_streams_comes_out_as_it_went_in(code: bytes) -> None:
    assert run("rewrite", "-", stdin=code).stdout_bytes == code


def test_standard_input_that_cannot_be_handled_gives_no_output() -> None:
    result = run("rewrite", "-", stdin=BROKEN.encode())
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'(' was never closed" in result.stderr


def test_check_changes_nothing_and_says_what_would_change() -> None:
    put(job=JOB)
    result = run("rewrite", "--check", "job.py")
    assert result.exit_code == 1
    assert "would rewrite job.py: 1 change\n" in result.stderr
    assert Path("job.py").read_text() == JOB
    put(job=MOVED)
    assert run("rewrite", "--check", "job.py").exit_code == 0


def test_quiet_says_only_what_the_exit_code_is_about() -> None:
    put(job=JOB)
    assert run("rewrite", "--quiet", "job.py").output == ""
    put(job=BY_HAND)
    assert run("rewrite", "--quiet", "--check", "job.py").output == ""
    result = run("rewrite", "--quiet", "job.py")
    (line,) = result.output.splitlines()
    assert (result.exit_code, line.split()[1]) == (1, "error")
    put(job=BROKEN)
    assert run("rewrite", "-q", "job.py").output.count("\n") == 1


def test_verbose_names_every_change_and_every_file() -> None:
    put(job=JOB, other="import os\n")
    result = run("rewrite", "-v", ".")
    assert "job.py:2:1: DS101 import it from dstream_compat" in result.stderr
    assert "unchanged other.py: no DStream code" in result.stderr


def test_unsafe_fixes_have_to_be_asked_for() -> None:
    put(job=JOB.replace("from pyspark.streaming import StreamingContext\n", ""))
    run("rewrite", "job.py")
    assert "import StreamingContext" not in Path("job.py").read_text()
    run("rewrite", "--unsafe-fixes", "job.py")
    assert "from dstream_compat import StreamingContext\n" in Path("job.py").read_text()


def test_an_ignored_finding_is_not_fixed() -> None:
    put(
        job=JOB.replace(
            "import StreamingContext", "import StreamingContext  # migrate: ignore[DS101]"
        )
    )
    run("rewrite", "job.py")
    assert "from pyspark.streaming import" in Path("job.py").read_text()


def test_links_are_followed_not_replaced() -> None:
    put(real__job=JOB)
    os.symlink("real/job.py", "link.py")
    run("rewrite", "link.py")
    assert os.path.islink("link.py")
    assert Path("real/job.py").read_text() == MOVED


def test_kafka_coordinates_are_exchanged() -> None:
    put(
        job='import os\nos.environ["X"] = "org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.0"\n'
        + JOB
    )
    run("rewrite", "job.py")
    assert KAFKA in Path("job.py").read_text()


def test_python_2_needs_to_be_asked_for() -> None:
    put(job=JOB + "print 'started'\n")
    result = run("rewrite", "job.py")
    assert result.exit_code == 2
    assert "it is Python 2, which --python2 modernises first" in result.stderr
    assert run("rewrite", "--python2", "job.py").exit_code == 0
    assert Path("job.py").read_text() == MOVED + "print('started')\n"


def test_it_warns_when_only_a_part_of_a_job_can_be_rewritten() -> None:
    put(job="from helpers import stream\n" + JOB, helpers=BROKEN, alone=BROKEN)
    result = run("rewrite", ".")
    assert result.exit_code == 2
    assert (
        "helpers.py was not rewritten, but job.py of the same job was: "
        "old and new streams do not mix, so move all files of a job or none\n"
    ) in result.stderr
    assert "alone.py was not rewritten, but" not in result.stderr


# -- output ---------------------------------------------------------------------------------------


def test_output_to_a_file() -> None:
    put(job=JOB)
    os.chmod("job.py", 0o700)
    assert run("rewrite", "job.py", "-o", "new/moved.py").exit_code == 0
    assert Path("job.py").read_text() == JOB
    assert Path("new/moved.py").read_text() == MOVED
    assert stat.S_IMODE(os.stat("new/moved.py").st_mode) == 0o700


def test_output_of_a_directory_is_complete() -> None:
    put(jobs__a=JOB, jobs__b__c=MOVED, jobs__d="import os\n", jobs__e=BROKEN)
    assert run("rewrite", "jobs", "--output", "out").exit_code == 2
    assert Path("jobs/a.py").read_text() == JOB
    assert Path("out/a.py").read_text() == Path("out/b/c.py").read_text() == MOVED
    assert Path("out/d.py").read_text() == "import os\n"
    assert not Path("out/e.py").exists()


def test_output_of_standard_input_goes_to_a_file() -> None:
    run("rewrite", "-", "-o", "out.py", stdin=JOB.encode())
    assert Path("out.py").read_text() == MOVED


def test_output_never_overwrites_its_input() -> None:
    put(job=JOB)
    result = run("rewrite", "job.py", "-o", ".")
    assert result.exit_code == 2
    assert Path("job.py").read_text() == JOB


def test_what_could_not_be_written_is_not_called_rewritten() -> None:
    put(job=JOB)
    result = run("rewrite", "job.py", "-o", "job.py/out.py")
    assert result.exit_code == 2
    assert "0 files rewritten, " in result.stderr
    assert "1 file could not be handled" in result.stderr


def test_a_job_of_which_one_module_could_not_be_written_is_only_half_moved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(job="import common\n" + JOB, common="from pyspark.streaming import DStream\n")
    monkeypatch.setattr("os.access", lambda path, mode: not str(path).endswith("common.py"))
    result = run("rewrite", ".")
    assert "common.py: is read-only\n" in result.stderr
    assert "common.py was not rewritten, but job.py of the same job was" in result.stderr


@pytest.mark.parametrize("redirect", [">", ">>"])
def test_output_to_what_standard_output_is_does_not_replace_it(redirect: str) -> None:
    put(job=JOB)
    Path("log").touch()
    migrator = f"{sys.executable} -m migrator rewrite -q job.py -o /dev/stdout"
    command = f"(echo before; {migrator}; echo after) {redirect} log"
    subprocess.run(["sh", "-c", command], check=True)
    assert Path("log").read_text() == f"before\n{MOVED}after\n"


# -- diffs and undo -------------------------------------------------------------------------------

ODD = {
    "plain.py": JOB.encode(),
    "crlf.py": JOB.replace("\n", "\r\n").encode(),
    "no newline.py": JOB.rstrip("\n").encode(),
    "crlf_no_newline.py": JOB.rstrip("\n").replace("\n", "\r\n").encode(),
    "bom.py": b"\xef\xbb\xbf" + JOB.encode(),
    "latin.py": b"# coding: latin-1\n" + JOB.encode() + b"x = '\xe9'\n",
    "form_feed.py": JOB.replace("\n\n", "\n\x0c\n").encode() + b"\n\n  \n",
    "deep/er/last.py": b"import os\nfrom pyspark.streaming import StreamingContext",
    "clean.py": b"x = 1",
    "n.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": JOB}]}).encode(),
}


def git(*arguments: str, stdin: bytes | None = None) -> bytes:
    done = subprocess.run(["git", *arguments], input=stdin, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def put_odd() -> None:
    for name, raw in ODD.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(raw)


def test_git_applies_the_diff_and_gets_what_rewriting_gives() -> None:
    put_odd()
    git("init", "-q")
    git("config", "core.autocrlf", "false")
    done = subprocess.run(
        [sys.executable, "-m", "migrator", "rewrite", "--diff", "."],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert done.returncode == 1
    assert {name: Path(name).read_bytes() for name in ODD} == ODD
    git("apply", "--whitespace=nowarn", stdin=done.stdout)
    applied = {name: Path(name).read_bytes() for name in ODD}
    put_odd()
    run("rewrite", ".")
    assert applied == {name: Path(name).read_bytes() for name in ODD}
    changed = {name for name in ODD if applied[name] != ODD[name]}
    assert changed == ODD.keys() - {"clean.py"}


def test_the_diff_of_python_2_is_one_from_the_original() -> None:
    put(job=JOB + "print 'a'\n")
    git("init", "-q")
    result = run("rewrite", "--diff", "--python2", "job.py")
    git("apply", stdin=result.stdout_bytes)
    assert Path("job.py").read_text() == MOVED + "print('a')\n"


def test_nothing_to_change_is_an_empty_diff() -> None:
    put(job=MOVED)
    result = run("rewrite", "--diff", "job.py")
    assert (result.exit_code, result.stdout) == (0, "")


def test_backups_bring_everything_back() -> None:
    put_odd()
    run("rewrite", "--backup", ".")
    assert Path("plain.py").read_text() == MOVED
    result = run("undo", ".")
    assert result.exit_code == 0
    assert {name: Path(name).read_bytes() for name in ODD} == ODD
    assert not [path for path in Path().rglob("*") if path.suffix == ".orig"]
    again = run("undo", ".")
    assert (again.exit_code, again.stderr.count("\n")) == (1, 1)


def test_undo_of_one_file_leaves_the_others() -> None:
    put(a=JOB, b=JOB)
    run("rewrite", "--backup", ".")
    assert run("undo", "a.py", "--quiet").output == ""
    assert Path("a.py").read_text() == JOB
    assert Path("b.py").read_text() == MOVED


def test_undo_does_not_overwrite_work_done_since() -> None:
    put(a=JOB, b=JOB)
    run("rewrite", "--backup", ".")
    Path("a.py").write_text(MOVED + "# mine\n")
    result = run("undo", ".")
    assert result.exit_code == 2
    assert "a.py: was changed after it was rewritten; its original is in" in result.stderr
    assert Path("a.py").read_text() == MOVED + "# mine\n"
    assert Path("b.py").read_text() == JOB


def test_backups_are_not_taken_for_jobs() -> None:
    put(job=JOB)
    run("rewrite", "--backup", ".")
    assert run("rewrite", "--check", ".").exit_code == 0


def test_a_file_that_cannot_be_written_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(a=JOB, b=JOB)
    real = os.replace

    def failing(source: str, target: str) -> None:
        if str(target).endswith("a.py"):
            raise PermissionError(13, "Permission denied")
        real(source, target)

    monkeypatch.setattr(os, "replace", failing)
    result = run("rewrite", ".")
    assert result.exit_code == 2
    assert "a.py: cannot be written: Permission denied\n" in result.stderr
    assert Path("b.py").read_text() == MOVED
