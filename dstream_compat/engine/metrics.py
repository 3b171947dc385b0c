"""How much state a job keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dstream_compat.graph.nodes import Stateful


class Usage(NamedTuple):
    """What one partition of an operator stores; ``keys`` is -1 for operators without keys."""

    keys: int
    pages: int
    bytes: int


@dataclass(frozen=True)
class StateMetrics:
    """What one operator keeps, after the latest batch.

    ``pages`` are entries of the state store and ``bytes`` their size (values are compressed).
    ``keys`` is None for windows, which keep batches rather than keys.
    """

    name: str
    site: str
    keys: int | None
    pages: int
    bytes: int


class StateUsage:
    """What tasks last reported about the state they keep; ``names`` are the operators' names."""

    def __init__(self, operators: Sequence[Stateful], names: Sequence[str]) -> None:
        self._operators = list(zip(operators, names, strict=True))
        self._used: dict[tuple[int, int], Usage] = {}  # by operator and partition

    def note(self, operator: int, part: int, usage: Usage) -> None:
        self._used[operator, part] = usage

    def metrics(self) -> list[StateMetrics]:
        """The metrics of all operators."""
        used = dict(self._used)  # other threads call this, too
        metrics = []
        for number, (node, name) in enumerate(self._operators):
            mine = [usage for (operator, _), usage in used.items() if operator == number]
            known = [usage.keys for usage in mine if usage.keys >= 0]
            metrics.append(
                StateMetrics(
                    name,
                    node.site,
                    sum(known) if known else None,
                    sum(usage.pages for usage in mine),
                    sum(usage.bytes for usage in mine),
                )
            )
        return metrics
