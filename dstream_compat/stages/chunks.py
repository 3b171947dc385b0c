"""Chunks: elements as pickled lists, small enough to travel and readable on any executor."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

CHUNK = 1000  # elements per pickled chunk: what makes frames cheap without making them large
_MOST = 4 * 1024 * 1024  # bytes of a chunk, unless it is a single element
_PROBES = (8, 64)  # after so many elements of a chunk one of them is weighed


def chunks(iterator: Iterable[Any], size: int = CHUNK) -> Iterator[tuple[int, bytes]]:
    """Pickle the elements of ``iterator`` as lists of ``size``, fewer if they are large.

    Each list comes with its length. When the iterator raises, what came before the error is
    delivered first: an action that does not get as far as the error must not see it.

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
                wanted = min(goal, most) - len(part)
                if wanted <= 0:
                    break
                part.extend(islice(source, wanted))
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
    except BaseException as raised:  # legacy: SystemExit in a function fails the task, and no more
        error = raised
    if part:
        yield from pieces(part)
    if error is not None:
        raise error


def pieces(elements: list[Any]) -> Iterator[tuple[int, bytes]]:
    """Chunks of ``elements``, each with its length: one, or several if one would be too large."""
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
    except Exception:  # dumps may be able to, or says why not
        return 1


def pickle_chunks(elements: Iterable[Any]) -> tuple[bytes, ...]:
    """All of ``elements`` as chunks."""
    return tuple(chunk for _, chunk in chunks(elements))


def dumps(elements: list[Any]) -> bytes:
    """A chunk. legacy: an element may be of a class that the job's script defines."""
    try:
        return pickle_portably(elements)
    except Exception as error:
        text = f"Could not serialize object: {type(error).__name__}: {error}"
        raise pickle.PicklingError(text) from None


def pickle_portably(value: Any) -> bytes:
    """Pickle for executors: plain pickle where that will do, else cloudpickle.

    Plain pickle refers to what the job's script defines as ``__main__.…``, which executors do not
    have. So whatever mentions that module is pickled by value.
    """
    try:
        pickled = pickle.dumps(value, protocol=5)
        if b"__main__" not in pickled:
            return pickled
    except Exception:  # a user's __reduce__ may raise anything; cloudpickle has the last word
        pass
    from pyspark import cloudpickle

    by_value: bytes = cloudpickle.dumps(value)  # type: ignore[no-untyped-call]
    return by_value


def join_chunks(chunks: Iterable[bytes]) -> bytes:
    """Chunks as one byte string, each after its length (4 bytes, big-endian)."""
    return b"".join(len(chunk).to_bytes(4, "big") + chunk for chunk in chunks)


def split_chunks(joined: bytes) -> Iterator[bytes]:
    """The inverse of :func:`join_chunks`."""
    at = 0
    while at < len(joined):
        size = int.from_bytes(joined[at : at + 4], "big")
        yield joined[at + 4 : at + 4 + size]
        at += 4 + size
