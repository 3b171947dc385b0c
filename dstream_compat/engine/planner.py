"""From log entries to tasks: which task reads which partitions."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dstream_compat.base.pyspark_internals import is_local
from dstream_compat.engine.grid import Grid
from dstream_compat.engine.setup import JobSetup
from dstream_compat.input.log import LogEntry
from dstream_compat.input.storage import Storage
from dstream_compat.stages.frames import Tick
from dstream_compat.stages.partitions import KafkaRange
from dstream_compat.stages.tasks import Task


class TaskPlanner:
    """Plans the tasks of a job. ``amended`` gives a logged entry as this job is to run it."""

    def __init__(
        self,
        setup: JobSetup,
        grid: Grid,
        storage: Storage,
        amended: Callable[[LogEntry], LogEntry],
    ) -> None:
        self._grid = grid
        self._slots = setup.slots
        self._known = setup.logged_sources
        self._storage = storage
        self._amended = amended
        # executors on other machines do not see the driver's disk
        self._by_path = storage.is_local and is_local(setup.sc)

    def tasks(self, entries: Sequence[LogEntry]) -> list[bytes]:
        entries = self._as_run(entries)
        if not self._by_path:
            entries = [entry.self_contained(self._read) for entry in entries]
        return split_tasks(entries, self._known, self._slots, self._grid.zero)

    def count(self, entries: Sequence[LogEntry]) -> int:
        """How many tasks :meth:`tasks` makes."""
        partitions = sum(1 for _ in _to_read(self._as_run(entries), self._known))
        return max(1, min(self._slots, partitions))

    def ticks(self, entries: Sequence[LogEntry]) -> list[tuple[int, Tick]]:
        """The ticks, as every task gets them."""
        return _ticks(self._as_run(entries), self._grid.zero)

    def _as_run(self, entries: Sequence[LogEntry]) -> list[LogEntry]:
        return [self._amended(entry) for entry in entries]

    def _read(self, path: str) -> bytes:
        return self._storage.read(self._storage.name_of(path))


def split_tasks(entries: Sequence[LogEntry], known: set[int], slots: int, zero: int) -> list[bytes]:
    """Deal the partitions of some ticks out to at most ``slots`` tasks.

    ``zero`` is the time before the first tick ever.
    """
    dealt: list[list[Any]] = [[] for _ in range(slots)]
    for turn, partition in enumerate(_to_read(entries, known)):
        dealt[turn % slots].append(partition)
    ticks = tuple(_ticks(entries, zero))
    # every task knows all counts (unions need them); only the first one announces the ticks
    tasks = [
        Task(tuple(partitions), ticks, announces=number == 0)
        for number, partitions in enumerate(dealt)
        if partitions or number == 0
    ]
    return [pickle.dumps(task, protocol=5) for task in tasks]


def _ticks(entries: Sequence[LogEntry], zero: int) -> list[tuple[int, Tick]]:
    return [(entry.tick, entry.told(zero)) for entry in entries]


def _to_read(entries: Sequence[LogEntry], known: set[int]) -> Iterator[tuple[int, int, int, Any]]:
    """The partitions of some ticks that our own tasks read: all but Kafka's."""
    for entry in entries:
        for source, batch in entry.batches.items():
            if source in known:
                for index, partition in enumerate(batch.partitions):
                    if not (isinstance(partition, KafkaRange) and partition.records):
                        yield entry.tick, source, index, partition
