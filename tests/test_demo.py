"""The demonstration shows what it claims: its verdict follows from the outputs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dstream_compat.testing import Outcomes, Raised, Seen
from samples import demo

ROOT = Path(__file__).resolve().parent.parent


def test_both_engines_count_the_same_words_within_two_minutes() -> None:
    # as a user's shell would have it: without what the tests set for themselves
    ours = ("PYTHONHASHSEED", "PYSPARK_PYTHON", "SPARK_LOG_LEVEL", "SPARK_SUBMIT_OPTS")
    env = {key: value for key, value in os.environ.items() if key not in ours}
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "samples.demo"],
        cwd=ROOT,
        env=env,
        text=True,
        capture_output=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - began < 120
    lines = done.stdout.splitlines()
    assert lines[-1] == f"Verdict: EQUAL ({len(demo.TEXT)} batches)"
    assert sum(": EQUAL ---" in line for line in lines) == len(demo.TEXT)
    assert f"{'(' + repr('the') + ', 3)':<{demo.WIDTH}} | ('the', 3)" in lines
    assert done.stderr == ""  # no log of Spark's unless asked for


@pytest.mark.parametrize(
    "other",
    [
        Seen(((("a", 1),), (("b", 1),))),
        Seen(((("a", 1),), ())),
        Seen(((("a", 1.0),), (("b", 2),))),
        Raised("ValueError", "boom"),
    ],
)
def test_a_difference_in_one_batch_is_the_verdict(
    other: Seen | Raised, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = Seen(((("a", 1),), (("b", 2),)))
    old: Outcomes = [[seen, seen]]
    new: Outcomes = [[seen, other]]
    assert demo.report(old, new) == 1
    printed = capsys.readouterr().out
    assert "batch 1: EQUAL" in printed
    assert "batch 2: DIFFERENT" in printed
    assert printed.endswith("Verdict: DIFFERENT (2 batches)\n")


def test_a_bad_option_gets_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main(["--faster"]) == 2
    assert capsys.readouterr().err == "demo: unrecognized arguments: --faster; see --help\n"
