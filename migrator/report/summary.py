"""The figures of a report and its findings in groups; all formats show the same."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from migrator import rules
from migrator.core import Confidence, Finding, Readiness, Safety, Severity, Skipped
from migrator.model.jobmodel import Role
from migrator.run.readiness import JobReport, of_finding
from migrator.run.running import Report


@dataclass(frozen=True)
class Group:
    """Findings that say the same about different places."""

    code: str
    name: str
    severity: Severity
    readiness: Readiness
    confidence: Confidence
    fix: Safety | None
    message: str
    help: str
    findings: tuple[Finding, ...]

    @property
    def files(self) -> int:
        return len({finding.path for finding in self.findings})


def groups(findings: Iterable[Finding]) -> list[Group]:
    """The worst first, then the most frequent; places in the order of the files."""
    together: dict[tuple[object, ...], list[Finding]] = {}
    for f in findings:
        fix = f.fix.safety if f.fix else None
        key = (f.code, f.severity, of_finding(f), f.confidence, fix, f.message, f.help)
        together.setdefault(key, []).append(f)
    names = {code: rule.name for code, rule in rules.rules().items()}
    made = [
        Group(
            first.code,
            names.get(first.code, first.code),
            first.severity,
            of_finding(first),
            first.confidence,
            first.fix.safety if first.fix else None,
            first.message,
            first.help,
            tuple(found),
        )
        for found in together.values()
        for first in found[:1]
    ]
    return sorted(made, key=lambda g: (-g.severity, -g.readiness, -len(g.findings), g.code))


@dataclass(frozen=True)
class Summary:
    """The figures."""

    files: int
    """Files that were read."""
    skipped: int
    """Files without any sign of DStreams."""
    failed: int
    jobs: int
    ready: int
    decide: int
    unknown: int
    blocked: int
    uses: int
    supported: int
    errors: int
    warnings: int
    notes: int
    fixable: int
    """Findings that `migrate rewrite` fixes without --unsafe-fixes."""
    ignored: int

    @property
    def findings(self) -> int:
        return self.errors + self.warnings + self.notes

    @property
    def percent(self) -> int | None:
        """Ready jobs of all jobs, rounded down: 100 means all of them. None without jobs."""
        return 100 * self.ready // self.jobs if self.jobs else None


def summary(report: Report) -> Summary:
    found = list(report.findings)
    severities = Counter(finding.severity for finding in found)
    classes = Counter(job.readiness for job in report.jobs)
    skipped = sum(isinstance(result, Skipped) for result in report.results)
    supported, uses = report.uses
    return Summary(
        files=len(report.results) - skipped,
        skipped=skipped,
        failed=len(report.failed),
        jobs=len(report.jobs),
        ready=classes[Readiness.READY],
        decide=classes[Readiness.DECIDE],
        unknown=classes[Readiness.UNKNOWN],
        blocked=classes[Readiness.BLOCKED],
        uses=uses,
        supported=supported,
        errors=severities[Severity.ERROR],
        warnings=severities[Severity.WARNING],
        notes=severities[Severity.INFO],
        fixable=sum(is_fixable(finding) for finding in found),
        ignored=report.ignored,
    )


def is_fixable(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.safety is Safety.SAFE


def operations(jobs: Iterable[JobReport]) -> dict[Role, Counter[str]]:
    """How often each source, operator and output occurs in all jobs."""
    counts: dict[Role, Counter[str]] = {role: Counter() for role in Role}
    for job in jobs:
        for role, counted in job.operations.items():
            counts[role].update(counted)
    return counts


def sentences(figures: Summary) -> list[str]:
    """The summary in words: at most four sentences."""
    said = []
    if figures.jobs:
        classes = [
            f"{number} {name}"
            for number, name in (
                (figures.decide, "to decide"),
                (figures.blocked, "blocked"),
                (figures.unknown, "unknown"),
            )
            if number
        ]
        others = f"; {', '.join(classes)}" if classes else ""
        jobs = counted(figures.jobs, "job")
        said.append(f"Readiness {figures.percent} %: {figures.ready} of {jobs} ready{others}.")
        said.append(f"{figures.supported} of {counted(figures.uses, 'use')} supported.")
    else:
        said.append("No DStream jobs found.")
    if figures.findings:
        kinds = ((figures.errors, "error"), (figures.warnings, "warning"), (figures.notes, "note"))
        parts = ", ".join(counted(number, noun) for number, noun in kinds if number)
        fixes = f"; `migrate rewrite` fixes {figures.fixable} of them" if figures.fixable else ""
        said.append(f"{counted(figures.findings, 'finding')}: {parts}{fixes}.")
    if figures.failed:
        said.append(f"{counted(figures.failed, 'file')} could not be handled.")
    return said


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "job"), counted(2, "job")
    ('1 job', '2 jobs')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def place(finding: Finding) -> str:
    """``jobs/clicks.py:12:5``; in a notebook ``clicks.ipynb:cell 3:12:5``."""
    cell = f"cell {finding.cell}:" if finding.cell is not None else ""
    return f"{shown(finding.path)}:{cell}{finding.line}:{finding.column}"


def shown(path: str) -> str:
    """A path that can be printed: with slashes, without control characters and broken encodings."""
    text = path.replace(os.sep, "/").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
