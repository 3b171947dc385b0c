"""Compares what was seen on both sides, and comes to one of three verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from types import MappingProxyType

from dstream_parity.verify.child.facets import Facet, Observations, elements
from dstream_parity.verify.judging import wording
from dstream_parity.verify.judging.differences import (
    called_otherwise,
    described_difference,
    facets_differ,
)
from dstream_parity.verify.judging.verdict import (
    BatchMark,
    OutputDifference,
    OutputVerdict,
    Rules,
    Verdict,
    VerdictKind,
)
from dstream_parity.verify.words import many


@dataclass(frozen=True)
class _Runs:
    reference: Observations
    again: Observations | None
    ours: Observations
    rules: Rules
    unknown: Set[tuple[int, int]]


@dataclass(frozen=True)
class _BatchComparison:
    mark: BatchMark
    wrong: tuple[Facet, Facet, str] | None = None
    reordered: bool = False


def judge(
    reference: Observations,
    again: Observations | None,
    ours: Observations,
    rules: Rules,
    excluded: Mapping[int, str] = MappingProxyType({}),
    unknown: Set[tuple[int, int]] = frozenset(),
) -> Verdict:
    """Compare ours with the reference; ``again`` is the reference's second run, if it has one.

    ``excluded``: outputs about which nothing can be said, and why. ``unknown``: single batches, as
    (output, batch), about which nothing can be said.
    """
    notes = list(dict.fromkeys([*reference.notes, *(again.notes if again else ()), *ours.notes]))
    seconds = {"legacy": tuple(reference.seconds), "dstream_compat": tuple(ours.seconds)}

    def verdict(kind: VerdictKind, why: str, outputs: Sequence[OutputVerdict] = ()) -> Verdict:
        return Verdict(kind, why, tuple(outputs), tuple(reference.times), seconds, tuple(notes))

    conflicts = reference.conflicts or ours.conflicts
    if conflicts:
        return verdict(
            VerdictKind.NOT_COMPARED, f"{conflicts[0]}; use --run-outputs to run the bodies"
        )
    if len(reference.outputs) != len(ours.outputs):
        return verdict(
            VerdictKind.DIFFERENT,
            f"the original has {many(len(reference.outputs), 'output operation')}, the rewritten "
            f"job has {len(ours.outputs)}",
        )
    runs = _Runs(reference, again, ours, rules, unknown)
    judged = [_output(runs, n, excluded.get(n)) for n in range(len(reference.outputs))]
    different = [output for output in judged if output.difference is not None]
    if different:
        first = min(different, key=lambda o: o.difference.batch if o.difference else 0)
        return verdict(VerdictKind.DIFFERENT, wording.first_difference(first), judged)
    if len(reference.times) != len(ours.times):
        why = (
            f"the original ran {many(len(reference.times), 'batch')}, the rewritten job "
            f"{len(ours.times)}"
        )
        return verdict(VerdictKind.DIFFERENT, why, judged)
    return verdict(*_without_difference(judged, reference, rules), judged)


def _without_difference(
    judged: Sequence[OutputVerdict], reference: Observations, rules: Rules
) -> tuple[VerdictKind, str]:
    """What can be said where no difference was found."""
    claimed = [output for output in judged if output.unstable is None]
    unstable = [output.unstable for output in judged if output.unstable is not None]
    if not claimed:
        why = unstable[0] if unstable else "the job has no output operations"
        return VerdictKind.NOT_COMPARED, why
    if not any(output.elements for output in claimed):
        return VerdictKind.NOT_COMPARED, wording.nothing_compared(claimed, reference)
    if unstable and rules.strict:
        return VerdictKind.NOT_COMPARED, unstable[0]
    return VerdictKind.EQUAL, wording.claim(claimed, judged, len(reference.times), rules)


def _output(runs: _Runs, number: int, excluded: str | None) -> OutputVerdict:
    reference = runs.reference
    output = reference.outputs[number]
    batches = range(len(reference.times))
    counts = tuple(sum(1 for _ in elements(reference.of(number, at))) for at in batches)
    unstable = _unstable(runs, number) if excluded is None else excluded
    if unstable is not None:
        marks = (BatchMark.UNSTABLE,) * len(batches)
        return OutputVerdict(output, marks, 0, counts, None, unstable)
    compared = [_batch(runs, number, at) for at in batches]
    found = called_otherwise(number, reference, runs.again, runs.ours)
    found = found or _first_difference(runs, number, compared)
    equal = (BatchMark.EQUAL, BatchMark.NOT_RUN)
    made = OutputVerdict(
        output,
        tuple(batch.mark for batch in compared),
        sum(counts[at] for at in batches if compared[at].mark in equal),
        counts,
        found,
        reordered=sum(batch.reordered for batch in compared),
        failing=wording.errors_of(number, reference) is not None,
    )
    return replace(made, notes=tuple(wording.notes_on(made, reference)))


def _batch(runs: _Runs, number: int, at: int) -> _BatchComparison:
    if (number, at) in runs.unknown:
        return _BatchComparison(BatchMark.UNSTABLE)
    left = runs.reference.of(number, at)
    right = runs.ours.of(number, at) if at < len(runs.ours.times) else []
    wrong = facets_differ(left, right, runs.rules)
    if wrong is not None:
        return _BatchComparison(BatchMark.DIFFERENT, wrong)
    in_order = Rules(ordered=True, partitions=False, run_outputs=runs.rules.run_outputs)
    reordered = not runs.rules.ordered and facets_differ(left, right, in_order) is not None
    return _BatchComparison(BatchMark.EQUAL if left else BatchMark.NOT_RUN, None, reordered)


def _first_difference(
    runs: _Runs, number: int, compared: Sequence[_BatchComparison]
) -> OutputDifference | None:
    output, ours = runs.reference.outputs[number], runs.ours.outputs[number]
    for at, batch in enumerate(compared):
        if batch.wrong is not None:
            time = runs.reference.times[at]
            return described_difference(output, ours, at, time, *batch.wrong, runs.rules)
    return None


def _unstable(runs: _Runs, number: int) -> str | None:
    """Why an output cannot be compared: the legacy engine does not agree with itself on it."""
    reference, again = runs.reference, runs.again
    if again is None:
        return None
    output = reference.outputs[number]
    if number >= len(again.outputs):
        return f"the legacy engine differs from itself: only one of its two runs has {output}"
    if len(reference.times) == len(again.times):
        tail = None
    else:
        tail = f"the legacy engine differs from itself: {output} had different batches"
    for at in range(min(len(reference.times), len(again.times))):
        wrong = facets_differ(reference.of(number, at), again.of(number, at), runs.rules)
        if wrong is not None:
            return (
                f"the legacy engine differs from itself at {output} (batch {at + 1}, "
                f"{wrong[0].name}): output that depends on time, chance or the outside world "
                "cannot be compared"
            )
    return tail
