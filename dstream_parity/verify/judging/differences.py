"""Where two runs differ in an output, described without values."""

from __future__ import annotations

from collections import Counter
from typing import Any

from dstream_parity import Missing, Raised, Seen, difference
from dstream_parity.base.compare import surplus
from dstream_parity.verify.child.facets import RDD, Facet, Observations, OutputOp, described
from dstream_parity.verify.judging.verdict import OutputDifference, Rules


def called_otherwise(
    number: int, reference: Observations, again: Observations | None, ours: Observations
) -> OutputDifference | None:
    """An output that is another operation in the rewritten job, or saves somewhere else."""
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


def facets_differ(
    left: list[Facet], right: list[Facet], rules: Rules
) -> tuple[Facet, Facet, str] | None:
    """The first facets that differ, and the comparison's message, which contains values."""
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


def described_difference(
    output: OutputOp,
    ours: OutputOp,
    at: int,
    time: int,
    left: Facet,
    right: Facet,
    message: str,
    rules: Rules,
) -> OutputDifference:
    """Two facets of batch ``at`` that differ, in words; with values only if they may be shown."""
    what, expected, actual = left.name, described(left.outcome), described(right.outcome)
    if left.name != right.name:
        what, expected, actual = "what the output did", left.name, right.name
    elif isinstance(left.outcome, Seen) and isinstance(right.outcome, Seen):
        only = surplus(left.outcome, right.outcome)
        if any(only):
            expected += f"; only in reference: {_shapes(only[0])}"
            actual += f"; only in ours: {_shapes(only[1])}"
        elif expected == actual:
            what += ", its order"
    elif isinstance(left.outcome, Raised) and expected == actual:
        what += ", its text"
    values = message.partition(": ")[2] or message if rules.show_values else None
    return OutputDifference(output, ours, at, time, what, expected, actual, values)


def _shapes(surplus: list[Any]) -> str:
    if not surplus:
        return "none"
    shapes = Counter(shape(element) for element in surplus)
    listed = ", ".join(f"{count} × {name}" for name, count in shapes.most_common(3))
    return f"{len(surplus)} ({listed}{' …' if len(shapes) > 3 else ''})"


def shape(value: Any, depth: int = 2) -> str:
    """The type of a value, and of what is in it.

    >>> shape(("a", 1))
    'tuple(str, int)'
    """
    name = type(value).__name__
    if depth and isinstance(value, (tuple, list)) and 0 < len(value) <= 6:
        return f"{name}({', '.join(shape(item, depth - 1) for item in value)})"
    return name
