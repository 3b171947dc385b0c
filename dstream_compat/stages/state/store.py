"""Where state is kept: a map from keys to bytes, written once per micro-batch.

On Spark it is Structured Streaming's store, in process a dict. Operators never write to it
directly: a :class:`Buffer` holds their changes until the tick they belong to has succeeded.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from dstream_compat.stages.chunks import dumps

Key = tuple[int, int, int, int]  # operator, partition, space, number

_USAGE = 9  # the space of a partition's own size
_RAW, _ZSTD = b"\0", b"\1"
_WORTH_IT = 512  # bytes from which a value is compressed: reading from the store goes by the byte


class Store(Protocol):
    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        """The values of ``keys``, None where there is none."""

    def change(self, values: Mapping[Key, bytes | None]) -> None:
        """Set values; None removes."""


class MemoryStore:
    """For stages that run in process."""

    def __init__(self) -> None:
        self.values: dict[Key, bytes] = {}

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        return [self.values.get(key) for key in keys]

    def change(self, values: Mapping[Key, bytes | None]) -> None:
        for key, value in values.items():
            if value is None:
                self.values.pop(key, None)
            else:
                self.values[key] = value


class Buffer:
    """Reads through to a store, and holds changes until they are known to count."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[Key, bytes | None] = {}
        self._fresh: dict[Key, bytes | None] = {}
        self._read: dict[Key, bytes | None] = {}
        self._sizes: dict[Key, int] = {}  # in the store, of what was read from it
        self._keys: dict[tuple[int, int], int] = {}

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        """Looks at the changes of this tick, then those of earlier ticks, then the store."""
        layers = (self._fresh, self._kept, self._read)
        missing = [key for key in keys if not any(key in layer for layer in layers)]
        if missing:
            found = dict(zip(missing, self._store.get_many(missing), strict=True))
            self._sizes.update((key, -1 if v is None else len(v)) for key, v in found.items())
            self._read.update(found)
        return [next(layer[key] for layer in layers if key in layer) for key in keys]

    def set(self, key: Key, value: bytes | None) -> None:
        """Change a value; an unchanged one is not written."""
        if value != self.get_many([key])[0]:
            self._fresh[key] = value

    def keep(self) -> None:
        """The tick has succeeded: its changes count."""
        self._kept.update(self._fresh)
        self._fresh.clear()

    def discard(self) -> None:
        """The tick has failed: the state is as it was before."""
        self._fresh.clear()

    def forget_reads(self) -> None:
        """Drop what was only read: the operator is done with it."""
        self._read.clear()

    def count(self, operator: int, part: int, keys: int) -> None:
        """Note that a partition is in use, and how many keys it has (-1: not counted)."""
        self._keys[operator, part] = keys

    def flush(self) -> list[tuple[int, ...]]:
        """Write all that was kept, at the end of a micro-batch.

        Returns what every partition in use has now: operator, partition, keys, values, bytes.
        """
        used = {}
        before = self._store.get_many([(*place, _USAGE, 0) for place in self._keys])
        for place, known in zip(self._keys, before, strict=True):
            used[place] = [0, 0] if known is None else list(unpacked(known))
        for key, value in self._kept.items():
            usage = used.get(key[:2])
            if usage is not None:
                size = self._sizes[key]
                usage[0] += (value is not None) - (size >= 0)
                usage[1] += (0 if value is None else len(value)) - max(size, 0)
        for place, known in zip(self._keys, before, strict=True):
            packed_usage = packed(tuple(used[place]))
            if packed_usage != known:
                self._kept[place[0], place[1], _USAGE, 0] = packed_usage
        self._store.change(self._kept)
        self._kept = {}
        return [(*place, self._keys[place], *used[place]) for place in self._keys]


class StateCell:
    """The part of a store that belongs to one partition of one operator; values are objects."""

    def __init__(self, buffer: Buffer, operator: int, part: int) -> None:
        self.buffer = buffer
        self.part = part
        self._prefix = (operator, part)
        buffer.count(operator, part, -1)

    def count(self, keys: int) -> None:
        """Note how many keys there are."""
        self.buffer.count(*self._prefix, keys)

    def get(self, space: int, number: int = 0) -> Any:
        return self.get_many(space, [number])[0]

    def get_many(self, space: int, numbers: Iterable[int]) -> list[Any]:
        keys = [(*self._prefix, space, number) for number in numbers]
        return [None if raw is None else unpacked(raw) for raw in self.buffer.get_many(keys)]

    def set(self, space: int, number: int, value: Any) -> None:
        """None removes."""
        packed_value = None if value is None else packed(value)
        self.buffer.set((*self._prefix, space, number), packed_value)


def packed(value: Any) -> bytes:
    """
    >>> unpacked(packed({"a": [1] * 1000})) == {"a": [1] * 1000}
    True
    """
    raw = dumps(value)
    if len(raw) < _WORTH_IT:
        return _RAW + raw
    import pyarrow

    squeezed: bytes = pyarrow.compress(raw, codec="zstd", asbytes=True)
    return _ZSTD + len(raw).to_bytes(8, "big") + squeezed


def unpacked(content: bytes) -> Any:
    if content[:1] == _RAW:
        return pickle.loads(memoryview(content)[1:])
    import pyarrow

    size = int.from_bytes(content[1:9], "big")
    return pickle.loads(
        pyarrow.decompress(memoryview(content)[9:], size, codec="zstd", asbytes=True)
    )
