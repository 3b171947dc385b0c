"""Where received elements wait between their arrival and the batch that uses them.

A receiver's elements are gone at their origin once received, so a block must be on disk before it
may be promised to a batch. Nothing in this module knows Spark but for its pickler.
"""

from __future__ import annotations

import os
import pickle
import re
import threading
import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from dstream_compat.sources.blocks import CHUNK, Data, Partition, Stored, join_chunks

_TORN = ".tmp"  # how the name of a file still being written ends
_BLOCK = re.compile(r"block-(?P<order>\d{20})-(?P<records>\d+)-[0-9a-f]{12}")


class BlockStore(Protocol):
    """Keeps received blocks until their batch is done with them. Safe for use by many threads."""

    def put(self, stream_id: int, chunks: Sequence[bytes], records: int) -> Partition:
        """Keep a block; it is durable, as far as this store goes, when the call returns."""

    def pending(self, stream_id: int, assigned: Collection[str]) -> list[Stored]:
        """Blocks of a stream, oldest first, whose path is not in ``assigned``."""

    def remove(self, partition: Partition) -> None:
        """Forget a block; one that is not there (any more) is no error."""


class MemoryBlockStore:
    """Blocks live in their partition and nowhere else: nothing survives the process."""

    def put(self, stream_id: int, chunks: Sequence[bytes], records: int) -> Partition:
        return Data(tuple(chunks), records)

    def pending(self, stream_id: int, assigned: Collection[str]) -> list[Stored]:
        return []

    def remove(self, partition: Partition) -> None:
        return None


class DirectoryBlockStore:
    """One file per block, ``<directory>/stream-<id>/block-<order>-<records>-<random>``.

    ``order`` grows with every block of the stream. It alone could come back after a restart, when
    the clock went backwards and older blocks are gone; the random part keeps a new block from
    being taken for one that an old batch refers to. One process at a time may use a directory.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self._directory = Path(os.path.abspath(directory))
        self._directory.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._last: dict[int, int] = {}  # stream id → order of its newest block
        for torn in self._directory.glob(f"stream-*/.*{_TORN}"):
            torn.unlink(missing_ok=True)

    def put(self, stream_id: int, chunks: Sequence[bytes], records: int) -> Partition:
        content = join_chunks(chunks)
        folder = self._folder(stream_id)
        order = self._next_order(stream_id)
        name = f"block-{order:020d}-{records}-{uuid.uuid4().hex[:12]}"
        torn = folder / f".{name}{_TORN}"
        try:
            with open(torn, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(torn, folder / name)
        except BaseException:
            torn.unlink(missing_ok=True)
            raise
        _sync_directory(folder)
        return Stored(str(folder / name), records, len(content))

    def pending(self, stream_id: int, assigned: Collection[str]) -> list[Stored]:
        known = frozenset(assigned)
        return [
            Stored(str(path), int(match["records"]), path.stat().st_size)
            for path, match in self._blocks(stream_id)
            if str(path) not in known
        ]

    def remove(self, partition: Partition) -> None:
        if isinstance(partition, Stored):
            Path(partition.path).unlink(missing_ok=True)

    def _folder(self, stream_id: int) -> Path:
        folder = self._directory / f"stream-{stream_id}"
        if not folder.is_dir():
            folder.mkdir(exist_ok=True)
            _sync_directory(self._directory)
        return folder

    def _next_order(self, stream_id: int) -> int:
        with self._lock:
            if stream_id not in self._last:
                found = [int(match["order"]) for _, match in self._blocks(stream_id)]
                self._last[stream_id] = max(found, default=0)
            self._last[stream_id] = max(self._last[stream_id] + 1, time.time_ns())
            return self._last[stream_id]

    def _blocks(self, stream_id: int) -> Iterator[tuple[Path, re.Match[str]]]:
        folder = self._directory / f"stream-{stream_id}"
        for path in sorted(folder.glob("block-*")):
            if match := _BLOCK.fullmatch(path.name):
                yield path, match


def _sync_directory(path: Path) -> None:
    """Make names created in a directory survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def pickle_portably(value: Any) -> bytes:
    """Pickle for executors: plain pickle where that will do, else cloudpickle.

    Plain pickle names what the job's own script defines as ``__main__.…``, which an executor does
    not have, so whatever mentions that module goes by value.
    """
    try:
        pickled = pickle.dumps(value, protocol=5)
        if b"__main__" not in pickled:
            return pickled
    except Exception:  # whatever a user's __reduce__ raises; cloudpickle has the last word
        pass
    from pyspark import cloudpickle

    by_value: bytes = cloudpickle.dumps(value)  # type: ignore[no-untyped-call]
    return by_value


def portable_data(elements: Iterable[Any]) -> Data:
    """A partition holding ``elements`` as they are now, readable on executors."""
    listed = list(elements)
    return Data(pickle_chunks(listed), len(listed))


def pickle_chunks(elements: Sequence[Any]) -> tuple[bytes, ...]:
    """``elements`` as pickled lists of at most ``CHUNK``."""
    return tuple(
        pickle_portably(list(elements[at : at + CHUNK])) for at in range(0, len(elements), CHUNK)
    )
