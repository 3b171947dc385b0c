"""``make bench``: what it measures itself against, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks import engines, spark
from benchmarks.run import main

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


def test_another_checkout_is_measured_beside_both_engines(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    quick = ("--only", "tiny", "--rounds", "1", "--batches", "1")
    run = _bench(*quick, "--json", str(figures), "--against", str(ROOT))
    assert run.returncode == 0, run.stderr
    assert "ours/theirs" in run.stdout
    (row,) = json.loads(figures.read_text())["workloads"]
    assert row["ratio"] == row["ours"]["median"] / row["legacy"]["median"]
    assert len(row["theirs"]["seconds"]) == 1


def test_the_ratio_of_an_earlier_run_stands_beside_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(spark, "context", lambda: nullcontext())
    monkeypatch.setattr(spark, "machine", lambda sc: "a machine")
    seconds = {"legacy": [1.0, 2.0, 3.0], "ours": [1.0, 1.0, 1.0]}
    monkeypatch.setattr(engines, "measure", lambda sc, engine, name, batches: seconds[engine])
    figures = tmp_path / "figures.json"
    assert main(["--only", "tiny", "--rounds", "1", "--json", str(figures)]) == 0
    seconds["ours"] = [1.5]
    assert main(["--only", "tiny", "--rounds", "1", "--against", str(figures)]) == 0
    title, row = capsys.readouterr().out.splitlines()[-2:]
    assert title.split()[-2:] == ["earlier", "ratio"]
    assert row.split()[-2:] == ["0.75", "0.50"]
