"""The report as text for a terminal or a log."""

from __future__ import annotations

import textwrap
from datetime import datetime, timezone

from dstream_parity.verify.coordinator.verification import Verification
from dstream_parity.verify.judging.verdict import (
    BatchMark,
    OutputDifference,
    OutputVerdict,
    VerdictKind,
)
from dstream_parity.verify.words import many

_SIGNS = {
    BatchMark.EQUAL: "=",
    BatchMark.DIFFERENT: "X",
    BatchMark.UNSTABLE: "?",
    BatchMark.NOT_RUN: ".",
}
_COLOURS = {VerdictKind.EQUAL: "32", VerdictKind.DIFFERENT: "31", VerdictKind.NOT_COMPARED: "33"}
_TIMELINE = 60  # batches that a line shows


def as_text(outcome: Verification, colours: bool = False) -> str:
    """Reference, outputs with a sign per batch, the first difference, notes, and the verdict."""
    verdict = outcome.verdict
    lines = [
        f"reference  {outcome.reference}",
        f"compared   {outcome.compared}",
    ]
    for number, source in enumerate(outcome.sources):
        lines.append(f"{'input' if number == 0 else '':<11}source {source}")
    if verdict.outputs:
        lines.append("")
        lines += _table(verdict.outputs)
    for output in verdict.outputs:
        if output.difference is not None:
            lines += ["", *_difference(output.difference)]
    named = [output.unstable for output in verdict.outputs if output.unstable]
    notes = [*verdict.notes, *(sentence for sentence in named if sentence != verdict.why)]
    if notes:
        lines.append("")
        lines += [part for note in notes for part in _wrapped(f"note: {note}")]
    if outcome.test_file is not None:
        lines += ["", f"smallest batches that differ, saved as a test: {outcome.test_file}"]
    word = verdict.kind.value
    if colours:
        word = f"\x1b[1;{_COLOURS[verdict.kind]}m{word}\x1b[0m"
    return "\n".join([*lines, "", f"{word}: {verdict.why}", ""])


def _table(outputs: tuple[OutputVerdict, ...]) -> list[str]:
    width = max(len(str(output.output)) for output in outputs)
    lines = []
    for output in outputs:
        said = _summary(output)
        lines.append(f"  {output.output!s:<{width}}  {_timeline(output.cells)}  {said}")
        lines += [f"  {'':<{width}}  {note}" for note in output.notes]
    if not any(output.cells for output in outputs):
        return lines
    signs = "= equal, X different, ? not claimed, . not called"
    return [*lines, f"  {'':<{width}}  (one sign per batch: {signs})"]


def _summary(output: OutputVerdict) -> str:
    if output.unstable is not None:
        return "not claimed"
    if output.difference is not None:
        if output.difference.always:
            return "different"
        return f"different, first in batch {output.difference.batch + 1}"
    return f"{many(output.elements, 'element')} equal"


def _timeline(cells: tuple[BatchMark, ...]) -> str:
    signs = "".join(_SIGNS[cell] for cell in cells)
    if len(signs) <= _TIMELINE:
        return signs
    return f"{signs[:_TIMELINE]}… ({len(signs)} batches)"


def _difference(found: OutputDifference) -> list[str]:
    moment = datetime.fromtimestamp(found.time / 1000, tz=timezone.utc)
    where = f"batch {found.batch + 1} ({moment:%Y-%m-%d %H:%M:%S} UTC), "
    lines = [
        f"first difference of {found.output}: {'' if found.always else where}{found.what}",
        f"  reference  {found.expected}",
        f"  ours       {found.actual}",
    ]
    if found.ours is not None and str(found.ours) != str(found.output):
        lines.append(f"  in the rewritten job: {found.ours}")
    if found.values is None:
        lines.append("  (--show-values shows the elements)")
    else:
        lines += [f"  {line}" for line in found.values.splitlines()]
    return lines


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 110, subsequent_indent="      ", break_on_hyphens=False)
