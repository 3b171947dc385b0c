"""What an output operation was seen to do in a batch, in pieces compared one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dstream_parity import Missing, Outcome, Raised, Rerun, Seen
from dstream_parity.verify.words import many, place

RDD = "the RDD"
TIME = "the batch time it was called with"
TEXT = "the printed text"
ERROR = "the exception"


@dataclass(frozen=True)
class Facet:
    """One thing to compare; ``ordered`` if its order counts."""

    name: str
    outcome: Outcome
    ordered: bool = False


@dataclass(frozen=True)
class OutputOp:
    """An output operation of the job."""

    number: int
    operation: str
    """``pprint``, ``foreachRDD``, ``saveAsTextFiles`` …"""
    file: str
    line: int
    name: str | None = None
    """The name that the job records the stream under."""
    body: bool = False
    """Whether there is a function of the job, which may or may not run."""
    arguments: tuple[Any, ...] = ()
    """Its other arguments: how many to print, where to save. Never shown."""
    cell: int | None = None
    """The number of the notebook's cell, from 1; the line is within it."""

    def __str__(self) -> str:
        return f"{self.operation} at {place(self.file, self.line, self.cell)}"


@dataclass
class Observations:
    """What one run saw: facets by output and batch, and what is worth a note."""

    outputs: list[OutputOp] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    """The batch times that were run, in ms."""
    seconds: list[float] = field(default_factory=list)
    """How long each batch took."""
    facets: list[list[list[Facet]]] = field(default_factory=list)
    """Indexed ``[output][batch]``; an empty list: the output was not called."""
    sources: list[str] = field(default_factory=list)
    fed: dict[int, int] = field(default_factory=dict)
    """Which of the inputs feeds a source, by its number; some make their own batches."""
    notes: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    """Sentences about bodies that change what other functions read; none if bodies ran."""
    planned: int = 0
    """How many batches there would have been if the job had not stopped itself."""

    def of(self, output: int, batch: int) -> list[Facet]:
        return self.facets[output][batch]


def what_was_handed(facets: list[Facet]) -> list[Facet]:
    """What does not depend on whether the body ran."""
    return [facet for facet in facets if facet.name in (RDD, TIME)]


def elements(facets: list[Facet]) -> Iterator[Any]:
    """The elements of the RDD that an output was given."""
    for facet in facets:
        if facet.name == RDD and isinstance(facet.outcome, Seen):
            for partition in facet.outcome.partitions:
                yield from partition


def described(outcome: Outcome) -> str:
    """An outcome, described without its values.

    >>> described(Seen(((1, "a"), ())))
    '2 elements in 2 partitions'
    """
    if isinstance(outcome, Raised):
        return f"raised {outcome.type}"
    if isinstance(outcome, Missing):
        return "nothing"
    if isinstance(outcome, Rerun):
        return f"{described(outcome.first)}, then {described(outcome.again)}"
    count = sum(map(len, outcome.partitions))
    return f"{many(count, 'element')} in {many(len(outcome.partitions), 'partition')}"
