"""The one kind of row that travels between stages: a frame.

A frame carries a pickled list of elements (a *chunk*) of one logical partition of one stream at one
tick. Errors and ticks travel as frames too, so that nothing else has to cross an exchange.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from dstream_compat.stages.chunks import pickle_portably
from dstream_compat.stages.partitions import CHUNK

SCHEMA = "route int, tick long, part int, src int, seq int, chunk binary"

MARK = -1  # the route of tick markers; their chunk is a pickled Tick
STATE = -2  # the route of what a stage tells of its state: (operator, partition, *Usage) tuples
OPEN = -1  # the seq of a frame that only says: this partition exists
ERROR = 2**31 - 1  # the seq of an error: it sorts behind the elements that came before it
_MOST = 4 * 1024 * 1024  # bytes of a chunk, unless it is a single element
_PROBES = (8, 64)  # after so many elements of a chunk one of them is weighed
LAST_TICK = -1  # the tick of data that belongs to the last tick of its micro-batch


class Tick(NamedTuple):
    """What every slot is told of a tick: the time before the first one, the number of partitions
    of every source (and, once it is known, of every window), and which phase of the tick this is;
    ``failed`` says why the phase before it failed in the driver, if it did."""

    zero: int
    counts: dict[int, int]
    phase: int = 0
    failed: str = ""

    def due(self, tick: int, slide_ms: int) -> bool:
        """Whether a stream that slides by ``slide_ms`` has a batch at ``tick``."""
        return (tick - self.zero) % slide_ms == 0


class Frame(NamedTuple):
    """``src, seq`` order the frames of a partition; ``part`` is also where an exchange sends it.

    The frames of an output come from one place, so their ``src`` says how many elements they hold,
    as :func:`light` or as :func:`heavy` if their bytes stay on the executors.
    """

    route: int
    tick: int
    part: int
    src: int
    seq: int
    chunk: bytes


def dumps(elements: list[Any]) -> bytes:
    """A chunk. legacy: elements may be whatever cloudpickle can send, classes of the script too."""
    try:
        return pickle_portably(elements)
    except Exception as error:
        text = f"Could not serialize object: {type(error).__name__}: {error}"
        raise pickle.PicklingError(text) from None


def mark(tick: int, slot: int, told: Tick) -> Frame:
    """The marker that tells ``slot`` of a tick."""
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


def chunks(iterator: Iterable[Any], size: int = CHUNK) -> Iterator[tuple[int, bytes]]:
    """Pickle what ``iterator`` gives as lists of ``size``, less if that is much; each with its
    length.

    When the iterator raises, what came before the error is delivered first: an action that does not
    get as far as the error must not see it.

    >>> [records for records, _ in chunks(range(1500))]
    [1000, 500]
    >>> [records for records, _ in chunks(bytes(1_000_000) for _ in range(10))]
    [4, 4, 2]
    """
    source = iter(iterator)
    part: list[Any] = []
    error: BaseException | None = None
    try:
        ended = False
        while not ended:
            most = size
            for goal in (*_PROBES, size):
                missing = min(goal, most) - len(part)
                if missing <= 0:
                    break
                part.extend(islice(source, missing))
                ended = len(part) < min(goal, most)
                if ended:
                    break
                if goal < size:  # large elements are noticed before there are many of them
                    most = min(most, _MOST // _weight(part[-1]))
            if not ended:
                full, part = part, []
                yield from pieces(full)
    except GeneratorExit:
        raise
    except BaseException as raised:  # legacy: SystemExit in a function is a failed task, no more
        error = raised
    if part:
        yield from pieces(part)
    if error is not None:
        raise error


def pieces(elements: list[Any]) -> Iterator[tuple[int, bytes]]:
    """Chunks of ``elements``: one, or several that are not too large; each with its length."""
    chunk = dumps(elements)
    if len(chunk) <= _MOST or len(elements) == 1:
        yield len(elements), chunk
        return
    half = len(elements) // 2
    yield from pieces(elements[:half])
    yield from pieces(elements[half:])


def _weight(element: Any) -> int:
    try:
        return len(pickle.dumps(element, protocol=5))
    except Exception:  # dumps knows better, or says so
        return 1
