"""The deep run: it counts what it tries, finds what is wrong, and writes it down."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner

from dstream_compat import compiler
from dstream_compat.testing import inprocess
from parity_tests.deep import MIXES, How, Run, main
from parity_tests.ledger import IN_PROCESS
from parity_tests.mutants import MUTANTS

ONE_ROUND = ["--no-spark", "--minutes", "0", "--seed", "7"]


def test_what_was_tried_is_counted_by_operator(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [*ONE_ROUND, "--report", str(tmp_path / "new" / "report.md")])
    assert result.exit_code == 0, result.output
    assert "graphs in process, 0 on Spark, all the same" in result.output
    report = (tmp_path / "new" / "report.md").read_text(encoding="utf-8")
    assert "Seed 7, 1 rounds" in report
    assert "\n| map | " in report
    assert "Nothing differed." in report


def test_a_fault_is_reported_with_a_small_example(tmp_path: Path) -> None:
    with MUTANTS["an int for a bool"]():
        result = CliRunner().invoke(main, [*ONE_ROUND, "--report", str(tmp_path / "report.md")])
    assert result.exit_code == 1
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "the elements differ" in report
    assert "def pipeline(ssc, inputs):" in report
    assert min(len(line) for line in report.splitlines() if line.startswith("batches = ")) < 60


def test_the_same_seed_tries_the_same() -> None:
    runs = [Run(11), Run(11)]
    for run in runs:
        run.in_process(30)
    assert runs[0].ledger == runs[1].ledger
    assert runs[0].ledger.graphs[IN_PROCESS] == 30


def test_an_engine_that_breaks_down_is_reported_and_the_run_goes_on(tmp_path: Path) -> None:
    original = compiler.compile_graph

    def breaks(outputs: Any, *arguments: Any) -> Any:
        if "glom" in repr(outputs):
            raise AssertionError("no such route")
        return original(outputs, *arguments)

    with patch.object(inprocess, "compile_graph", breaks):
        result = CliRunner().invoke(main, [*ONE_ROUND, "--report", str(tmp_path / "report.md")])
    assert result.exit_code == 1
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "AssertionError: no such route" in report
    assert ".glom()]" in report
    assert "2 differed" in result.output


def test_restarts_are_drawn_too() -> None:
    drawn: set[How] = set()
    run = Run(1)
    for run.rounds in range(60):
        drawn.add(run._how(MIXES[run.rounds % len(MIXES)]))
    assert {how.together for how in drawn} == {1, 2, 3}
    assert {how.restarts for how in drawn} == {(), (2, 4)}
    assert How(3, (2, 4)) in drawn
