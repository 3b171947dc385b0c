"""A report made by hand: one job of each class, findings of each severity, a file that failed."""

from __future__ import annotations

from migrator.core import (
    Confidence,
    Failed,
    Finding,
    Fix,
    Readiness,
    Safety,
    Severity,
    Skipped,
    Unchanged,
)
from migrator.model.jobmodel import Role
from migrator.run.readiness import JobReport
from migrator.run.running import Report
from migrator.text.source import Edit, Span

HOSTILE = 'jobs/<script>alert(1)</script> & "co".py'


def finding(
    code: str = "DS603",
    path: str = "jobs/clicks.py",
    line: int = 12,
    *,
    message: str = "a DStream is always true",
    help: str = "write `is not None`",
    severity: Severity = Severity.WARNING,
    readiness: Readiness = Readiness.DECIDE,
    confidence: Confidence = Confidence.SURE,
    fix: Safety | None = None,
    cell: int | None = None,
) -> Finding:
    span = Span(line * 10, line * 10 + 4)
    return Finding(
        code,
        path,
        span,
        line,
        5,
        line,
        9,
        message,
        help,
        severity,
        readiness,
        confidence,
        Fix((Edit(span, "new"),), fix) if fix else None,
        cell,
    )


CLICKS = JobReport(
    "jobs/clicks.py",
    ("jobs/clicks.py", "jobs/common.py"),
    Readiness.DECIDE,
    8,
    8,
    {
        Role.SOURCE: {"KafkaUtils.createStream": 1},
        Role.OPERATOR: {"map": 4, "reduceByKey": 1},
        Role.OUTPUT: {"pprint": 2},
    },
    2,
    '<svg viewBox="0 0 10 10" xmlns="http://www.w3.org/2000/svg"><title>clicks</title></svg>',
)

REPORT = Report(
    results=(
        Unchanged("jobs/clicks.py", (finding(), finding(line=20))),
        Skipped("jobs/other.py"),
        Unchanged(
            "jobs/flume.py",
            (
                finding(
                    "DS201",
                    "jobs/flume.py",
                    3,
                    message="Flume is gone",
                    help="use Kafka",
                    severity=Severity.ERROR,
                    readiness=Readiness.BLOCKED,
                ),
            ),
        ),
        Unchanged(
            HOSTILE,
            (
                finding(
                    "DS101",
                    HOSTILE,
                    1,
                    message="this import moves",
                    help="`migrate rewrite` does it",
                    severity=Severity.INFO,
                    readiness=Readiness.READY,
                    fix=Safety.SAFE,
                ),
            ),
        ),
        Unchanged("jobs/explore.ipynb", (finding(path="jobs/explore.ipynb", line=2, cell=3),)),
        Failed("jobs/broken.py", "is not Python 3: line 4: invalid syntax"),
    ),
    jobs=(
        CLICKS,
        JobReport("jobs/flume.py", ("jobs/flume.py",), Readiness.BLOCKED, 5, 4),
        JobReport(HOSTILE, (HOSTILE,), Readiness.READY, 6, 6),
        JobReport("jobs/broken.py", ("jobs/broken.py",), Readiness.UNKNOWN),
    ),
    ignored=1,
)
