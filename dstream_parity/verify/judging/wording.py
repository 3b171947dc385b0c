"""A verdict in words: what was compared, what was not, and what there is to know about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dstream_parity import Raised
from dstream_parity.verify.child.facets import Observations
from dstream_parity.verify.judging.verdict import BatchMark, OutputVerdict, Rules
from dstream_parity.verify.words import many


def first_difference(output: OutputVerdict) -> str:
    """Where an output differs first; it does differ."""
    found = output.difference
    assert found is not None
    where = "" if found.always else f" in batch {found.batch + 1}"
    verb = "differ" if found.what.endswith("s") else "differs"
    return f"{found.output}: {found.what} {verb}{where}"


def nothing_compared(claimed: Sequence[OutputVerdict], reference: Observations) -> str:
    """Why there was not a single element to compare."""
    for output in claimed:
        errors = errors_of(output.output.number, reference)
        if errors:
            return f"no elements were compared: {output.output} {errors}"
    return (
        "no elements were compared: every output was empty in every batch; give the job batches "
        "that it produces output for"
    )


def claim(
    claimed: Sequence[OutputVerdict],
    judged: Sequence[OutputVerdict],
    batches: int,
    rules: Rules,
) -> str:
    """How much was compared, and what was not."""
    count = sum(output.elements for output in claimed)
    outputs = many(len(judged), "output operation")
    if len(claimed) < len(judged):
        outputs = f"{len(claimed)} of {outputs}"
    tail = _bodies(sum(output.output.body for output in claimed), rules)
    moved = sum(output.reordered > 0 for output in claimed)
    if moved:
        tail = f"; {moved} with elements in a different order{tail}"
    failing = sum(output.failing for output in claimed)
    if failing:
        tail = f"; {failing} with exceptions on both sides{tail}"
    return f"{outputs}, {many(batches, 'batch')}, {many(count, 'element')}{tail}"


def _bodies(bodies: int, rules: Rules) -> str:
    if not bodies:
        return ""
    if not rules.run_outputs:
        return f"; the RDDs passed to foreachRDD were compared, {many(bodies, 'body')} not run"
    if rules.recorded:
        return "; the RDDs passed to foreachRDD were compared, what bodies do is not recorded"
    return f"; {many(bodies, 'body')} run, with prints, exceptions and actions compared"


def notes_on(output: OutputVerdict, reference: Observations) -> Iterator[str]:
    """What a reader should know about an output that was compared."""
    missing = output.cells.count(BatchMark.UNSTABLE)
    if missing:
        yield f"{many(missing, 'batch')} not recorded, and not claimed"
    if output.reordered:
        yield (
            f"same elements in a different order in {many(output.reordered, 'batch')}; --ordered "
            "makes that count"
        )
    errors = errors_of(output.output.number, reference)
    if errors:
        yield errors
    elif not any(output.counts) and not missing and output.difference is None:
        yield "empty in every batch, which proves little"


def errors_of(number: int, seen: Observations) -> str | None:
    """What an output raised on both sides, if it did."""
    kinds = [
        facet.outcome.type
        for at in range(len(seen.times))
        for facet in seen.of(number, at)
        if isinstance(facet.outcome, Raised)
    ]
    if not kinds:
        return None
    return f"raised {kinds[0]} in {many(len(kinds), 'batch')}, on both sides"
