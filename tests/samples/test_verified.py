"""Every sample does what its reference did, and its verdict says what the reference is."""

from __future__ import annotations

import json
import os
import queue
import runpy
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark import SparkContext

from dstream_parity.verify.coordinator.verification import (
    Children,
    Quiet,
    Sides,
    Verification,
    children,
    verify,
)
from dstream_parity.verify.inputs.feeds import read_feed
from dstream_parity.verify.judging.verdict import BatchMark, VerdictKind
from dstream_parity.verify.report.as_html import as_html
from dstream_parity.verify.report.as_json import as_json
from dstream_parity.verify.report.as_text import as_text
from samples import against_jvm
from samples.catalogue import BATCHES, Reference, Sample, samples
from samples.verify import main, request_of, verified

SAMPLES = samples()
NAMED = {sample.name: sample for sample in SAMPLES}
REPLAYED = [sample for sample in SAMPLES if sample.reference is not Reference.JVM]

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Children]:
    """Two processes, one per engine, for all samples: starting Spark is what takes time.

    Bodies of outputs run for real: what they write goes to a separate directory.
    """
    here = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("samples"))
    try:
        with children() as made:
            yield made
    finally:
        os.chdir(here)


# All others have their reference run once, which takes a third of the time, and say so.
TWICE = ("stateful_wordcount",)


@pytest.mark.parametrize("sample", REPLAYED, ids=lambda sample: sample.name)
def test_a_sample_is_equal_to_its_reference(sample: Sample, both: Children, tmp_path: Path) -> None:
    outcome = verified(sample, both, tmp_path, repeat=sample.name in TWICE)
    report = as_text(outcome)
    assert outcome.verdict.kind is VerdictKind.EQUAL, report
    assert all(output.unstable is None for output in outcome.verdict.outputs), report
    assert all(BatchMark.EQUAL in output.cells for output in outcome.verdict.outputs), report
    assert all(output.elements for output in outcome.verdict.outputs), report
    assert_names_its_reference(sample, outcome)
    if sample.reference is Reference.MODERNISED:
        assert_says_that_it_was_modernised(sample, outcome)


def assert_names_its_reference(sample: Sample, outcome: Verification) -> None:
    told = as_text(outcome).splitlines()[0]
    expected = {
        Reference.LEGACY: "legacy engine of pyspark",
        Reference.MODERNISED: "running the modernised form of python2_pageviews.py, not Python 2",
        Reference.JVM: "mapWithState of the JVM's DStreams",
        Reference.EXPECTED: "expected batches written by hand",
    }
    assert expected[sample.reference] in told
    assert ("run twice" in told) is (sample.name in TWICE)
    once = sample.reference in (Reference.LEGACY, Reference.MODERNISED) and sample.name not in TWICE
    assert ("run once and not compared with itself" in told) is once


def assert_says_that_it_was_modernised(sample: Sample, outcome: Verification) -> None:
    assert outcome.compared.startswith(
        "python2_pageviews.py as `migrate rewrite --python2` rewrites it, on dstream_compat "
    )
    assert outcome.verdict.why.endswith("the reference is the job's modernised form, not Python 2")
    for report in (as_text(outcome), as_html(outcome), as_json(outcome)):
        assert "running the modernised form of python2_pageviews.py, not Python 2" in report
    assert json.loads(as_json(outcome))["modernised"] is True
    source = sample.path.read_text().splitlines()
    for output in outcome.verdict.outputs:  # lines of the user's file, not of what was made of it
        near = "".join(source[output.output.line - 2 : output.output.line])
        assert f"{output.output.operation}(" in near


def test_the_sessions_are_those_of_the_jvm(
    live_sc: Callable[[], SparkContext], tmp_path: Path
) -> None:
    sample = NAMED["sessions"]
    outcome = against_jvm.outcome(sample, live_sc(), tmp_path)
    assert outcome.verdict.kind is VerdictKind.EQUAL, outcome.verdict.why
    assert_names_its_reference(sample, outcome)


def test_a_twin_that_does_something_else_is_different(both: Children, tmp_path: Path) -> None:
    sample = NAMED["network_wordcount"]
    wrong = tmp_path / "wrong.py"
    wrong.write_text(sample.twin.read_text().replace("a + b", "a + 2 * b"))
    outcome = verify(replace(request_of(sample), rewritten=str(wrong)), using=both)
    assert outcome.verdict.kind is VerdictKind.DIFFERENT
    assert "pprint at network_wordcount.py" in outcome.verdict.why


