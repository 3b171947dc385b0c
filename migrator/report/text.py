"""The report for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import click

from migrator.core import Readiness, Safety, Severity
from migrator.report.summary import Group, counted, groups, place, sentences, shown, summary
from migrator.run.readiness import JobReport
from migrator.run.running import Report

_PLACES = 5
_JOBS = 20
_COLOURS = {
    Readiness.READY: "green",
    Readiness.DECIDE: "yellow",
    Readiness.UNKNOWN: "magenta",
    Readiness.BLOCKED: "red",
}
_SEVERITY_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
_INDENT = " " * 6


def render(report: Report, *, colour: bool = False, verbose: bool = False) -> str:
    """Jobs, findings in groups, files that could not be handled, and the summary at the end."""
    paint: Callable[..., str] = click.style if colour else lambda text, **style: str(text)
    parts = [
        "\n".join(_jobs(report, paint, verbose)),
        "\n".join(line for g in groups(report.findings) for line in _group(g, paint, verbose)),
        "\n".join(failures(report, colour=colour)),
        "\n".join(_summary(report, paint, verbose)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def findings_only(report: Report, least: Severity | None, *, colour: bool = False) -> str:
    """What `--quiet` leaves: a line per finding at or above a severity, file by file."""
    paint: Callable[..., str] = click.style if colour else lambda text, **style: str(text)
    return "".join(
        f"{place(f)}: {paint(f.severity, fg=_SEVERITY_COLOURS[f.severity])} {f.code} {f.message}\n"
        for f in report.findings
        if least is not None and f.severity >= least
    )


def failures(report: Report, *, colour: bool = False) -> Iterator[str]:
    """One sentence per file that could not be handled."""
    for failed in report.failed:
        text = f"{shown(failed.path)}: {failed.reason}"
        yield click.style(text, fg="red") if colour else text


def _jobs(report: Report, paint: Callable[..., str], verbose: bool) -> Iterator[str]:
    jobs = sorted(report.jobs, key=lambda job: (-job.readiness, job.path))
    some = jobs if verbose else jobs[:_JOBS]
    width = max((len(shown(job.path)) for job in some), default=0)
    for job in some:
        label = paint(f"{job.readiness!s:<8}", fg=_COLOURS[job.readiness], bold=True)
        yield f"{label} {shown(job.path):<{width}}  {_figures(job)}".rstrip()
        if verbose:
            yield from _details(job)
    if len(some) < len(jobs):
        yield f"… and {counted(len(jobs) - len(some), 'job')} more; -v lists them"


def _figures(job: JobReport) -> str:
    parts = [f"{job.supported} of {counted(job.uses, 'use')} supported"] if job.uses else []
    if len(job.modules) > 1:
        parts.append(counted(len(job.modules), "module"))
    return ", ".join(parts)


def _details(job: JobReport) -> Iterator[str]:
    for role, operations in job.operations.items():
        names = (name if n == 1 else f"{name} ×{n}" for name, n in operations.items())
        yield f"         {role.value}s: {', '.join(names)}"


def _group(group: Group, paint: Callable[..., str], verbose: bool) -> Iterator[str]:
    severity = paint(f"{group.severity!s:<7}", fg=_SEVERITY_COLOURS[group.severity])
    traits = [str(group.readiness)] if group.readiness is not Readiness.READY else []
    if group.fix is Safety.SAFE:
        traits.append("fixed by rewrite")
    elif group.fix is Safety.UNSAFE:
        traits.append("fixed by rewrite --unsafe-fixes")
    if group.confidence.value != "sure":
        traits.append(str(group.confidence))
    number = len(group.findings)
    if number > 1:
        traits.append(f"{number} × in {counted(group.files, 'file')}")
    aside = paint(f" ({', '.join(traits)})", dim=True) if traits else ""
    yield f"{paint(group.code, bold=True)} {severity} {group.message}{aside}"
    yield f"{_INDENT}→ {group.help}"
    some = group.findings if verbose else group.findings[:_PLACES]
    for finding in some:
        yield f"{_INDENT}{place(finding)}"
    if len(some) < number:
        yield f"{_INDENT}… and {number - len(some)} more; -v lists them"


def _summary(report: Report, paint: Callable[..., str], verbose: bool) -> Iterator[str]:
    figures = summary(report)
    first, *others = sentences(figures)
    yield paint(first, bold=True)
    yield from others
    if verbose:
        looked = counted(figures.files, "file")
        yield f"{looked} read, {figures.skipped} skipped: no sign of DStreams."
    if figures.ignored:
        yield f"{counted(figures.ignored, 'finding')} ignored by comments."
