"""The report as JSON."""

from __future__ import annotations

import json

from migrator import __version__, report
from tests.migrator.report import REPORT


def test_the_document_has_the_documented_fields() -> None:
    told = json.loads(report.render(REPORT, "json"))
    assert list(told) == ["version", "tool", "summary", "jobs", "groups", "findings", "failed"]
    assert told["version"] == 1
    assert told["tool"] == {"name": "migrate", "version": __version__}
    assert told["summary"] == {
        "files": 5,
        "skipped": 1,
        "failed": 1,
        "jobs": 4,
        "ready": 1,
        "decide": 1,
        "unknown": 1,
        "blocked": 1,
        "uses": 19,
        "supported": 18,
        "errors": 1,
        "warnings": 3,
        "notes": 1,
        "fixable": 1,
        "ignored": 1,
        "findings": 5,
        "readiness_percent": 25,
    }
    assert told["jobs"][0] == {
        "path": "jobs/clicks.py",
        "modules": ["jobs/clicks.py", "jobs/common.py"],
        "readiness": "decide",
        "uses": 8,
        "supported": 8,
        "findings": 2,
        "operations": {
            "sources": {"KafkaUtils.createStream": 1},
            "operators": {"map": 4, "reduceByKey": 1},
            "outputs": {"pprint": 2},
        },
    }
    assert told["groups"][1] == {
        "code": "DS603",
        "name": "stream-in-boolean-context",
        "severity": "warning",
        "readiness": "decide",
        "confidence": "sure",
        "fix": None,
        "message": "a DStream is always true",
        "help": "write `is not None`",
        "count": 3,
        "files": 2,
    }
    assert told["findings"][-1] == {
        "code": "DS603",
        "path": "jobs/explore.ipynb",
        "cell": 3,
        "line": 2,
        "column": 5,
        "end_line": 2,
        "end_column": 9,
        "severity": "warning",
        "readiness": "decide",
        "confidence": "sure",
        "fix": None,
        "message": "a DStream is always true",
        "help": "write `is not None`",
    }
    assert told["failed"] == [
        {"path": "jobs/broken.py", "reason": "is not Python 3: line 4: invalid syntax"}
    ]


def test_the_format_follows_the_name_of_the_file() -> None:
    names = ["a.json", "a.sarif", "a.HTML", "a.htm", "a.txt", "a", None]
    made = ["json", "sarif", "html", "html", "text", "text", "text"]
    assert [report.format_for(name) for name in names] == made
