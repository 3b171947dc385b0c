"""Queues of batches given in the program: ``queueStream``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dstream_compat.input.source import InputSource
from dstream_compat.stages.partitions import Batch, BrokenPartition, Partition, portable_data

_BATCH = 1024  # legacy: elements per pickled batch in sc.parallelize, at most


def slices(elements: Sequence[Any], parallelism: int) -> list[list[Any]]:
    """The partitions ``sc.parallelize(elements)`` makes.

    >>> slices([1, 2, 3, 4, 5], 2)
    [[1, 2], [3, 4, 5]]
    """
    n = max(1, parallelism)
    if isinstance(elements, range):
        bounds = [int(index * len(elements) / n) for index in range(n + 1)]
        return [list(elements[bounds[i] : bounds[i + 1]]) for i in range(n)]
    # legacy: pickled batches of elements are dealt out, not elements
    size = max(1, min(len(elements) // n, _BATCH))
    batches = [elements[at : at + size] for at in range(0, len(elements), size)]
    k = len(batches)
    return [
        [element for batch in batches[index * k // n : (index + 1) * k // n] for element in batch]
        for index in range(n)
    ]


class QueueSource(InputSource):
    """One batch of the queue per tick, then the default, then empty batches forever.

    ``partitions_of`` gives the partitions of an RDD (whatever is not a list or range).
    """

    on_demand = True

    def __init__(
        self,
        batches: Iterable[Any],
        one_at_a_time: bool,
        default: Any,
        parallelism: int,
        partitions_of: Callable[[Any], Sequence[Sequence[Any]]],
    ) -> None:
        self._queue = list(batches)
        self._one_at_a_time = one_at_a_time
        self._default = default
        self._parallelism = parallelism
        self._partitions_of = partitions_of

    def recover(self, history: Iterable[tuple[int, Batch]]) -> None:
        for _ in history:
            if self._queue:
                self._queue = self._queue[1:] if self._one_at_a_time else []

    def take(self, tick: int) -> Batch:
        if self._queue:
            taken = self._queue[:1] if self._one_at_a_time else self._queue
            self._queue = self._queue[len(taken) :]
            return Batch(tuple(part for batch in taken for part in self._partitions(batch)))
        if self._default is not None:
            return Batch(self._partitions(self._default))
        return Batch((portable_data(()),))  # legacy: an exhausted queue has one empty partition

    def _partitions(self, batch: Any) -> tuple[Partition, ...]:
        try:
            if isinstance(batch, (list, tuple, range)):
                return tuple(portable_data(part) for part in slices(batch, self._parallelism))
            return tuple(portable_data(part) for part in self._partitions_of(batch))
        except Exception as error:  # an error of the RDD must not stop the clock
            return (BrokenPartition(f"{type(error).__name__}: {error}"),)


class InitialStateSource(InputSource):
    """An initial state: all of it in the first batch, nothing afterwards.

    If it is not ``due``, an earlier run has used it.
    """

    def __init__(self, partitions: Callable[[], Sequence[Sequence[Any]]], due: bool = True) -> None:
        self._partitions = partitions
        self._due = due

    def take(self, tick: int) -> Batch:
        if not self._due:
            return Batch()
        partitions = self._partitions()
        self._due = False
        return Batch(tuple(portable_data(part) for part in partitions))


class PartitionedSource(InputSource):
    """Batches given with their partitions; for replays, whose first tick is one interval after the
    epoch."""

    def __init__(self, batches: Sequence[Sequence[Sequence[Any]]], interval_ms: int = 1000) -> None:
        self._batches = list(batches)
        self._interval = interval_ms

    def recover(self, history: Iterable[tuple[int, Batch]]) -> None:
        done = max((tick for tick, _ in history), default=0) // self._interval
        self._batches = self._batches[done:]

    def take(self, tick: int) -> Batch:
        if not self._batches:
            return Batch((portable_data(()),))
        return Batch(tuple(portable_data(part) for part in self._batches.pop(0)))
