"""Stores received elements from their arrival until their batch is done.

A receiver's elements no longer exist at their origin, so a block must be on disk before it is
assigned to a batch.
"""

from __future__ import annotations

import pickle
import re
import threading
import time
import uuid
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

from dstream_compat.input.storage import Storage
from dstream_compat.stages.chunks import join_chunks, split_chunks
from dstream_compat.stages.partitions import Data, Partition, Stored

_BLOCK = re.compile(r"block-(?P<order>\d{20})-(?P<records>\d+)-[0-9a-f]{12}")


class BlockStore(Protocol):
    """Keeps received blocks until their batch is done with them. Safe for use by many threads."""

    def put(self, stream_id: int, chunks: Sequence[bytes], records: int) -> Partition:
        """Store a block; when this returns it is as durable as this store makes it."""

    def pending(self, stream_id: int, assigned: Collection[str]) -> list[Stored]:
        """Blocks of a stream, oldest first, whose path is not in ``assigned``."""

    def read(self, block: Stored) -> list[Any]:
        """The elements of a block."""

    def remove(self, partition: Partition) -> None:
        """Delete a block; it is not an error if it does not exist."""


class MemoryBlockStore:
    """Blocks live in their partition and nowhere else: nothing survives the process."""

    def put(self, stream_id: int, chunks: Sequence[bytes], records: int) -> Partition:
        return Data(tuple(chunks), records)

    def pending(self, stream_id: int, assigned: Collection[str]) -> list[Stored]:
        return []

    def read(self, block: Stored) -> list[Any]:
        raise OSError("blocks in memory are not stored")

    def remove(self, partition: Partition) -> None:
        return None


class DirectoryBlockStore:
    """One file per block, ``stream-<id>/block-<order>-<records>-<random>``.

    ``order`` grows with every block of the stream. It could repeat after a restart, if the clock
    went backwards and older blocks are deleted; the random part keeps a new block from being
    mistaken for one that an old batch refers to. One process at a time may use a directory.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._lock = threading.Lock()
        self._last: dict[int, int] = {}  # stream id → order of its newest block
        storage.make()
        storage.sweep()

    def put(self, stream_id: int, chunks: Sequence[bytes], records: int) -> Partition:
        content = join_chunks(chunks)
        order = self._next_order(stream_id)
        name = f"{_folder(stream_id)}/block-{order:020d}-{records}-{uuid.uuid4().hex[:12]}"
        self._storage.write(name, content)
        return Stored(self._storage.path(name), records, len(content))

    def pending(self, stream_id: int, assigned: Collection[str]) -> list[Stored]:
        known = frozenset(assigned)
        folder = _folder(stream_id)
        blocks = [
            Stored(self._storage.path(f"{folder}/{match[0]}"), int(match["records"]), size)
            for match, size in self._blocks(stream_id)
        ]
        return [block for block in blocks if block.path not in known]

    def read(self, block: Stored) -> list[Any]:
        content = self._storage.read(self._storage.name_of(block.path))
        return [element for chunk in split_chunks(content) for element in pickle.loads(chunk)]

    def remove(self, partition: Partition) -> None:
        if isinstance(partition, Stored):
            self._storage.delete(self._storage.name_of(partition.path))

    def _next_order(self, stream_id: int) -> int:
        with self._lock:
            if stream_id not in self._last:
                found = [int(match["order"]) for match, _ in self._blocks(stream_id)]
                self._last[stream_id] = max(found, default=0)
            self._last[stream_id] = max(self._last[stream_id] + 1, time.time_ns())
            return self._last[stream_id]

    def _blocks(self, stream_id: int) -> Iterator[tuple[re.Match[str], int]]:
        for name, size in sorted(self._storage.sizes(_folder(stream_id)).items()):
            if match := _BLOCK.fullmatch(name):
                yield match, size


def _folder(stream_id: int) -> str:
    return f"stream-{stream_id}"
