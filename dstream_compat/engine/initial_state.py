"""Initial states across rebuilds: each is used once, in the first batch of its operator.

Initial states are inputs, numbered in the order of the job's code; changed code numbers them
differently. So only log entries after the rebuild say anything about them: an operator that takes
over old state gets none, and a new one gets its own with the first batch still to be run, which may
have been logged before the rebuild.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dstream_compat.graph.nodes import Node, Source, Stateful
from dstream_compat.graph.specs import InitialStateSpec
from dstream_compat.input.log import LogEntry
from dstream_compat.stages.partitions import Batch, portable_data


def initial_states_after(
    operators: Sequence[Stateful],
    imports: Mapping[Source, Node],
    found: Mapping[int, int],
    logged: Sequence[tuple[int, LogEntry]],
    done: int,
) -> dict[str, Any]:
    """What a checkpoint notes at a rebuild: which initial states are due, and when."""
    due = [
        _origin(node.inputs[1], imports).id
        for number, node in enumerate(operators)
        if number not in found and len(node.inputs) > 1
    ]
    waiting = [entry.tick for number, entry in logged if number > done and entry.phase == 0]
    return {
        "due": due,
        "at": waiting[0] if waiting else None,
        "until": logged[-1][1].tick if logged else None,
    }


def _origin(node: Node, imports: Mapping[Source, Node]) -> Source:
    """The initial state that an import in a later phase stands for."""
    while isinstance(node, Source) and node in imports:
        node = imports[node]
    assert isinstance(node, Source)
    return node


class InitialStates:
    """Which initial states are due, and batches of the log with those that are due in them.

    ``kept`` is what :func:`initial_states_after` returned; None if the job was never rebuilt.
    """

    def __init__(self, kept: Mapping[str, Any] | None, sources: Sequence[Source]) -> None:
        self._kept = kept
        self._specs = {s.id: s.spec for s in sources if isinstance(s.spec, InitialStateSpec)}

    def is_over(self, number: int, history: Iterable[LogEntry]) -> bool:
        """Whether an initial state must not be part of any new batch."""
        kept = self._kept
        if kept is not None and (number not in kept["due"] or kept["at"] is not None):
            return True
        return any(number in entry.batches and not self._is_older(entry) for entry in history)

    def _is_older(self, entry: LogEntry) -> bool:
        until = None if self._kept is None else self._kept["until"]
        return until is not None and entry.tick <= until

    def amended(self, entry: LogEntry) -> LogEntry:
        """A logged batch as this job must run it."""
        if self._kept is None or entry.phase or not self._is_older(entry):
            return entry
        batches = {n: batch for n, batch in entry.batches.items() if n not in self._specs}
        if entry.tick == self._kept["at"]:
            for number in self._kept["due"]:
                parts = self._specs[number].partitions()
                batches[number] = Batch(tuple(portable_data(part) for part in parts))
        return replace(entry, batches=batches)