def test_expected_batches_that_do_not_come_are_a_difference(both: Children, tmp_path: Path) -> None:
    """The receiver's reference can say no."""
    sample = NAMED["log_levels"]
    shutil.copytree(sample.batches, tmp_path / "other")
    part = sorted((tmp_path / "other" / "levels").glob("*/part-0"))[1]
    part.write_text(json.dumps({"$tuple": ["ERROR", 3]}) + "\n")
    request = replace(request_of(sample), inputs=(str(tmp_path / "other"),))
    assert verify(request, using=both).verdict.kind is VerdictKind.DIFFERENT


# -- the receiver itself ---------------------------------------------------------------------------


def test_the_receiver_gives_every_line_once_and_waits_for_the_rest_of_one(tmp_path: Path) -> None:
    """The replay takes its place, so it is asked here, with what it stores taken down."""
    job = runpy.run_path(str(NAMED["log_levels"].path))
    stored: queue.Queue[str] = queue.Queue()

    class Tail(job["Tail"]):  # type: ignore[misc, valid-type]
        def store(self, element: str) -> None:
            stored.put(element)

        def isStopped(self) -> bool:
            return over.is_set()

    over = threading.Event()
    log = tmp_path / "app.log"
    log.write_text("INFO one\nERR", encoding="utf-8")
    Tail(str(log)).onStart()
    try:
        assert stored.get(timeout=30) == "INFO one"
        with log.open("a", encoding="utf-8") as file:
            file.write("OR two\nWARN three\n")
        assert [stored.get(timeout=30), stored.get(timeout=30)] == ["ERROR two", "WARN three"]
        assert stored.empty()
    finally:
        over.set()


# -- what jobs leave behind -----------------------------------------------------------------------


def sqlite_rows(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return sorted(connection.execute("select batch, page, number from clicks"))


def test_the_database_holds_the_same_rows_after_either_engine(
    both: Children, tmp_path: Path
) -> None:
    sample = NAMED["clicks_to_database"]
    arguments = (*sample.arguments[:2], str(tmp_path / "clicks.db"))
    sides = Sides(replace(request_of(sample), arguments=arguments), both)
    feed = read_feed(sides.request.inputs, None, trust=False)
    sides.run_legacy(feed, Quiet)
    (tmp_path / "clicks.db").rename(tmp_path / "legacy.db")
    job, _ = sides.moved()
    sides.run_ours(job, feed, Quiet)
    rows = sqlite_rows(tmp_path / "legacy.db")
    assert sqlite_rows(tmp_path / "clicks.db") == rows
    assert [(page, number) for _, page, number in rows] == [
        ("/cart", 1),
        ("/home", 2),
        ("/cart", 1),
        ("/home", 2),
        ("/pay", 1),
    ]


def test_no_database_is_made_where_bodies_are_not_run(both: Children, tmp_path: Path) -> None:
    sample = NAMED["clicks_to_database"]
    arguments = (*sample.arguments[:2], str(tmp_path / "clicks.db"))
    sides = Sides(replace(request_of(sample), arguments=arguments, run_outputs=False), both)
    seen = sides.run_legacy(read_feed(sides.request.inputs, None, trust=False), Quiet)
    assert seen.outputs[0].body
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(
    "SAMPLES_POSTGRESQL" not in os.environ,
    reason="SAMPLES_POSTGRESQL names no server (postgresql://user:password@host/database)",
)
def test_the_same_in_postgresql(both: Children, tmp_path: Path) -> None:
    psycopg2 = pytest.importorskip("psycopg2")
    database = os.environ["SAMPLES_POSTGRESQL"]

    def taken() -> list[tuple[object, ...]]:
        with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
            cursor.execute("select batch, page, number from clicks order by 1, 2, 3")
            rows = cursor.fetchall()
            cursor.execute("drop table clicks")
            connection.commit()
            return list(rows)

    sample = NAMED["clicks_to_database"]
    arguments = (*sample.arguments[:2], database)
    sides = Sides(replace(request_of(sample), arguments=arguments), both)
    feed = read_feed(sides.request.inputs, None, trust=False)
    sides.run_legacy(feed, Quiet)
    rows = taken()
    job, _ = sides.moved()
    sides.run_ours(job, feed, Quiet)
    assert taken() == rows
    assert len(rows) == 5


def test_batches_belong_to_samples() -> None:
    named = {sample.batches.name for sample in SAMPLES}
    others = {path.name for path in BATCHES.iterdir()} - named
    assert {name.partition("_")[0] for name in others} <= {"kafka", "kinesis", "mqtt"}


def test_a_name_that_no_sample_has_gets_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert capsys.readouterr().err.startswith(
        "samples: no sample is called nothing; there are clicks_to_database, "
    )
