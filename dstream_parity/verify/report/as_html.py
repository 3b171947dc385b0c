"""The report as one page that needs nothing else: a time line of the batches, and the verdict."""

from __future__ import annotations

from datetime import datetime, timezone
from html import escape

from dstream_parity.verify.coordinator.verification import Verification
from dstream_parity.verify.judging.verdict import (
    BatchMark,
    OutputDifference,
    OutputVerdict,
    Verdict,
)
from dstream_parity.verify.words import many

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --paper: #fff; --soft: #667; --line: #d8dce4;
  --equal: #2e8b57; --different: #c0392b; --unstable: #b8860b; --idle: #b9bfca; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --paper: #151922; --soft: #9aa3b2;
  --line: #303747; --equal: #4cc38a; --different: #ff6b5e; --unstable: #e3b341; --idle: #4a5262; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
.verdict { border-left: .4rem solid; padding: .6rem 1rem; font-size: 1.05rem; }
.verdict b { display: block; }
.EQUAL { border-color: var(--equal); } .DIFFERENT { border-color: var(--different); }
.NOT_COMPARED { border-color: var(--unstable); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; }
th { text-align: left; font-weight: 500; padding: .2rem .8rem .2rem 0; white-space: nowrap; }
td { padding: 1px; } td.sum { padding-left: .8rem; color: var(--soft); white-space: nowrap; }
.cell { display: block; width: 1.1rem; height: 1.1rem; border-radius: 2px; color: #fff;
  font-size: .7rem; line-height: 1.1rem; text-align: center; }
.equal { background: var(--equal); } .different { background: var(--different); }
.unstable { background: var(--unstable); } .not_run { background: var(--idle); }
.bar { display: block; width: 1.1rem; background: var(--idle); }
tr.seconds td { vertical-align: bottom; }
.key .cell { display: inline-block; margin: 0 .3rem 0 1rem; }
pre { border: 1px solid var(--line); padding: .6rem; overflow-x: auto; }
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
    verdict = outcome.verdict
    title = f"migrate verify: {outcome.job}"
    facts = [("reference", outcome.reference), ("compared", outcome.compared)]
    facts += [("input", f"source {source}") for source in outcome.sources]
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f'<p class="verdict {verdict.kind.name}"><b>{escape(verdict.kind.value)}</b>'
        f"{escape(verdict.why)}</p>",
        "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts) + "</dl>",
    ]
    if verdict.outputs:
        parts += ["<h2>Batches</h2>", _key(), _timeline(verdict)]
    differences = [output.difference for output in verdict.outputs if output.difference]
    if differences:
        parts.append("<h2>First differences</h2>")
        parts += [_difference(found) for found in differences]
    notes = [*verdict.notes, *(o.unstable for o in verdict.outputs if o.unstable)]
    notes += [f"{o.output}: {note}" for o in verdict.outputs for note in o.notes]
    if outcome.test_file is not None:
        notes.append(f"the smallest batches that differ were saved in {outcome.test_file}")
    if notes:
        items = "".join(f"<li>{escape(note)}</li>" for note in notes)
        parts.append(f"<h2>Notes</h2><ul>{items}</ul>")
    return "\n".join([*parts, "</body></html>", ""])


def _key() -> str:
    listed = "".join(
        f'<span class="cell {cell.name.lower()}">{_SIGNS[cell]}</span>{escape(cell.value)}'
        for cell in BatchMark
    )
    return f'<p class="key">{listed}</p>'


def _timeline(verdict: Verdict) -> str:
    rows = [_output_row(output, verdict.times) for output in verdict.outputs]
    longest = max([second for times in verdict.seconds.values() for second in times], default=0)
    for side, seconds in verdict.seconds.items():
        if seconds:
            rows.append(_seconds_row(side, seconds, longest))
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _output_row(output: OutputVerdict, times: tuple[int, ...]) -> str:
    cells = "".join(
        f'<td><span class="cell {cell.name.lower()}" title="batch {at + 1}, {_clock(times[at])}: '
        f'{escape(cell.value)}, {output.counts[at]} elements">{_SIGNS[cell]}</span></td>'
        for at, cell in enumerate(output.cells)
    )
    said = "not claimed" if output.unstable else f"{many(output.elements, 'element')} equal"
    if output.difference is not None:
        said = "different"
    return f'<tr><th>{escape(str(output.output))}</th>{cells}<td class="sum">{said}</td></tr>'


def _seconds_row(side: str, seconds: tuple[float, ...], longest: float) -> str:
    bars = "".join(
        f'<td><span class="bar" style="height:{max(1, round(_BAR * each / (longest or 1)))}px" '
        f'title="batch {at + 1}: {each:.2f} s"></span></td>'
        for at, each in enumerate(seconds)
    )
    total = f'<td class="sum">{sum(seconds):.1f} s</td>'
    return f'<tr class="seconds"><th>seconds, {escape(side)}</th>{bars}{total}</tr>'


def _difference(found: OutputDifference) -> str:
    lines = [f"reference  {found.expected}", f"ours       {found.actual}"]
    if found.values:
        lines += ["", found.values]
    batch = "" if found.always else f", batch {found.batch + 1} ({_clock(found.time)})"
    place = f"{found.output}{batch}: {found.what}"
    return f"<p>{escape(place)}</p><pre>{escape(chr(10).join(lines))}</pre>"


def _clock(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, tz=timezone.utc)
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
