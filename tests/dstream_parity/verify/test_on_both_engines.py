"""Real jobs on both engines: what is claimed, what is refused, what is found."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dstream_parity.verify.coordinator.verification import Children, sides
from dstream_parity.verify.judging.verdict import BatchMark, VerdictKind
from dstream_parity.verify.report.as_html import as_html
from dstream_parity.verify.report.as_json import as_json
from dstream_parity.verify.report.as_text import as_text
from dstream_parity.verify.sampling import checking
from tests.dstream_parity.verify.conftest import JOBS, Verify

Texts = Callable[..., str]


def listing(directory: Path) -> dict[str, float]:
    return {
        str(path): path.stat().st_mtime
        for path in directory.rglob("*")
        if "__pycache__" not in path.parts
    }


def test_a_stateful_job_with_arguments_is_equal_and_leaves_its_directory_alone(
    on_both: Verify, text_batches: Texts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    batches = text_batches("a b a\nc\n", "", "b\nd d a\n")
    before = listing(JOBS), listing(tmp_path)
    outcome = on_both("word_count.py", "secret-host", "9999", inputs=(batches,))
    assert outcome.verdict.kind is VerdictKind.EQUAL, outcome.verdict.why
    assert outcome.verdict.why == (
        "3 output operations, 3 batches, 26 elements; the RDDs passed to foreachRDD were compared, "
        "1 body not run"
    )
    assert outcome.sources == ("0 (socketTextStream at word_count.py:21)",)
    assert outcome.reference.startswith("legacy engine of pyspark ")
    assert [str(output.output) for output in outcome.verdict.outputs] == [
        "pprint at word_count.py:23",
        "foreachRDD at word_count.py:25",
        "saveAsTextFiles at word_count.py:26",
    ]
    assert (listing(JOBS), listing(tmp_path)) == before
    assert "secret-host" not in as_text(outcome) + as_json(outcome) + as_html(outcome)


def test_a_wrongly_rewritten_job_differs_at_its_line_without_a_value_being_shown(
    on_both: Verify, text_batches: Texts
) -> None:
    batches = text_batches("apple\n", "pear pear\napple\n", "apple\n")
    outcome = on_both("word_count.py", "h", "1", inputs=(batches,), rewritten="wrong_word_count.py")
    verdict = outcome.verdict
    assert verdict.kind is VerdictKind.DIFFERENT
    assert verdict.why == "foreachRDD at word_count.py:25: the RDD differs in batch 2"
    first, second, _ = verdict.outputs
    assert first.cells == (BatchMark.EQUAL,) * 3
    assert second.cells == (BatchMark.EQUAL, BatchMark.DIFFERENT, BatchMark.DIFFERENT)
    assert second.difference is not None
    assert second.difference.ours is not None
    assert second.difference.ours.line == 22
    assert second.difference.expected == (
        "2 elements in 2 partitions; only in reference: 1 (1 × tuple(str, int))"
    )
    everything = as_text(outcome) + as_json(outcome) + as_html(outcome)
    assert "apple" not in everything
    assert "pear" not in everything
    reported = json.loads(as_json(outcome))
    assert (reported["verdict"], reported["exit_code"]) == ("different", 1)
    assert reported["outputs"][1]["first_difference"]["batch"] == 1


def test_sources_that_spark_no_longer_ships_are_fed_by_number_and_by_name(
    on_both: Verify, tmp_path: Path, text_batches: Texts
) -> None:
    (tmp_path / "records").write_bytes(b"aabbcc")
    lines = tmp_path / "all.jsonl"
    lines.write_text(
        "\n".join(
            json.dumps(batch)
            for batch in (
                {"events": ['{"n": 1}', '{"n": 2}'], "clicks": ["x", ["key", "y"]], "4": ["k"]},
                {"clicks": ["x"], "sensors": ["m"], "host:4141": ["body"]},
                {"events": ['{"n": 3}']},
            )
        )
    )
    outcome = on_both(
        "connectors.py",
        inputs=(
            str(lines),
            f"binaryRecordsStream={tmp_path / 'records'}",
            f"/nowhere/text={text_batches('a', 'b', 'c')}",
            f"settings={_settings(tmp_path)}",
        ),
    )
    verdict = outcome.verdict
    assert verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert [output.elements for output in verdict.outputs] == [3, 3, 2, 1, 1, 5, 3]
    assert len(outcome.sources) == 11


def _settings(tmp_path: Path) -> str:
    path = tmp_path / "settings.jsonl"
    path.write_text('["on", "off"]\n')
    return str(path)


def test_bodies_are_run_when_asked_for_and_what_they_do_is_compared(
    on_both: Verify, text_batches: Texts
) -> None:
    batches = text_batches("b a a\n", "", "bad\n", "end\n", "never seen\n")
    outcome = on_both("bodies.py", inputs=(batches,), run_outputs=True)
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert outcome.verdict.why == (
        "3 output operations, 4 batches, 15 elements; 1 with exceptions on both sides; 3 bodies "
        "run, with prints, exceptions and actions compared"
    )
    assert "the job stopped itself in batch 4 of 5 (stop at bodies.py:31)" in outcome.verdict.notes
    assert outcome.verdict.outputs[1].notes == ("raised ValueError in 1 batch, on both sides",)


def test_a_body_that_changes_what_a_map_reads_cannot_be_compared_unless_it_is_run(
    on_both: Verify, text_batches: Texts
) -> None:
    batches = text_batches("a\n", "a b\n", "a\n")
    outcome = on_both("driver_state.py", inputs=(batches,))
    assert outcome.verdict.kind is VerdictKind.NOT_COMPARED
    assert outcome.verdict.why == (
        "the body of foreachRDD at driver_state.py:17 changes seen, which the function of "
        "map at driver_state.py:18 reads; use --run-outputs to run the bodies"
    )
    outcome = on_both("driver_state.py", inputs=(batches,), run_outputs=True)
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)


def test_what_differs_from_itself_is_named_and_not_claimed(on_both: Verify) -> None:
    outcome = on_both("clock_and_chance.py")
    assert outcome.verdict.kind is VerdictKind.EQUAL
    assert outcome.verdict.why == "1 of 2 output operations, 2 batches, 4 elements"
    assert outcome.verdict.outputs[0].cells == (BatchMark.UNSTABLE,) * 2
    assert "the legacy engine differs from itself at pprint at clock_and_chance.py:12" in (
        as_text(outcome)
    )


def test_errors_of_functions_and_batches_that_cannot_be_generated_are_equal_too(
    on_both: Verify, text_batches: Texts
) -> None:
    batches = text_batches("1\n2\n", "x\n", "stop\n3\n", "4\n")
    outcome = on_both("failing.py", inputs=(batches,))
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert outcome.verdict.times[-1] - outcome.verdict.times[0] == 3000
    numbers, counted = outcome.verdict.outputs
    assert numbers.notes == ("raised ValueError in 2 batches, on both sides",)
    assert counted.notes == ("raised RuntimeError in 1 batch, on both sides",)


def test_a_shell_job_with_a_missing_module_runs_with_a_prelude_on_driver_and_workers(
    on_both: Verify,
) -> None:
    missing = on_both("shell_job.py", shell=True)
    assert missing.verdict.kind is VerdictKind.NOT_COMPARED
    assert missing.verdict.why == (
        "shell_job.py:3 imports redis, which is not installed: install it, or provide a stand-in "
        "with --prelude FILE, which runs before the job on both sides (on the legacy engine)"
    )
    without_shell = on_both("shell_job.py", prelude="prelude.py")
    assert without_shell.verdict.why == (
        "shell_job.py:7 uses sc, which only a shell or notebook defines: use --shell "
        "(on the legacy engine)"
    )
    outcome = on_both("shell_job.py", prelude="prelude.py", shell=True)
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert outcome.verdict.outputs[0].elements == 3
    assert any("pprint at shell_job.py:19 comes after start" in n for n in outcome.verdict.notes)


def test_a_notebook_runs_with_its_magics_left_out_and_the_shells_names(
    on_both: Verify, tmp_path: Path
) -> None:
    cells = [
        ["%matplotlib inline\n", "!pip install nothing\n", "from pyspark.streaming import *"],
        ["ssc = StreamingContext(sc, 1)\n", "ssc.queueStream([[1], [2, 3]]).count().pprint()"],
        ["%%bash\n", "rm -rf /nowhere"],
        ["ssc.start()"],
    ]
    notebook = tmp_path / "job.ipynb"
    notebook.write_text(
        json.dumps({"cells": [{"cell_type": "code", "source": source} for source in cells]})
    )
    outcome = on_both(str(notebook))
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert outcome.verdict.outputs[0].counts == (1, 1)


def test_an_input_for_no_source_is_refused(on_both: Verify, text_batches: Texts) -> None:
    batches = text_batches("1\n")
    outcome = on_both("clock_and_chance.py", inputs=(batches,))
    assert "one --input matches no source of the job: a queueStream keeps" in outcome.verdict.why
    outcome = on_both("lengths.py", inputs=(batches, f"clicks={batches}"))
    assert outcome.verdict.why.startswith("the job has no source called clicks; its sources are")


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        ("needs_arguments.py", "exited with code 2 at needs_arguments.py:5 before"),
        (
            "misses_an_argument.py",
            "misses_an_argument.py:5 needs an argument that was not given: put its arguments",
        ),
        ("never_starts.py", "without starting its StreamingContext (it has 1 output operation)"),
        ("has_no_context.py", "finished without creating a StreamingContext"),
        ("connects.py", "connects.py:6 opens an outside connection while it builds its graph"),
        ("raises.py", "raises.py:1 raised KeyError before the job was started; --show-values"),
        ("no_outputs.py", "no_outputs.py:6 starts the context without an output operation"),
    ],
)
def test_what_real_jobs_stumble_over_is_one_sentence(
    on_both: Verify, job: str, sentence: str
) -> None:
    outcome = on_both(f"troubled/{job}")
    assert outcome.verdict.kind is VerdictKind.NOT_COMPARED
    assert sentence in outcome.verdict.why
    assert "password" not in as_text(outcome)


def test_a_job_without_batches_for_its_source_says_what_to_give(on_both: Verify) -> None:
    outcome = on_both("word_count.py", "h", "1")
    assert outcome.verdict.why.startswith(
        "the job reads from source 0 (socketTextStream at word_count.py:21): give it batches with "
        "--input PATH"
    )


def test_a_difference_found_in_samples_is_shrunk_and_saved_as_a_test_without_values(
    on_both: Verify, both: Children, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = tmp_path / "lines.txt"
    sample.write_text("plum\ncherry cherry\na longer line of words\n")
    saved = tmp_path / "test_saved.py"
    outcome = on_both(
        "lengths.py",
        rewritten="wrong_lengths.py",
        sample=(str(sample),),
        examples=5,
        seed=3,
        save_test=str(saved),
    )
    assert outcome.verdict.kind is VerdictKind.DIFFERENT, as_text(outcome)
    assert outcome.test_file == str(saved)
    source = saved.read_text()
    assert "cherry" not in source
    assert "BATCHES = {\n    '0': [[1]],\n}" in source
    assert outcome.verdict.why.endswith("the smallest example found: 1 batch, 1 line")
    namespace: dict[str, Any] = {"__file__": str(saved)}
    exec(compile(source, str(saved), "exec"), namespace)
    assert namespace["JOB"] == os.path.relpath(JOBS / "lengths.py", tmp_path)
    # as pytest would run it, but in the processes that are there
    monkeypatch.setattr(checking, "sides", lambda request: sides(request, both))
    with pytest.raises(AssertionError, match=r"DIFFERENT: pprint at lengths\.py:7"):
        namespace["test_lengths_is_equal_on_both_engines"]()
    sample.write_text("something else\n")
    with pytest.raises(
        AssertionError, match=r"lines\.txt has changed since this test was generated"
    ):
        namespace["test_lengths_is_equal_on_both_engines"]()


def test_samples_that_never_differ_are_equal(on_both: Verify, tmp_path: Path) -> None:
    sample = tmp_path / "lines.txt"
    sample.write_text("plum\ncherry cherry\n")
    outcome = on_both("lengths.py", sample=(str(sample),), examples=3, seed=1)
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert outcome.verdict.why.startswith("4 examples, 1 output operation, ")


def test_a_job_that_never_gets_to_start_is_ended_and_the_line_is_named(on_both: Verify) -> None:
    outcome = on_both("troubled/never_returns.py", graph_timeout=2.0)
    assert outcome.verdict.why.startswith(
        "the job had not started its StreamingContext after 2 s (it was at never_returns.py:3)"
    )


def test_a_job_that_waits_in_a_way_of_its_own_gets_its_batches_and_its_line_is_named(
    on_both: Verify, text_batches: Texts
) -> None:
    batches = text_batches("a\n", "", "bb\n")
    outcome = on_both("waits_with_event.py", inputs=(batches,))
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert outcome.verdict.outputs[0].elements == 2
    assert (
        "the job did not end by itself after its last batch: it was at waits_with_event.py:24"
    ) in outcome.verdict.notes


def test_a_job_that_reads_its_standard_input_finds_nothing_there(
    on_both: Verify, text_batches: Texts
) -> None:
    outcome = on_both("waits_for_enter.py", inputs=(text_batches("a\n", "bb\n"),))
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert outcome.verdict.notes == (
        "waits_for_enter.py:9 raised EOFError after the job was started",
    )
