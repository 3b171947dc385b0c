"""The input log: for every tick, in order, what each input stream received.

The log is the source of the streaming query; an entry's number is the query's offset. It lives
in the checkpoint directory, so batch times and received data survive a crash.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from dstream_compat.input.storage import Storage
from dstream_compat.stages.chunks import split_chunks
from dstream_compat.stages.frames import Tick
from dstream_compat.stages.partitions import (
    Batch,
    Data,
    KafkaRange,
    Partition,
    RecordSplit,
    Stored,
    TextSplit,
)

_KAFKA_RECORD = 256  # bytes, a guess


@dataclass(frozen=True)
class LogEntry:
    """One tick: its time in ms, when it was logged, and each source's batch.

    A tick with state downstream of a transform has a second entry for its second ``phase``, and so
    on; ``failed`` says why the previous phase failed in the driver, if it did.
    """

    tick: int
    logged_ms: int
    batches: Mapping[int, Batch]
    phase: int = 0
    failed: str = ""

    def told(self, zero: int) -> Tick:
        """The tick as the stages get it."""
        return Tick(zero, self.counts, self.phase, self.failed)

    @property
    def counts(self) -> dict[int, int]:
        """How many partitions each source has at this tick."""
        return {source: len(batch.partitions) for source, batch in self.batches.items()}

    def self_contained(self, read: Callable[[str], bytes]) -> LogEntry:
        """The same entry with the received blocks themselves instead of their names."""
        return replace(self, batches={n: _carried(b, read) for n, b in self.batches.items()})

    @property
    def size(self) -> int:
        """Bytes of input, as far as known."""
        total = 0
        for batch in self.batches.values():
            for partition in batch.partitions:
                if isinstance(partition, Data):
                    total += sum(map(len, partition.chunks))
                elif isinstance(partition, Stored):
                    total += partition.size
                elif isinstance(partition, (TextSplit, RecordSplit)):
                    total += partition.length
                elif isinstance(partition, KafkaRange):
                    total += partition.records * _KAFKA_RECORD
        return total


def _carried(batch: Batch, read: Callable[[str], bytes]) -> Batch:
    def carried(partition: Partition) -> Partition:
        if not isinstance(partition, Stored):
            return partition
        return Data(tuple(split_chunks(read(partition.path))), partition.records)

    return replace(batch, partitions=tuple(map(carried, batch.partitions)))


class InputLog:
    """Entries 1, 2, 3 … in a directory, one file each."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._changed = threading.Condition()
        self._closed = False
        self._entries: dict[int, LogEntry] = {}
        for name in sorted(storage.sizes()):
            if name.isdigit():
                self._entries[int(name)] = _read(storage, name)
        storage.sweep()
        self._last = max(self._entries, default=0)

    @property
    def last(self) -> int:
        """The number of the newest entry; 0 if there is none."""
        with self._changed:
            return self._last

    @property
    def last_phase(self) -> int | None:
        """The phase of the newest entry; None if there is none."""
        with self._changed:
            return self._entries[self._last].phase if self._last else None

    def append(self, entry: LogEntry) -> int:
        """Add an entry; returns its number once it is stored."""
        with self._changed:
            number = self._last + 1
            self._storage.write(_name(number), pickle.dumps(entry, protocol=5))
            self._entries[number] = entry
            self._last = number
            self._changed.notify_all()
            return number

    @contextmanager
    def together(self) -> Iterator[None]:
        """Entries appended in here become visible at once: one micro-batch can cover them."""
        with self._changed:
            yield

    def get(self, number: int) -> LogEntry:
        with self._changed:
            return self._entries[number]

    def between(self, start: int, end: int) -> list[LogEntry]:
        """The entries after ``start`` up to ``end`` that are still kept."""
        with self._changed:
            numbers = range(start + 1, end + 1)
            return [self._entries[number] for number in numbers if number in self._entries]

    def number_of(self, tick: int | None, phase: int = 0) -> int:
        """The number of the entry of a phase of ``tick``; 0 if there is none."""
        with self._changed:
            for number, entry in self._entries.items():
                if (entry.tick, entry.phase) == (tick, phase):
                    return number
            return 0

    def batch_of(self, tick: int, source: int) -> Batch | None:
        """The batch of a source at a tick, if it is still kept."""
        number = self.number_of(tick)
        return self.get(number).batches.get(source) if number else None

    def newest_batch(self, source: int, until_tick: int) -> Batch | None:
        """The last batch of a source up to a tick, if it is still kept."""
        with self._changed:
            kept = reversed(self._entries.values())
            ticks = (entry for entry in kept if entry.tick <= until_tick)
            return next((e.batches[source] for e in ticks if source in e.batches), None)

    def items(self) -> Iterator[tuple[int, LogEntry]]:
        """All entries kept, oldest first."""
        with self._changed:
            return iter(sorted(self._entries.items()))

    def beyond(self, start: int, most: int, most_bytes: int) -> int | None:
        """Wait for entries after ``start``; the last one a batch may cover, None if closed."""
        with self._changed:
            while self._last <= start and not self._closed:
                self._changed.wait()
            if self._last <= start:
                return None
            end, size = start, 0
            while end < self._last and end - start < most:
                size += self._entries[end + 1].size
                if size > most_bytes and end > start:
                    break
                end += 1
            return end

    def older(
        self, until_number: int, before_tick: int, keep_newest_of: Collection[int] = ()
    ) -> list[LogEntry]:
        """The entries up to ``until_number`` that are older than ``before_tick``.

        Not among them: the newest entry, and those with the newest batch of a source in
        ``keep_newest_of``, which may be skipped for many ticks.
        """
        with self._changed:
            numbers = self._older(until_number, before_tick, keep_newest_of)
            return [self._entries[number] for number in numbers]

    def forget(
        self, until_number: int, before_tick: int, keep_newest_of: Collection[int] = ()
    ) -> None:
        """Drop the entries that :meth:`older` gives."""
        with self._changed:
            dropped = self._older(until_number, before_tick, keep_newest_of)
            for number in dropped:
                del self._entries[number]
        for number in dropped:
            self._storage.delete(_name(number))

    def _older(
        self, until_number: int, before_tick: int, keep_newest_of: Collection[int]
    ) -> list[int]:
        kept = {self._last, *filter(None, map(self._newest_with, keep_newest_of))}
        return [
            number
            for number, entry in self._entries.items()
            if number <= until_number and number not in kept and entry.tick < before_tick
        ]

    def _newest_with(self, source: int) -> int | None:
        # entries are in the order of their numbers, and the newest one has it nearly always
        return next(
            (n for n in reversed(self._entries) if source in self._entries[n].batches), None
        )

    def close(self) -> None:
        """Wake all who wait; there will be no more entries."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class DamagedEntry(Exception):
    """An entry of the log that cannot be read."""


def _name(number: int) -> str:
    return f"{number:012d}"


def _read(storage: Storage, name: str) -> LogEntry:
    try:
        entry = pickle.loads(storage.read(name))
        if not isinstance(entry, LogEntry):
            raise TypeError(f"it is a {type(entry).__name__}")
        return entry
    except Exception as error:  # pickle raises almost anything
        raise DamagedEntry(f"input/{name}: {error or type(error).__name__}") from None
