"""The report as SARIF 2.1.0, against the schema of OASIS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from migrator import report, rules
from migrator.core import Failed, Unchanged
from migrator.run.running import Report
from tests.migrator.report import HOSTILE, REPORT, finding

SCHEMA = json.loads((Path(__file__).parent / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))


def validated(made: Report) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(report.render(made, "sarif"))
    validator = jsonschema.Draft7Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    assert [error.message for error in validator.iter_errors(told)] == []
    (run,) = told["runs"]
    return dict(run)


def test_the_schema_is_that_of_oasis_and_refuses_what_is_wrong() -> None:
    assert SCHEMA["$id"].endswith("oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"version": "2.1.0", "runs": [{}]}, SCHEMA)


@pytest.mark.parametrize("made", [REPORT, Report()], ids=["full", "empty"])
def test_a_report_is_valid(made: Report) -> None:
    validated(made)


def test_a_finding_of_every_rule_is_valid() -> None:
    found = tuple(finding(code) for code in rules.rules())
    run = validated(Report((Unchanged("jobs/clicks.py", found),)))
    described = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in described] == list(rules.rules())
    for result in run["results"]:
        assert described[result["ruleIndex"]]["id"] == result["ruleId"]


def test_a_result_has_its_place_in_characters_from_one() -> None:
    result = validated(REPORT)["results"][0]
    assert result["level"] == "warning"
    assert result["message"]["text"] == "A DStream is always true; write `is not None`."
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "jobs/clicks.py", "uriBaseId": "%SRCROOT%"}
    assert location["region"] == {"startLine": 12, "startColumn": 5, "endLine": 12, "endColumn": 9}


def test_a_place_in_a_notebook_is_told_in_words() -> None:
    result = validated(REPORT)["results"][-1]
    assert "region" not in result["locations"][0]["physicalLocation"]
    assert result["message"]["text"].startswith("Cell 3, line 2: ")


def test_a_file_that_failed_is_a_notification() -> None:
    (invocation,) = validated(REPORT)["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["message"]["text"] == "Is not Python 3: line 4: invalid syntax."


def test_odd_names_of_files_are_quoted() -> None:
    run = validated(REPORT)
    uris = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in run["results"]
    }
    assert HOSTILE not in uris
    assert "jobs/%3Cscript%3Ealert%281%29%3C/script%3E%20%26%20%22co%22.py" in uris
    validated(Report((Failed("\udcff.py", "is odd"),)))


def test_paths_outside_the_directory_are_file_uris(tmp_path: Path) -> None:
    run = validated(Report((Unchanged("x", (finding(path=str(tmp_path / "a.py")),)),)))
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": (tmp_path / "a.py").as_uri()}
