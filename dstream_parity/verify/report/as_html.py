"""The report as one page that needs nothing else: a timeline of the batches, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

from dstream_parity.verify.coordinator.verification import Verification
from dstream_parity.verify.judging.verdict import (
    BatchMark,
    OutputDifference,
    OutputVerdict,
    Verdict,
)
from dstream_parity.verify.words import many
from migrator.report.markup import Markup, element, join
from migrator.report.page import page

_STYLE = """
.EQUAL, .equal { --colour: var(--green); } .DIFFERENT, .different { --colour: var(--red); }
.NOT_COMPARED, .unstable { --colour: var(--amber); } .not_run { --colour: var(--rule); }
.verdict { border-left: .4rem solid var(--colour); padding: .6rem 1rem; font-size: 1.05rem; }
.verdict b { display: block; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--faint); } dd { margin: 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; }
th { text-align: left; font-weight: 500; padding: .2rem .8rem .2rem 0; white-space: nowrap; }
td { padding: 1px; } td.sum { padding-left: .8rem; color: var(--faint); white-space: nowrap; }
.cell { display: block; width: 1.1rem; height: 1.1rem; border-radius: 2px;
  background: var(--colour); color: var(--on-colour);
  font-size: .7rem; line-height: 1.1rem; text-align: center; }
.bar { display: block; width: 1.1rem; background: var(--rule); }
tr.seconds td { vertical-align: bottom; }
.key .cell { display: inline-block; margin: 0 .3rem 0 1rem; }
pre { border: 1px solid var(--rule); padding: .6rem; overflow-x: auto; }
"""
_SIGNS = {
    BatchMark.EQUAL: "=",
    BatchMark.DIFFERENT: "×",
    BatchMark.UNSTABLE: "?",
    BatchMark.NOT_RUN: "",
}
_BAR = 40  # pixels of the longest batch


def as_html(outcome: Verification) -> str:
    """A page with inline style and no script."""
    title = f"migrate verify: {outcome.job}"
    return page(title, _sections(outcome), style=_STYLE)


def _sections(outcome: Verification) -> Iterator[Markup]:
    verdict = outcome.verdict
    yield element(
        "p",
        element("b", verdict.kind.value),
        verdict.why,
        class_=f"verdict {verdict.kind.name}",
    )
    facts = [("reference", outcome.reference), ("compared", outcome.compared)]
    facts += [("input", f"source {source}") for source in outcome.sources]
    yield element("dl", *(join(element("dt", k), element("dd", v)) for k, v in facts))
    if verdict.outputs:
        yield element("section", element("h2", "Batches"), _key(), _timeline(verdict))
    differences = [output.difference for output in verdict.outputs if output.difference]
    if differences:
        shown = map(_difference, differences)
        yield element("section", element("h2", "First differences"), *shown)
    notes = list(_notes(outcome))
    if notes:
        items = element("ul", *(element("li", note) for note in notes))
        yield element("section", element("h2", "Notes"), items)


def _notes(outcome: Verification) -> Iterator[str]:
    verdict = outcome.verdict
    yield from verdict.notes
    yield from (output.unstable for output in verdict.outputs if output.unstable)
    for output in verdict.outputs:
        yield from (f"{output.output}: {note}" for note in output.notes)
    if outcome.test_file is not None:
        yield f"the smallest batches that differ were saved as a test: {outcome.test_file}"


def _key() -> Markup:
    listed = (join(_cell(mark), mark.value) for mark in BatchMark)
    return element("p", *listed, class_="key")


def _cell(mark: BatchMark, title: str | None = None) -> Markup:
    return element("span", _SIGNS[mark], class_=f"cell {mark.name.lower()}", title=title)


def _timeline(verdict: Verdict) -> Markup:
    rows = [_output_row(output, verdict.times) for output in verdict.outputs]
    longest = max([second for times in verdict.seconds.values() for second in times], default=0)
    for side, seconds in verdict.seconds.items():
        if seconds:
            rows.append(_seconds_row(side, seconds, longest))
    return element("div", element("table", *rows), class_="scroll")


def _output_row(output: OutputVerdict, times: tuple[int, ...]) -> Markup:
    cells = (
        element(
            "td",
            _cell(
                mark,
                f"batch {at + 1}, {_clock(times[at])}: {mark.value}, "
                f"{many(output.counts[at], 'element')}",
            ),
        )
        for at, mark in enumerate(output.cells)
    )
    said = "not claimed" if output.unstable else f"{many(output.elements, 'element')} equal"
    if output.difference is not None:
        said = "different"
    return element(
        "tr", element("th", str(output.output)), *cells, element("td", said, class_="sum")
    )


def _seconds_row(side: str, seconds: tuple[float, ...], longest: float) -> Markup:
    bars = (
        element(
            "td",
            element(
                "span",
                class_="bar",
                style=f"height:{max(1, round(_BAR * each / (longest or 1)))}px",
                title=f"batch {at + 1}: {each:.2f} s",
            ),
        )
        for at, each in enumerate(seconds)
    )
    total = element("td", f"{sum(seconds):.1f} s", class_="sum")
    return element("tr", element("th", f"seconds, {side}"), *bars, total, class_="seconds")


def _difference(found: OutputDifference) -> Markup:
    lines = [f"reference  {found.expected}", f"ours       {found.actual}"]
    if found.values:
        lines += ["", found.values]
    batch = "" if found.always else f", batch {found.batch + 1} ({_clock(found.time)})"
    place = f"{found.output}{batch}: {found.what}"
    return join(element("p", place), element("pre", "\n".join(lines)))


def _clock(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, tz=timezone.utc)
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
