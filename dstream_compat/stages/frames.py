"""The one kind of row that travels between stages: a frame.

A frame carries a pickled list of elements (a *chunk*) of one logical partition of one stream at one
tick. Errors and ticks travel as frames too, so nothing else has to cross an exchange.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

SCHEMA = "route int, tick long, part int, src int, seq int, chunk binary"

MARK = -1  # the route of tick markers; their chunk is a pickled Tick
STATE = -2  # the route of a stage's report on its state: (operator, partition, *Usage) tuples
OPEN = -1  # the seq of a frame that only says that the partition exists
ERROR = 2**31 - 1  # the seq of an error: it sorts after the elements that came before it
LAST_TICK = -1  # the tick of data that belongs to the last tick of its micro-batch


class Tick(NamedTuple):
    """What every slot is told about a tick.

    ``zero`` is the batch time before the first one. ``counts`` are the numbers of partitions of
    every source and, once known, of every window. ``failed`` says why the previous phase of this
    tick failed in the driver, if it did.
    """

    zero: int
    counts: dict[int, int]
    phase: int = 0
    failed: str = ""

    def due(self, tick: int, slide_ms: int) -> bool:
        """Whether a stream that slides by ``slide_ms`` has a batch at ``tick``."""
        return (tick - self.zero) % slide_ms == 0


class Frame(NamedTuple):
    """``src, seq`` order the frames of a partition; ``part`` also says where an exchange sends it.

    All frames of an output partition come from one place, so their ``src`` says how many elements
    they hold: :func:`light`, or :func:`heavy` if their bytes stay on the executors.
    """

    route: int
    tick: int
    part: int
    src: int
    seq: int
    chunk: bytes


def mark(tick: int, slot: int, told: Tick) -> Frame:
    """The marker that tells ``slot`` about a tick."""
    return Frame(MARK, tick, slot, 0, 0, pickle.dumps(tuple(told), protocol=5))


def told_by(marker: Frame) -> Tick:
    """
    >>> told_by(mark(2000, 0, Tick(1000, {0: 3})))
    Tick(zero=1000, counts={0: 3}, phase=0, failed='')
    """
    return Tick(*pickle.loads(marker.chunk))


def light(records: int) -> int:
    """The ``src`` of an output frame that comes to the driver with its bytes."""
    return records


def heavy(records: int) -> int:
    """The ``src`` of an output frame whose bytes stay on the executors: negative.

    >>> records_of(heavy(7)), records_of(light(7)), heavy(0) < 0
    (7, 7, True)
    """
    return ~records


def records_of(src: int) -> int:
    """How many elements an output frame holds."""
    return ~src if src < 0 else src


def elements(frames: Iterable[Frame]) -> Iterator[Any]:
    """The elements of a partition's frames, in order. The frames must not hold an error.

    >>> list(elements([Frame(0, 0, 0, 0, 0, dumps([1, 2])), Frame(0, 0, 0, 0, 1, dumps([3]))]))
    [1, 2, 3]
    """
    for frame in sorted(frames, key=lambda frame: (frame.src, frame.seq)):
        if frame.seq != OPEN:
            yield from pickle.loads(frame.chunk)
