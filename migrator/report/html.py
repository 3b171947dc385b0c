"""The report as one self-contained page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from migrator import __version__
from migrator.core import Readiness, Safety, Severity
from migrator.model.jobmodel import Role
from migrator.report.charts import bars, shares
from migrator.report.markup import Markup, element, join
from migrator.report.page import aside, listed, page, pill, section, stylesheet, tiles
from migrator.report.summary import (
    Group,
    Summary,
    counted,
    groups,
    operations,
    place,
    shown,
    summary,
)
from migrator.run.readiness import JobReport
from migrator.run.running import Report

TITLE = "DStream migration report"
_CLASSES = (
    (Readiness.READY, "only safe fixes are needed, and migrate rewrite makes them"),
    (Readiness.DECIDE, "someone has to supply a value or make a choice"),
    (Readiness.BLOCKED, "part of it cannot be moved as it is"),
    (Readiness.UNKNOWN, "a file could not be parsed, or a stream could not be followed"),
)
_MOST_ROWS = 16


def render(report: Report) -> str:
    """The whole page."""
    return page(TITLE, _sections(report, summary(report)), style=stylesheet("scan"))


def _sections(report: Report, figures: Summary) -> Iterator[Markup]:
    yield _tiles(figures)
    if figures.jobs:
        yield _readiness(figures)
    charts = [*_charts(report)]
    if charts:
        yield element("div", *charts, class_="two")
    if report.failed:
        rows = (join(element("code", shown(f.path)), " ", f.reason) for f in report.failed)
        yield section("Not handled", listed(rows))
    if report.jobs:
        yield _jobs(report)
    found = groups(report.findings)
    if found:
        yield section("Findings", *map(_group, found))
    yield element("footer", f"migrate {__version__}. This report shows no values from your code.")


def _tiles(figures: Summary) -> Markup:
    percent = "–" if figures.percent is None else f"{figures.percent} %"
    return tiles(
        [
            (percent, f"ready: {figures.ready} of {counted(figures.jobs, 'job')}"),
            (f"{figures.supported} of {figures.uses}", "uses of the DStream API supported"),
            (str(figures.findings), f"findings, {figures.fixable} fixed by migrate rewrite"),
            (str(figures.errors), "errors among them"),
        ]
    )


def _readiness(figures: Summary) -> Markup:
    numbers = {
        Readiness.READY: figures.ready,
        Readiness.DECIDE: figures.decide,
        Readiness.BLOCKED: figures.blocked,
        Readiness.UNKNOWN: figures.unknown,
    }
    legend = (join(pill(str(kind)), f" {numbers[kind]}: {meaning}") for kind, meaning in _CLASSES)
    return section(
        "Readiness",
        shares([(str(kind), numbers[kind]) for kind, _ in _CLASSES], "Jobs by readiness"),
        listed(legend, "plain legend"),
        aside(
            "The figure is the share of jobs that are ready; unknown counts as not ready. "
            "It is not an estimate of effort."
        ),
    )


def _charts(report: Report) -> Iterator[Markup]:
    used = operations(report.jobs)
    rows = sorted(
        ((name, number, role.value) for role in Role for name, number in used[role].items()),
        key=lambda row: (-row[1], row[0]),
    )
    if rows:
        yield section(
            "Operators used",
            bars(rows[:_MOST_ROWS], "Sources, operators and outputs by number of uses"),
            _key(role.value for role in Role),
            _more(len(rows)),
        )
    codes = Counter(finding.code for finding in report.findings)
    worst: dict[str, Severity] = {}
    for finding in report.findings:
        worst[finding.code] = max(worst.get(finding.code, Severity.INFO), finding.severity)
    if codes:
        coded = [(code, number, str(worst[code])) for code, number in codes.most_common()]
        yield section(
            "Findings by code",
            bars(coded[:_MOST_ROWS], "Findings by code"),
            _key(str(severity) for severity in sorted(Severity, reverse=True)),
            _more(len(coded)),
        )


def _key(names: Iterable[str]) -> Markup:
    """What the colours of a chart mean."""
    dots = (join(element("i", "", class_=f"dot {name}"), f"{name} ") for name in names)
    return aside(*dots)


def _more(number: int) -> Markup:
    left = number - _MOST_ROWS
    return aside(f"… and {left} more") if left > 0 else Markup("")


def _jobs(report: Report) -> Markup:
    jobs = sorted(report.jobs, key=lambda job: (-job.readiness, job.path))
    return section("Jobs", *map(_job, jobs))


def _job(job: JobReport) -> Markup:
    uses = f"{job.supported} of {counted(job.uses, 'use')} supported" if job.uses else ""
    head = element(
        "summary",
        pill(str(job.readiness)),
        element("code", shown(job.path)),
        element("span", uses, class_="aside"),
    )
    parts = [
        element("p", element("b", f"{role.value}s: "), ", ".join(_times(counts)))
        for role, counts in job.operations.items()
    ]
    if len(job.modules) > 1:
        parts.append(element("p", element("b", "modules: "), ", ".join(map(shown, job.modules))))
    if job.picture:
        parts.append(element("div", Markup(job.picture), class_="graph"))
    if not parts:
        parts.append(aside("Nothing is known about it."))
    return element("details", head, *parts)


def _times(counts: Mapping[str, int]) -> Iterator[str]:
    for name, number in counts.items():
        yield name if number == 1 else f"{name} ×{number}"


def _group(group: Group) -> Markup:
    traits = [
        str(group.readiness),
        f"confidence: {group.confidence}",
        {
            Safety.SAFE: "fixed by migrate rewrite",
            Safety.UNSAFE: "fixed by migrate rewrite --unsafe-fixes",
            None: "change by hand",
        }[group.fix],
    ]
    number = len(group.findings)
    head = element(
        "summary",
        pill(str(group.severity)),
        element("code", group.code),
        element("span", _capital(group.message)),
        element("b", f"×{number}") if number > 1 else Markup(""),
    )
    places = (element("code", place(finding)) for finding in group.findings)
    return element(
        "details",
        head,
        element("p", "→ ", _capital(group.help), "."),
        aside(f"{group.name}; {'; '.join(traits)}"),
        listed(places, "plain places"),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
