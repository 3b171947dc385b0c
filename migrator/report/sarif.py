"""The report as SARIF 2.1.0, for code scanning in GitHub and elsewhere."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from migrator import __version__, rules
from migrator.core import Finding, Severity
from migrator.report.summary import summary
from migrator.run.readiness import of_finding
from migrator.run.running import Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(report: Report) -> str:
    return json.dumps(document(report), indent=2, ensure_ascii=False) + "\n"


def document(report: Report) -> dict[str, Any]:
    found = list(report.findings)
    known = rules.rules()
    used = [code for code in known if any(finding.code == code for finding in found)]
    figures = summary(report)
    run = {
        "tool": {
            "driver": {
                "name": "migrate",
                "version": __version__,
                "rules": [_rule(code) for code in used],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not report.failed,
                "toolExecutionNotifications": [
                    {
                        "level": "error",
                        "message": {"text": _sentence(failed.reason)},
                        "locations": [{"physicalLocation": _artifact(failed.path)}],
                    }
                    for failed in report.failed
                ],
            }
        ],
        "results": [_result(finding, used) for finding in found],
        "properties": {
            "jobs": figures.jobs,
            "readyJobs": figures.ready,
            "uses": figures.uses,
            "supportedUses": figures.supported,
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    rule = rules.rules()[code]
    page = (rules.modules()[code].__doc__ or rule.summary).strip()
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": _sentence(rule.summary)},
        "fullDescription": {"text": page.partition("\n")[0]},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [str(rule.family)]},
    }


def _result(finding: Finding, used: list[str]) -> dict[str, Any]:
    text = _sentence(f"{finding.message}; {finding.help}")
    location = _artifact(finding.path)
    if finding.cell is None:
        location["region"] = {
            "startLine": finding.line,
            "startColumn": finding.column,
            "endLine": finding.end_line,
            "endColumn": finding.end_column,
        }
    else:  # lines of a cell are not lines of the file
        text = f"Cell {finding.cell}, line {finding.line}: {text}"
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": location}],
        "properties": {
            "readiness": str(of_finding(finding)),
            "confidence": str(finding.confidence),
            "fix": str(finding.fix.safety) if finding.fix else "none",
        },
    }
    if finding.code in used:
        result["ruleIndex"] = used.index(finding.code)
    return result


def _artifact(path: str) -> dict[str, Any]:
    """Relative to where the tool runs, if it is below; code scanning wants it so."""
    if os.path.isabs(path):
        below = os.path.relpath(path)
        if below.startswith(".."):
            return {"artifactLocation": {"uri": Path(path).as_uri()}}
        path = below
    return {
        "artifactLocation": {
            "uri": quote(os.fsencode(path.replace(os.sep, "/"))),
            "uriBaseId": "%SRCROOT%",
        }
    }


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
