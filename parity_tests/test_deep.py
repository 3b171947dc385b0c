"""The deep run: it counts what it tries, finds what is wrong, and writes it down."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner

from dstream_compat.graph import compiler
from dstream_parity import replay
from dstream_parity.engines import in_process as inprocess
from parity_tests import deep
from parity_tests.deep import MIXES, How, Run, main
from parity_tests.ledger import IN_PROCESS, ON_SPARK
from parity_tests.model import replay_model
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


def without_glom(outputs: Any, *arguments: Any) -> Any:
    if "glom" in repr(outputs):
        raise AssertionError("no such route")
    return compiler.compile_graph(outputs, *arguments)


def test_an_engine_that_breaks_down_is_reported_and_the_run_goes_on(tmp_path: Path) -> None:
    with patch.object(inprocess, "compile_graph", without_glom):
        result = CliRunner().invoke(main, [*ONE_ROUND, "--report", str(tmp_path / "report.md")])
    assert result.exit_code == 1
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "AssertionError: no such route" in report
    assert ".glom()]" in report
    assert "2 differed" in result.output


def test_of_graphs_in_one_replay_the_one_that_breaks_down_is_found() -> None:
    def instead(build: Any, batches: Any, engine: str, sc: Any, **how: Any) -> Any:
        """The legacy engine is the model here, and ours runs in process."""
        if engine == "legacy":
            return replay_model(build, batches, before=how["before"])
        return replay(build, batches, "in-process", **how)

    run = Run(3)
    with (
        patch.object(deep, "replay", instead),
        patch.object(inprocess, "compile_graph", without_glom),
    ):
        run.on_spark(None, graphs=40)
    assert run.found
    assert all("no such route" in text and text.count("def pipeline") == 1 for text in run.found)
    assert run.ledger.graphs[ON_SPARK] == 40 - len(run.found)


def test_restarts_are_drawn_too() -> None:
    drawn: set[How] = set()
    run = Run(1)
    for run.rounds in range(60):
        drawn.add(run._how(MIXES[run.rounds % len(MIXES)]))
    assert {how.together for how in drawn} == {1, 2, 3}
    assert {how.restarts for how in drawn} == {(), (2, 4)}
    assert How(3, (2, 4)) in drawn
