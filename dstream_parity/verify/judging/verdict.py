"""The verdict on a job, on each of its outputs, and on each of their batches."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from dstream_parity.verify.child.facets import OutputOp


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
    """The first difference of an output; ``values`` only if they were asked for."""

    output: OutputOp
    ours: OutputOp | None
    batch: int
    time: int
    what: str
    expected: str
    actual: str
    values: str | None = None
    always: bool = False
    """It concerns all batches: the operation itself is a different one."""


@dataclass(frozen=True)
class OutputVerdict:
    """What can be said about one output operation."""

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
    """Batches with the same elements in a different order."""
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
    """The reference is a recording, which says nothing about what bodies do."""
