"""What a stage is: the part of a compiled plan that executors need.

A stage has *inputs*: the sources (stage 0) and the wide operators that finish in it. From each
input a tree of *branches* leads through the narrow operators to *exits*: an output route, or the
near side of a wide operator of a later stage. All of it is plain data; user functions are numbers
into a table that travels separately.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SIDE = 2**20  # partitions per side of a join when the sides' partitions are put in order
PAIR = 2  # sides of a join


@dataclass(frozen=True)
class Count:
    """How many partitions a stream has: a constant, plus those of some sources at that tick.

    A window's number depends on earlier ticks: a window counts as a source of the stage it ends in.
    """

    constant: int = 0
    sources: tuple[int, ...] = ()

    def __add__(self, other: Count) -> Count:
        return Count(self.constant + other.constant, self.sources + other.sources)

    def at(self, counts: Mapping[int, int]) -> int:
        """
        >>> Count(2, (0, 0)).at({0: 3})
        8
        """
        return self.constant + sum(counts.get(source, 0) for source in self.sources)


@dataclass(frozen=True)
class Emit:
    """An exit: the elements of an output route."""

    route: int


@dataclass(frozen=True)
class Send:
    """An exit: the near side of a wide operator; ``tag`` says which of its inputs this is."""

    route: int
    kind: str
    partitions: int
    functions: tuple[int, ...]
    tag: int
    site: str
    aligned: bool = False  # a join of streams that are placed alike


@dataclass(frozen=True)
class Branch:
    """One narrow operator, or none (at an input), or a shift of indices (at a union)."""

    kind: str | None
    function: int | None
    site: str
    shift: Count | None = None
    exits: tuple[Emit | Send, ...] = ()
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True)
class Keeping:
    """What a stateful operator's far side needs to know. ``operator`` numbers its state."""

    operator: int
    input_ms: int  # how often data arrives
    window_ms: int
    check_ms: int  # how often it checks for time-outs
    timeout_ms: int | None
    aligned: bool  # a window whose batches are placed alike: united partition by partition
    source: int | None  # the source right in front of it, if it is one


@dataclass(frozen=True)
class StageInput:
    """Where a stream enters a stage: a source, or the far side of an operator.

    ``count`` says how many partitions arrive if that is not the fixed number ``partitions``. An
    ``initial`` state runs no function and comes only once, so it arrives whatever fails.
    """

    route: int
    branch: Branch
    slide_ms: int
    kind: str | None = None
    partitions: int = 0
    functions: tuple[int, ...] = ()
    site: str = ""
    count: Count | None = None
    keeping: Keeping | None = None
    snapshots: Branch | None = None
    phase: int = 0
    initial: bool = False


@dataclass(frozen=True)
class Stage:
    inputs: Mapping[int, StageInput]

    @property
    def stateful(self) -> bool:
        return any(stage_input.keeping is not None for stage_input in self.inputs.values())
