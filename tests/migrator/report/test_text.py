"""The report for a terminal."""

from __future__ import annotations

import click

from migrator.core import Failed, Severity, Unchanged
from migrator.report import text
from migrator.report.summary import sentences, shown, summary
from migrator.run.readiness import JobReport
from migrator.run.running import Report
from tests.migrator.report import REPORT, finding

WHOLE = """\
blocked  jobs/flume.py                             4 of 5 uses supported
unknown  jobs/broken.py
decide   jobs/clicks.py                            8 of 8 uses supported, 2 modules
ready    jobs/<script>alert(1)</script> & "co".py  6 of 6 uses supported

DS201 error   Flume is gone (blocked)
      → use Kafka
      jobs/flume.py:3:5
DS603 warning a DStream is always true (decide, 3 × in 2 files)
      → write `is not None`
      jobs/clicks.py:12:5
      jobs/clicks.py:20:5
      jobs/explore.ipynb:cell 3:2:5
DS101 info    this import moves (fixed by rewrite)
      → `migrate rewrite` does it
      jobs/<script>alert(1)</script> & "co".py:1:5

jobs/broken.py: is not Python 3: line 4: invalid syntax

Readiness 25 %: 1 of 4 jobs ready; 1 to decide, 1 blocked, 1 unknown.
18 of 19 uses supported.
5 findings: 1 error, 3 warnings, 1 note; `migrate rewrite` fixes 1 of them.
1 file could not be handled.
1 finding ignored by comments.
"""


def test_jobs_then_findings_in_groups_then_the_summary() -> None:
    assert text.render(REPORT) == WHOLE


def test_colours_change_nothing_but_colours() -> None:
    coloured = text.render(REPORT, colour=True)
    assert coloured != WHOLE
    assert click.unstyle(coloured) == WHOLE


def test_many_places_are_cut_short_unless_all_are_asked_for() -> None:
    many = Report((Unchanged("a.py", tuple(finding(path="a.py", line=n) for n in range(1, 9))),))
    assert "a.py:5:5\n      … and 3 more; -v lists them\n" in text.render(many)
    assert "a.py:8:5\n" in text.render(many, verbose=True)


def test_many_jobs_are_cut_short_the_least_ready_first() -> None:
    jobs = tuple(JobReport(f"{n:02}.py", (), REPORT.jobs[2].readiness) for n in range(30))
    told = text.render(Report(jobs=(*jobs, REPORT.jobs[1])))
    assert told.startswith("blocked  jobs/flume.py")
    assert "… and 11 jobs more; -v lists them\n" in told
    assert text.render(Report(jobs=jobs), verbose=True).count("ready    ") == 30


def test_verbose_tells_what_a_job_consists_of() -> None:
    told = text.render(REPORT, verbose=True)
    assert "         sources: KafkaUtils.createStream\n" in told
    assert "         operators: map ×4, reduceByKey\n" in told
    assert "5 files read, 1 skipped: no sign of DStreams.\n" in told


def test_quiet_is_a_line_for_each_finding_that_is_severe_enough() -> None:
    assert text.findings_only(REPORT, Severity.ERROR) == (
        "jobs/flume.py:3:5: error DS201 Flume is gone\n"
    )
    assert text.findings_only(REPORT, Severity.INFO).count("\n") == 5
    assert text.findings_only(REPORT, None) == ""


def test_no_jobs_are_no_percentage() -> None:
    assert sentences(summary(Report())) == ["No DStream jobs found."]


def test_readiness_is_rounded_down_so_that_100_means_all() -> None:
    ready = JobReport("a.py", (), REPORT.jobs[2].readiness)
    nearly = Report(jobs=(*[ready] * 199, REPORT.jobs[0]))
    assert summary(nearly).percent == 99
    assert summary(Report(jobs=(ready,))).percent == 100


def test_unknown_counts_as_not_ready() -> None:
    unknown = REPORT.jobs[3]
    assert summary(Report(jobs=(unknown, REPORT.jobs[2]))).percent == 50


def test_odd_names_of_files_can_be_printed() -> None:
    assert shown("a\x1b[31m\n\udcff.py") == "a�[31m��.py"
    report = Report((Failed("\udcff.py", "is odd"),))
    text.render(report).encode("utf-8")
