"""The report as one self-contained page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from migrator import __version__
from migrator.core import Readiness, Safety, Severity
from migrator.model.jobmodel import Role
from migrator.report.charts import bars, shares
from migrator.report.markup import Markup, element, join
from migrator.report.page import page
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
    (Readiness.READY, "only safe fixes are needed: migrate rewrite does the rest"),
    (Readiness.DECIDE, "a value or a choice is needed from somebody"),
    (Readiness.BLOCKED, "something in it cannot be moved as it is"),
    (Readiness.UNKNOWN, "a file was not parsed, or a flow was not followed"),
)
_MOST_ROWS = 16


def render(report: Report) -> str:
    """The whole page."""
    return page(TITLE, *_sections(report, summary(report)))


def _sections(report: Report, figures: Summary) -> Iterator[Markup]:
    yield element("h1", TITLE)
    yield _tiles(figures)
    if figures.jobs:
        yield _readiness(figures)
    charts = [*_charts(report)]
    if charts:
        yield element("div", *charts, class_="two")
    if report.failed:
        rows = (
            element("li", element("code", shown(failed.path)), " ", failed.reason)
            for failed in report.failed
        )
        yield element(
            "section", element("h2", "Could not be handled"), element("ul", *rows, class_="plain")
        )
    if report.jobs:
        yield _jobs(report)
    found = groups(report.findings)
    if found:
        yield element("section", element("h2", "Findings"), *map(_group, found))
    yield element("footer", f"migrate {__version__}. Values from the code are never shown here.")


def _tiles(figures: Summary) -> Markup:
    percent = "–" if figures.percent is None else f"{figures.percent} %"
    tiles = [
        (percent, f"ready: {figures.ready} of {counted(figures.jobs, 'job')}"),
        (f"{figures.supported} of {figures.uses}", "uses of the DStream API supported"),
        (str(figures.findings), f"findings, {figures.fixable} fixed by migrate rewrite"),
        (str(figures.errors), "of them errors"),
    ]
    return element(
        "div",
        *(element("div", element("strong", big), element("span", small)) for big, small in tiles),
        class_="tiles",
    )


def _readiness(figures: Summary) -> Markup:
    numbers = {
        Readiness.READY: figures.ready,
        Readiness.DECIDE: figures.decide,
        Readiness.BLOCKED: figures.blocked,
        Readiness.UNKNOWN: figures.unknown,
    }
    legend = (
        element("li", _pill(str(kind)), f" {numbers[kind]}: {meaning}")
        for kind, meaning in _CLASSES
    )
    return element(
        "section",
        element("h2", "Readiness"),
        shares([(str(kind), numbers[kind]) for kind, _ in _CLASSES], "Jobs by readiness"),
        element("ul", *legend, class_="plain legend"),
        element(
            "p",
            "The figure is ready jobs of all jobs; unknown counts as not ready. "
            "It is not an estimate of effort.",
            class_="aside",
        ),
    )


def _charts(report: Report) -> Iterator[Markup]:
    used = operations(report.jobs)
    rows = sorted(
        ((name, number, role.value) for role in Role for name, number in used[role].items()),
        key=lambda row: (-row[1], row[0]),
    )
    if rows:
        yield element(
            "section",
            element("h2", "Operators used"),
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
        yield element(
            "section",
            element("h2", "Findings by code"),
            bars(coded[:_MOST_ROWS], "Findings by code"),
            _key(str(severity) for severity in sorted(Severity, reverse=True)),
            _more(len(coded)),
        )


def _key(names: Iterable[str]) -> Markup:
    """What the colours of a chart mean."""
    dots = (join(element("i", "", class_=f"dot {name}"), f"{name} ") for name in names)
    return element("p", *dots, class_="aside")


def _more(number: int) -> Markup:
    left = number - _MOST_ROWS
    return element("p", f"… and {left} more", class_="aside") if left > 0 else Markup("")


def _jobs(report: Report) -> Markup:
    jobs = sorted(report.jobs, key=lambda job: (-job.readiness, job.path))
    return element("section", element("h2", "Jobs"), *map(_job, jobs))


def _job(job: JobReport) -> Markup:
    uses = f"{job.supported} of {counted(job.uses, 'use')} supported" if job.uses else ""
    head = element(
        "summary",
        _pill(str(job.readiness)),
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
        parts.append(element("p", "Nothing is known of it.", class_="aside"))
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
            None: "to be done by hand",
        }[group.fix],
    ]
    number = len(group.findings)
    head = element(
        "summary",
        _pill(str(group.severity)),
        element("code", group.code),
        element("span", _capital(group.message)),
        element("b", f"×{number}") if number > 1 else Markup(""),
    )
    places = (element("li", element("code", place(finding))) for finding in group.findings)
    return element(
        "details",
        head,
        element("p", "→ ", _capital(group.help), "."),
        element("p", f"{group.name}; {'; '.join(traits)}", class_="aside"),
        element("ul", *places, class_="plain places"),
    )


def _pill(name: str) -> Markup:
    return element("span", name, class_=f"pill {name}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
