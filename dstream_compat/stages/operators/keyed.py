"""One partition of an operator with state at one tick, and what all such operators share."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dstream_compat.stages.failures import Failure
from dstream_compat.stages.frames import ERROR, Frame, Tick, elements
from dstream_compat.stages.operators.wide import Functions
from dstream_compat.stages.plan import SIDE, Keeping, StageInput
from dstream_compat.stages.state.store import StateCell

Source = Callable[[], Iterator[Any]]
INITIAL = 1  # the tag of an initial state; the data's is 0


@dataclass(frozen=True)
class KeyedPartition:
    """One partition of a keyed operator at one tick."""

    stage_input: StageInput
    keeping: Keeping
    cell: StateCell
    tick: int
    told: Tick
    frames: list[Frame]
    functions: Functions
    poison: str | None

    @property
    def missing(self) -> bool:
        """Whether a transform in front of it failed at this tick, or gave no RDD."""
        source = self.keeping.source
        unknown = source is not None and source not in self.told.counts
        return unknown or bool(self.told.failed)

    def arrived(self, tag: int = 0) -> Iterator[Any]:
        """The elements that came through one input. Raises the error that kept them away."""
        frames = [frame for frame in self.frames if frame.src // SIDE == tag]
        if self.poison is not None and tag != INITIAL:
            raise Failure(self.poison)
        for frame in frames:
            if frame.seq == ERROR:
                raise Failure(bytes(frame.chunk).decode())
        return elements(frames)


def no_elements() -> Iterator[Any]:
    return iter(())


NOTHING = (no_elements, no_elements)  # at a tick at which the operator has no batch


def next_due(tick: int, stage_input: StageInput, told: Tick) -> int:
    """The first tick from ``tick`` on at which the stream has a batch."""
    return tick + (told.zero - tick) % stage_input.slide_ms


def unpickled(parts: Iterable[tuple[list[bytes], str | None]]) -> Source:
    held = list(parts)

    def source() -> Iterator[Any]:
        for chunks_, error in held:
            for chunk in chunks_:
                yield from pickle.loads(chunk)
            if error is not None:
                raise Failure(error)

    return source
