"""Are two replays the same? Strict about types, blind to what no engine promises."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dstream_parity.base.outcomes import Outcome, Outcomes, Rerun, Seen

_SHOWN = 5  # elements per side in a message
ELEMENTS, ORDER, PARTITIONS = "the elements differ", "the order differs", "the partitions differ"
REASONS = (ELEMENTS, ORDER, PARTITIONS)  # first lines of messages; they contain no values


@dataclass(frozen=True)
class Difference:
    """The first output and tick that differ, and how."""

    output: int
    tick: int
    reason: str

    def __str__(self) -> str:
        return f"output {self.output}, tick {self.tick}: {self.reason}"


def difference(
    expected: Outcomes, actual: Outcomes, *, ordered: bool = False, partitions: bool = True
) -> str | None:
    """None if the replays are the same, otherwise a message about the first difference.

    Elements are compared as multisets over the whole RDD; with ``ordered``, in sequence, and with
    ``partitions`` as well, partition by partition. ``partitions`` also compares the number of
    partitions. Values are equal only if their types are, at any depth: 1, 1.0 and True are three
    different values. NaN equals NaN. The order of dicts and sets never counts, that of
    ``ResultIterable`` only with ``ordered``.

    >>> from dstream_parity.base.outcomes import Seen
    >>> difference([[Seen(((1, 2),))]], [[Seen(((2, 1),))]])
    >>> print(difference([[Seen(((1, 1, 2),))]], [[Seen(((1, 2, 2),))]]))
    output 0, tick 0: the elements differ
      expected only: 1
      actual only: 2
    """
    if len(expected) != len(actual):
        return f"expected {len(expected)} outputs, got {len(actual)}"
    options = [ordered] * len(expected)
    found = first_difference(expected, actual, ordered=options, partitions=partitions)
    return None if found is None else str(found)


def first_difference(
    expected: Outcomes,
    actual: Outcomes,
    *,
    ordered: Sequence[bool],
    partitions: bool = True,
    names: tuple[str, str] = ("expected", "actual"),
) -> Difference | None:
    """Like :func:`difference`, for replays with the same number of outputs.

    ``ordered`` says for each output whether order counts; ``names`` are what messages call the two
    sides.
    """
    for output, (left, right) in enumerate(zip(expected, actual, strict=True)):
        form = _Form(ordered[output])
        for tick, (a, b) in enumerate(zip(left, right, strict=False)):
            reason = _outcomes_differ(a, b, form, partitions, names)
            if reason:
                return Difference(output, tick, reason)
        shorter = min(len(left), len(right))
        if len(left) > shorter:
            reason = f"{names[0]} {shown(left[shorter])}, {names[1]} has no batch"
            return Difference(output, shorter, reason)
        if len(right) > shorter:
            reason = f"{names[0]} has no batch, {names[1]} {shown(right[shorter])}"
            return Difference(output, shorter, reason)
    return None


def _outcomes_differ(
    a: Outcome, b: Outcome, form: _Form, partitions: bool, names: tuple[str, str]
) -> str | None:
    def sides(what: str, left: str, right: str, suffix: str = "") -> str:
        return f"{what}\n  {names[0]}{suffix}: {left}\n  {names[1]}{suffix}: {right}"

    if not isinstance(a, Seen) or not isinstance(b, Seen):
        if a == b:
            return None
        return f"{names[0]} {shown(a)}, {names[1]} {shown(b)}"
    if partitions and len(a.partitions) != len(b.partitions):
        counts = f"{len(a.partitions)} partitions, {names[1]} {len(b.partitions)}"
        return sides(f"{names[0]} {counts}", shown(a), shown(b))
    only = surplus(a, b, ordered=form.ordered)
    if any(only):
        return sides(ELEMENTS, _show_elements(only[0]), _show_elements(only[1]), " only")
    if form.ordered and form.sequence(a.elements) != form.sequence(b.elements):
        return sides(ORDER, shown(a), shown(b))
    if form.ordered and partitions and [*map(len, a.partitions)] != [*map(len, b.partitions)]:
        return sides(PARTITIONS, shown(a), shown(b))
    return None


def surplus(a: Seen, b: Seen, *, ordered: bool = False) -> tuple[list[Any], list[Any]]:
    """The elements that only one side has, wherever they lie; first those of ``a``.

    ``ordered``: the order within a ``ResultIterable`` counts.

    >>> surplus(Seen(((1, 2, 2),)), Seen(((2,), (1.0,))))
    ([1, 2], [1.0])
    """
    form = _Form(ordered)
    return form.surplus(a.elements, b.elements), form.surplus(b.elements, a.elements)


@dataclass(frozen=True)
class _Form:
    """Turns values into hashable ones that are equal exactly when the values count as the same."""

    ordered: bool
    _within: list[int] = field(default_factory=list)  # ids of the values around the current one

    def of(self, value: Any) -> Hashable:
        kind = type(value)
        if value is None or kind in (bool, int, str, bytes):
            return kind, value
        if kind is float:
            return kind, "nan" if math.isnan(value) else repr(value)
        if id(value) in self._within:  # it contains itself
            return "the one", self._within.index(id(value))
        self._within.append(id(value))
        try:
            return self._of_parts(value, kind)
        finally:
            self._within.pop()

    def _of_parts(self, value: Any, kind: type) -> Hashable:
        if kind in (list, tuple):
            return kind, self.sequence(value)
        if kind in (set, frozenset):
            return kind, self.multiset(value)
        if kind is dict:
            return kind, self.multiset(value.items())
        if kind.__name__ == "ResultIterable":
            return kind.__name__, self.sequence(value) if self.ordered else self.multiset(value)
        if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
            return "name", value.__module__, value.__qualname__
        # Whatever went through an engine can be pickled, so compare what pickle would write.
        reduced = value.__reduce_ex__(4)
        if isinstance(reduced, str):
            return kind.__module__, kind.__qualname__, reduced
        maker, made, state, listed, items = (*reduced, None, None, None)[:5]
        if isinstance(value, (set, frozenset)):
            made = value - frozenset()  # a plain set
        pairs = list(items or ())
        return (
            *(kind.__module__, kind.__qualname__, *map(self.of, (maker, made, state))),
            self.sequence(listed or ()),
            # engines may fill a dict in different orders; that of an OrderedDict counts
            self.sequence(pairs) if isinstance(value, OrderedDict) else self.multiset(pairs),
        )

    def sequence(self, values: Iterable[Any]) -> Hashable:
        return tuple(map(self.of, values))

    def multiset(self, values: Iterable[Any]) -> Hashable:
        return frozenset(Counter(map(self.of, values)).items())

    def surplus(self, values: Sequence[Any], others: Iterable[Any]) -> list[Any]:
        """The ``values`` that have no equal left in ``others``."""
        left = Counter(map(self.of, others))
        result = []
        for value in values:
            form = self.of(value)
            if left[form] > 0:
                left[form] -= 1
            else:
                result.append(value)
        return result


def shown(outcome: Outcome) -> str:
    """An outcome on one line: the first elements of each partition."""
    if isinstance(outcome, Rerun):
        return f"{shown(outcome.first)}, then {shown(outcome.again)} when run again"
    if not isinstance(outcome, Seen):
        return repr(outcome)
    return "[" + " | ".join(_show_elements(partition) for partition in outcome.partitions) + "]"


def _show_elements(elements: Sequence[Any]) -> str:
    shown = ", ".join(_show_element(element) for element in elements[:_SHOWN])
    more = len(elements) - _SHOWN
    return (shown + f", and {more} more" if more > 0 else shown) or "nothing"


def _show_element(element: Any) -> str:
    if type(element).__name__ == "ResultIterable":
        return f"ResultIterable({list(element)!r})"
    if type(element) is tuple and len(element) == 2:
        return f"({_show_element(element[0])}, {_show_element(element[1])})"
    return repr(element)
