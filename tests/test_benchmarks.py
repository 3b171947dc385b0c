"""``make bench``: what it measures itself against, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def _bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.run", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("docs", "is not a checkout"),
        ("no-such-file", "cannot read no-such-file"),
        ("README.md", "was not written by --json"),
    ],
)
def test_what_cannot_be_measured_against_is_refused_in_one_sentence(
    given: str, reason: str
) -> None:
    run = _bench("--against", given)
    assert run.returncode == 2
    assert reason in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_another_checkout_and_an_earlier_run_stand_beside_both_engines(tmp_path: Path) -> None:
    quick = ("--only", "tiny", "--rounds", "1", "--batches", "1")
    figures = tmp_path / "figures.json"
    run = _bench(*quick, "--json", str(figures), "--against", str(ROOT))
    assert run.returncode == 0, run.stderr
    assert "ours/theirs" in run.stdout
    (row,) = json.loads(figures.read_text())["workloads"]
    assert row["ratio"] == row["ours"]["median"] / row["legacy"]["median"]
    assert len(row["theirs"]["seconds"]) == 1

    again = _bench(*quick, "--against", str(figures))
    assert f"{row['ratio']:.2f}" in again.stdout
    assert "earlier ratio" in again.stdout
