"""From what was seen on both sides to one of three verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any

from dstream_parity import Missing, Raised, Seen, difference
from dstream_parity.verify.child.facets import (
    RDD,
    Facet,
    Observations,
    OutputOp,
    described,
    elements,
    many,
)


class BatchMark(Enum):
    """One output in one batch."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNSTABLE = "not claimed"
    """The legacy engine differs from itself, here or in another batch of this output."""
    NOT_RUN = "not called"


class VerdictKind(Enum):
    EQUAL = "EQUAL"
    DIFFERENT = "DIFFERENT"
    NOT_COMPARED = "COULD NOT BE COMPARED"


EXIT_CODES = {VerdictKind.EQUAL: 0, VerdictKind.DIFFERENT: 1, VerdictKind.NOT_COMPARED: 2}


@dataclass(frozen=True)
class OutputDifference:
    """The first difference of an output. ``values`` only where they were asked for."""

    output: OutputOp
    ours: OutputOp | None
    batch: int
    time: int
    what: str
    expected: str
    actual: str
    values: str | None = None
    always: bool = False
    """It does not lie in a batch: the operation itself is another one."""


@dataclass(frozen=True)
class OutputVerdict:
    """What can be said of one output operation."""

    output: OutputOp
    cells: tuple[BatchMark, ...]
    elements: int
    """How many were compared."""
    counts: tuple[int, ...]
    """Elements that the reference had, by batch."""
    difference: OutputDifference | None = None
    unstable: str | None = None
    notes: tuple[str, ...] = ()
    reordered: int = 0
    """Batches with the same elements in another order."""
    failing: bool = False
    """There are batches in which both sides raised the same exception."""


