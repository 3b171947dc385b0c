"""What a task works on: the partitions it reads, and its orders, opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dstream_compat.stages.frames import Tick
from dstream_compat.stages.partitions import Partition

Functions = Sequence[Callable[..., Any]]
EVERY = -2  # stands for all ticks in ``poisoned``


@dataclass(frozen=True)
class Setting:
    """What a task knows beside its frames.

    Once ``inline`` bytes of output frames have gone to the driver, further ones are heavy; with
    ``drops`` they come without their bytes. ``poisoned`` are the ticks whose worker died: they are
    no longer computed, and everything that depends on them fails. ``reopen`` opens the functions
    again.
    """

    functions: Functions
    slots: int
    inline: int = 2**62
    drops: bool = False
    poisoned: Mapping[int, str] = field(default_factory=dict)
    broken: str | None = None  # why the functions could not be opened here
    lost: Sequence[tuple[int, int, int, str]] = ()  # source, tick, part and why it is gone
    reopen: Callable[[], Functions] | None = None

    def poison(self, tick: int) -> str | None:
        if self.broken is not None:
            return self.broken
        return self.poisoned.get(tick, self.poisoned.get(EVERY))


@dataclass(frozen=True)
class Task:
    """One input task: the partitions it reads, and the ticks, which one of the tasks announces."""

    partitions: tuple[tuple[int, int, int, Partition], ...]  # tick, source, index, what to read
    ticks: tuple[tuple[int, Tick], ...]
    announces: bool


class Records:
    """The records of a Kafka partition in order, handed out range by range.

    What a reader leaves unread of a range is skipped.
    """

    def __init__(
        self, topic: str, partition: int, described: bool, rows: Iterator[tuple[int, Any, Any]]
    ) -> None:
        self._place = (topic, partition) if described else None
        self._rows = rows
        self._ahead: tuple[int, Any, Any] | None = None

    def between(self, start: int, until: int) -> Iterator[Any]:
        while True:
            row = self._ahead or next(self._rows, None)
            self._ahead = None
            if row is None:
                return
            offset, key, value = row
            if offset >= until:
                self._ahead = row
                return
            if offset >= start:
                yield (key, value) if self._place is None else (*self._place, offset, key, value)
