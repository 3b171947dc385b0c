"""The report as JSON; its fields are described in docs/scan.md and only ever added to."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from migrator import __version__
from migrator.core import Finding
from migrator.report.summary import Group, groups, shown, summary
from migrator.run.readiness import JobReport, of_finding
from migrator.run.running import Report

VERSION = 1


def render(report: Report) -> str:
    return json.dumps(document(report), indent=2, ensure_ascii=False) + "\n"


def document(report: Report) -> dict[str, Any]:
    figures = summary(report)
    return {
        "version": VERSION,
        "tool": {"name": "migrate", "version": __version__},
        "summary": {
            **asdict(figures),
            "findings": figures.findings,
            "readiness_percent": figures.percent,
        },
        "jobs": [_job(job) for job in report.jobs],
        "groups": [_group(group) for group in groups(report.findings)],
        "findings": [_finding(finding) for finding in report.findings],
        "failed": [
            {"path": shown(failed.path), "reason": failed.reason} for failed in report.failed
        ],
    }


def _job(job: JobReport) -> dict[str, Any]:
    return {
        "path": shown(job.path),
        "modules": [shown(path) for path in job.modules],
        "readiness": str(job.readiness),
        "uses": job.uses,
        "supported": job.supported,
        "findings": job.findings,
        "operations": {f"{role.value}s": dict(counted) for role, counted in job.operations.items()},
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "code": group.code,
        "name": group.name,
        "severity": str(group.severity),
        "readiness": str(group.readiness),
        "confidence": str(group.confidence),
        "fix": str(group.fix) if group.fix else None,
        "message": group.message,
        "help": group.help,
        "count": len(group.findings),
        "files": group.files,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "path": shown(finding.path),
        "cell": finding.cell,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "severity": str(finding.severity),
        "readiness": str(of_finding(finding)),
        "confidence": str(finding.confidence),
        "fix": str(finding.fix.safety) if finding.fix else None,
        "message": finding.message,
        "help": finding.help,
    }