@dataclass(frozen=True)
class Verdict:
    """The answer to ``migrate verify``."""

    kind: VerdictKind
    why: str
    outputs: tuple[OutputVerdict, ...] = ()
    times: tuple[int, ...] = ()
    seconds: dict[str, tuple[float, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.kind]


@dataclass(frozen=True)
class Rules:
    """How strict the comparison is, and what it may show."""

    ordered: bool = False
    partitions: bool = True
    show_values: bool = False
    strict: bool = False
    run_outputs: bool = False
    recorded: bool = False
    """The reference is a recording, which says nothing of what bodies do."""


def judge(
    reference: Observations,
    again: Observations | None,
    ours: Observations,
    rules: Rules,
    excluded: Mapping[int, str] = MappingProxyType({}),
    unknown: Set[tuple[int, int]] = frozenset(),
) -> Verdict:
    """Compare ours with the reference; ``again`` is the reference's second run, if it has one.

    ``excluded``: outputs of which nothing can be said, and why. ``unknown``: outputs and batches of
    which nothing can be said.
    """
    notes = list(dict.fromkeys([*reference.notes, *(again.notes if again else ()), *ours.notes]))
    seconds = {"legacy": tuple(reference.seconds), "dstream_compat": tuple(ours.seconds)}
    times = tuple(reference.times)

    def verdict(kind: VerdictKind, why: str, outputs: Sequence[OutputVerdict] = ()) -> Verdict:
        return Verdict(kind, why, tuple(outputs), times, seconds, tuple(notes))

    conflicts = reference.conflicts or ours.conflicts
    if conflicts:
        return verdict(
            VerdictKind.NOT_COMPARED, f"{conflicts[0]}; give --run-outputs to run the bodies"
        )
    if len(reference.outputs) != len(ours.outputs):
        return verdict(
            VerdictKind.DIFFERENT,
            f"the original has {many(len(reference.outputs), 'output operation')}, the rewritten "
            f"job has {len(ours.outputs)}",
        )
    judged = [
        _output(n, reference, again, ours, rules, excluded.get(n), unknown)
        for n in range(len(reference.outputs))
    ]
    different = [output for output in judged if output.difference is not None]
    if different:
        first = min(different, key=lambda o: o.difference.batch if o.difference else 0)
        return verdict(VerdictKind.DIFFERENT, _first(first), judged)
    if len(reference.times) != len(ours.times):
        return verdict(
            VerdictKind.DIFFERENT,
            f"the original ran {many(len(reference.times), 'batch')}, the rewritten job "
            f"{len(ours.times)}",
            judged,
        )
    claimed = [output for output in judged if output.unstable is None]
    if not claimed:
        why = judged[0].unstable if judged else "the job has no output operation"
        return verdict(VerdictKind.NOT_COMPARED, why or "", judged)
    if not any(output.elements for output in claimed):
        return verdict(VerdictKind.NOT_COMPARED, _nothing(claimed, reference), judged)
    left = [output for output in judged if output.unstable is not None]
    if left and rules.strict:
        return verdict(VerdictKind.NOT_COMPARED, left[0].unstable or "", judged)
    return verdict(VerdictKind.EQUAL, claim(claimed, judged, len(times), rules), judged)


def _output(
    number: int,
    reference: Observations,
    again: Observations | None,
    ours: Observations,
    rules: Rules,
    excluded: str | None,
    unknown: Set[tuple[int, int]],
) -> OutputVerdict:
    output = reference.outputs[number]
    batches = range(len(reference.times))
    counts = tuple(sum(1 for _ in elements(reference.of(number, at))) for at in batches)
    notes = []
    unstable = excluded
    if unstable is None and again is not None:
        unstable = _unstable(number, reference, again, rules)
    if unstable is not None:
        cells = (BatchMark.UNSTABLE,) * len(batches)
        return OutputVerdict(output, cells, 0, counts, None, unstable)
    signs: list[BatchMark] = []
    compared, reordered = 0, 0
    found = _called_otherwise(number, reference, again, ours)
    for at in batches:
        if (number, at) in unknown:
            signs.append(BatchMark.UNSTABLE)
            continue
        left = reference.of(number, at)
        right = ours.of(number, at) if at < len(ours.times) else []
        wrong = facets_differ(left, right, rules)
        if wrong is not None:
            signs.append(BatchMark.DIFFERENT)
            if found is None:
                found = _difference(output, ours.outputs[number], at, reference, *wrong, rules)
            continue
        signs.append(BatchMark.EQUAL if left else BatchMark.NOT_RUN)
        compared += counts[at]
        if not rules.ordered and facets_differ(left, right, _ordered(rules)) is not None:
            reordered += 1
    missing = signs.count(BatchMark.UNSTABLE)
    if missing:
        notes.append(f"{many(missing, 'batch')} of it not recorded, and not claimed")
    if reordered:
        notes.append(
            f"the same elements in another order in {many(reordered, 'batch')}; --ordered makes "
            "that count"
        )
    errors = _errors_of(number, reference)
    if errors:
        notes.append(errors)
    elif not any(counts) and not missing and found is None:
        notes.append("empty in every batch, which proves little")
    return OutputVerdict(
        output,
        tuple(signs),
        compared,
        counts,
        found,
        None,
        tuple(notes),
        reordered,
        errors is not None,
    )


def _called_otherwise(
    number: int, reference: Observations, again: Observations | None, ours: Observations
) -> OutputDifference | None:
    """An output operation that is another one in the rewritten job, or saves somewhere else."""
    one, other = reference.outputs[number], ours.outputs[number]
    if one.operation != other.operation:
        what, expected, actual = "the operation", one.operation, other.operation
    elif one.arguments != other.arguments and (
        again is None or again.outputs[number].arguments == one.arguments
    ):
        what, expected, actual = "its arguments", one.operation, "the same with other arguments"
    else:
        return None
    time = reference.times[0] if reference.times else 0
    return OutputDifference(one, other, 0, time, what, expected, actual, "", always=True)


def _unstable(
    number: int, reference: Observations, again: Observations, rules: Rules
) -> str | None:
    output = reference.outputs[number]
    if number >= len(again.outputs):
        return f"the legacy engine differs from itself: {output} was there only once"
    for at in range(max(len(reference.times), len(again.times))):
        if at >= min(len(reference.times), len(again.times)):
            return f"the legacy engine differs from itself: {output} had other batches"
        wrong = facets_differ(reference.of(number, at), again.of(number, at), rules)
        if wrong is not None:
            return (
                f"the legacy engine differs from itself at {output} (batch {at + 1}, "
                f"{wrong[0].name}): what depends on time, chance or the outside cannot be compared"
            )
    return None


def facets_differ(
    left: list[Facet], right: list[Facet], rules: Rules
) -> tuple[Facet, Facet, str] | None:
    """The first facets that differ, and the comparison's message, which has values in it."""
    for a, b in zip(left, right, strict=False):
        if a.name != b.name:
            return a, b, f"expected {a.name}, got {b.name}"
        ordered = a.ordered or (rules.ordered and a.name == RDD)
        partitions = rules.partitions and a.name == RDD
        message = difference([[a.outcome]], [[b.outcome]], ordered=ordered, partitions=partitions)
        if message is not None:
            return a, b, message
    if len(left) > len(right):
        return left[len(right)], _absent(left[len(right)]), "got nothing"
    if len(right) > len(left):
        return _absent(right[len(left)]), right[len(left)], "expected nothing"
    return None


def _absent(facet: Facet) -> Facet:
    return Facet(facet.name, Missing())


def _ordered(rules: Rules) -> Rules:
    return Rules(ordered=True, partitions=False, run_outputs=rules.run_outputs)


def _difference(
    output: OutputOp,
    ours: OutputOp,
    at: int,
    reference: Observations,
    left: Facet,
    right: Facet,
    message: str,
    rules: Rules,
) -> OutputDifference:
    what, expected, actual = left.name, described(left.outcome), described(right.outcome)
    if left.name != right.name:
        what, expected, actual = "what the output did", left.name, right.name
    elif isinstance(left.outcome, Seen) and isinstance(right.outcome, Seen):
        only = [_surplus(left, right), _surplus(right, left)]
        if any(only):
            expected += f", {_only(only[0])}"
            actual += f", {_only(only[1])}"
        elif expected == actual:
            what += ", its order"
    elif isinstance(left.outcome, Raised) and expected == actual:
        what += ", its text"
    values = message.partition(": ")[2] or message if rules.show_values else None
    return OutputDifference(output, ours, at, reference.times[at], what, expected, actual, values)


def _surplus(left: Facet, right: Facet) -> list[Any]:
    """Elements of ``left`` without an equal one in ``right``, found with the comparison itself."""
    assert isinstance(left.outcome, Seen)
    assert isinstance(right.outcome, Seen)
    others = [element for part in right.outcome.partitions for element in part]
    by_repr: dict[str, list[Any]] = {}
    for other in others:
        by_repr.setdefault(repr(other), []).append(other)
    result = []
    for element in (element for part in left.outcome.partitions for element in part):
        candidates = by_repr.get(repr(element), [])
        for index, candidate in enumerate(candidates):
            if difference([[Seen(((element,),))]], [[Seen(((candidate,),))]]) is None:
                del candidates[index]
                break
        else:
            result.append(element)
    return result


def _only(surplus: list[Any]) -> str:
    if not surplus:
        return "none that the other lacks"
    shapes = Counter(shape(element) for element in surplus)
    listed = ", ".join(f"{count} × {name}" for name, count in shapes.most_common(3))
    return f"{len(surplus)} that the other lacks ({listed}{' …' if len(shapes) > 3 else ''})"


def shape(value: Any, depth: int = 2) -> str:
    """The type of a value, and of what is in it.

    >>> shape(("a", 1))
    'tuple(str, int)'
    """
    name = type(value).__name__
    if depth and isinstance(value, (tuple, list)) and 0 < len(value) <= 6:
        return f"{name}({', '.join(shape(item, depth - 1) for item in value)})"
    return name


def _errors_of(number: int, seen: Observations) -> str | None:
    kinds = [
        facet.outcome.type
        for at in range(len(seen.times))
        for facet in seen.of(number, at)
        if isinstance(facet.outcome, Raised)
    ]
    if not kinds:
        return None
    return f"raised {kinds[0]} in {many(len(kinds), 'batch')}, on both sides"


def _first(output: OutputVerdict) -> str:
    found = output.difference
    assert found is not None
    where = "" if found.always else f" in batch {found.batch + 1}"
    verb = "differ" if found.what.endswith("s") else "differs"
    return f"{found.output}: {found.what} {verb}{where}"


def _nothing(claimed: Sequence[OutputVerdict], reference: Observations) -> str:
    for output in claimed:
        errors = _errors_of(output.output.number, reference)
        if errors:
            return f"no element was compared: {output.output} {errors}"
    return (
        "no element was compared: every output was empty in every batch; give batches that the "
        "job makes something of"
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
    bodies = [output.output for output in claimed if output.output.body]
    tail = ""
    if bodies and rules.run_outputs and rules.recorded:
        tail = "; the RDDs handed to foreachRDD were compared, what bodies do is not recorded"
    elif bodies and not rules.run_outputs:
        tail = f"; the RDDs handed to foreachRDD were compared, {many(len(bodies), 'body')} not run"
    elif bodies:
        tail = f"; {many(len(bodies), 'body')} run, with prints, exceptions and actions compared"
    moved = sum(output.reordered > 0 for output in claimed)
    if moved:
        tail = f"; {moved} with elements in another order{tail}"
    failing = sum(output.failing for output in claimed)
    if failing:
        tail = f"; {failing} with exceptions on both sides{tail}"
    return f"{outputs}, {many(batches, 'batch')}, {many(count, 'element')}{tail}"
