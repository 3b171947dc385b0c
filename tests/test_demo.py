"""The demonstration shows what it claims: its verdict is that of `migrate verify`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samples import demo

ROOT = Path(__file__).resolve().parents[1]


def run(
    *arguments: str, ours: tuple[str, ...] = ("SPARK_LOG_LEVEL",)
) -> subprocess.CompletedProcess[str]:
    """``ours`` are settings of the tests that it is run without."""
    env = {key: value for key, value in os.environ.items() if key not in ours}
    return subprocess.run(
        [sys.executable, "-m", "samples.demo", *arguments],
        cwd=ROOT,
        env=env,
        text=True,
        capture_output=True,
        timeout=280,
    )


def test_it_goes_the_whole_way() -> None:
    # as a user's shell would have it
    ours = ("PYTHONHASHSEED", "PYSPARK_PYTHON", "SPARK_LOG_LEVEL", "SPARK_SUBMIT_OPTS")
    done = run(ours=(*ours, "SPARK_CLASS_ARCHIVE"))
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout
    steps = [
        "$ migrate scan samples/legacy/stateful_wordcount.py",
        "ready    samples/legacy/stateful_wordcount.py",
        "$ migrate rewrite --diff samples/legacy/stateful_wordcount.py",
        "+from dstream_compat import StreamingContext",
        "$ migrate verify samples/legacy/stateful_wordcount.py --input",
        "reference  legacy engine of pyspark",
        "\nEQUAL: 1 output operation, 5 batches, ",
        "\nVerdict: EQUAL, on these batches.",
    ]
    places = [told.find(step) for step in steps]
    assert -1 not in places, told
    assert places == sorted(places)


def test_a_mistake_in_the_rewritten_job_is_the_verdict() -> None:
    done = run("--sabotage")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "\nDIFFERENT: pprint at stateful_wordcount.py" in done.stdout
    assert "\nVerdict: DIFFERENT. Do not move the job like this." in done.stdout


def test_there_is_a_mistake_to_make() -> None:
    twin = ROOT / "samples" / "migrated" / "stateful_wordcount.py"
    assert demo.RIGHT in twin.read_text(encoding="utf-8")


def test_a_bad_option_gets_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main(["--faster"]) == 2
    assert capsys.readouterr().err == "demo: unrecognized arguments: --faster; see --help\n"
