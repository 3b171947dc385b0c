"""Operators that move elements between partitions.

Each has two halves. The *near* one runs on a partition before the exchange and says which target
partition gets what. The *far* one runs on a target partition after it and sees what the source
partitions sent, in their order. Merging is PySpark's own (``pyspark.shuffle``), which spills to
disk where memory is short and keeps the order of first arrival, as the legacy engine does.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dstream_compat.base.pyspark_internals import (
    ResultIterable,
    portable_hash,
    spilling_group_by,
    spilling_merger,
)
from dstream_compat.stages.chunks import CHUNK
from dstream_compat.stages.operators.placement import distribute_evenly

Functions = Sequence[Callable[..., Any]]
Bucket = tuple[int, list[Any]]
Near = Callable[[Functions, int, int, Iterator[Any], int], Iterator[Bucket]]
Far = Callable[[Functions, Iterator[Any]], Iterable[Any]]

MEMORY = "dstream_compat.memory"  # local property: how many MB a worker may use
_MEMORY_MB = 512


@dataclass(frozen=True)
class WideOperator:
    """``near(functions, tag, index, elements, n)`` and ``far(functions, elements)``."""

    near: Near
    far: Far


def by_hash(
    pairs: Iterable[Any], n: int, place: Callable[[Any], int] | None = None
) -> Iterator[Bucket]:
    """Deal pairs out to ``n`` buckets by the hash of their key, a chunk at a time."""
    if place is None:
        place = portable_hash
    buckets: dict[int, list[Any]] = {}
    for pair in pairs:
        # unpacking, not indexing: elements that are not pairs must fail as they always did
        key, value = pair
        target = place(key) % n
        if target not in buckets:
            struct.pack(
                "!q", target
            )  # legacy: a place that is not an int fails here, with this error
        bucket = buckets.setdefault(target, [])
        bucket.append((key, value))
        if len(bucket) >= CHUNK:
            yield target, bucket
            del buckets[target]
    yield from buckets.items()


def merge_memory() -> int:
    """Process size in MB above which a merge spills to disk, and keys come in order of hashes.

    In process there is no limit: the result must not depend on what else the process holds.
    """
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is None:
        return sys.maxsize
    return int(0.9 * int(context.getLocalProperty(MEMORY) or _MEMORY_MB))  # legacy: nine tenths


def _merger(functions: Functions) -> Any:
    return spilling_merger(functions, merge_memory(), CHUNK)


def combine_near(
    functions: Functions, tag: int, index: int, iterator: Iterator[Any], n: int
) -> Iterator[Bucket]:
    merger = _merger(functions)
    merger.mergeValues(iterator)
    return by_hash(merger.items(), n)


def combine_far(functions: Functions, iterator: Iterator[Any]) -> Iterable[Any]:
    merger = _merger(functions)
    merger.mergeCombiners(iterator)
    items: Iterable[Any] = merger.items()
    return items


def _listed(value: Any) -> list[Any]:
    return [value]


def _appended(values: list[Any], value: Any) -> list[Any]:
    values.append(value)
    return values


def _extended(values: list[Any], others: list[Any]) -> list[Any]:
    values.extend(others)
    return values


_COLLECT: Functions = (_listed, _appended, _extended)


def group_near(
    functions: Functions, tag: int, index: int, iterator: Iterator[Any], n: int
) -> Iterator[Bucket]:
    return combine_near(_COLLECT, tag, index, iterator, n)


def grouped(iterator: Iterator[Any]) -> Iterable[tuple[Any, list[Any]]]:
    merger = spilling_group_by(_COLLECT, merge_memory(), CHUNK)
    merger.mergeCombiners(iterator)
    items: Iterable[tuple[Any, list[Any]]] = merger.items()
    return items


def group_far(functions: Functions, iterator: Iterator[Any]) -> Iterable[Any]:
    return ((key, ResultIterable(values)) for key, values in grouped(iterator))


def tagged_near(
    functions: Functions, tag: int, index: int, iterator: Iterator[Any], n: int
) -> Iterator[Bucket]:
    """For joins: values remember which side they came from."""
    return group_near(functions, tag, index, map(lambda kv: (kv[0], (tag, kv[1])), iterator), n)


def _sides(values: Iterable[tuple[int, Any]], count: int) -> list[list[Any]]:
    sides: list[list[Any]] = [[] for _ in range(count)]
    for tag, value in values:
        sides[tag].append(value)
    return sides


def cogroup_far(functions: Functions, iterator: Iterator[Any]) -> Iterable[Any]:
    for key, values in grouped(iterator):
        yield key, tuple(ResultIterable(side) for side in _sides(values, 2))


def _join_far(keep_left: bool, keep_right: bool) -> Far:
    def far(functions: Functions, iterator: Iterator[Any]) -> Iterable[Any]:
        for key, values in grouped(iterator):
            left, right = _sides(values, 2)
            if keep_left and not right:
                right = [None]
            if keep_right and not left:
                left = [None]
            for one in left:
                for other in right:
                    yield key, (one, other)

    return far


def partition_near(
    functions: Functions, tag: int, index: int, iterator: Iterator[Any], n: int
) -> Iterator[Bucket]:
    return by_hash(iterator, n, functions[0])


def hashed_near(
    functions: Functions, tag: int, index: int, iterator: Iterator[Any], n: int
) -> Iterator[Bucket]:
    return by_hash(iterator, n)


def align_near(
    functions: Functions, tag: int, index: int, iterator: Iterator[Any], n: int
) -> Iterator[Bucket]:
    """For unions of streams that are placed alike: everything stays in its partition."""
    while part := list(islice(iterator, CHUNK)):
        yield index, part


def as_they_come(functions: Functions, iterator: Iterator[Any]) -> Iterable[Any]:
    return iterator


def repartition_near(
    functions: Functions, tag: int, index: int, iterator: Iterator[Any], n: int
) -> Iterator[Bucket]:
    return distribute_evenly(index, iterator, n)


WIDE: dict[str, WideOperator] = {
    "combineByKey": WideOperator(combine_near, combine_far),
    "groupByKey": WideOperator(group_near, group_far),
    "partitionBy": WideOperator(partition_near, as_they_come),
    "partitionByHash": WideOperator(hashed_near, as_they_come),
    "arrive": WideOperator(align_near, as_they_come),
    "align": WideOperator(align_near, as_they_come),
    "carry": WideOperator(align_near, as_they_come),
    "repartition": WideOperator(repartition_near, as_they_come),
    "cogroup": WideOperator(tagged_near, cogroup_far),
    "join": WideOperator(tagged_near, _join_far(False, False)),
    "leftOuterJoin": WideOperator(tagged_near, _join_far(True, False)),
    "rightOuterJoin": WideOperator(tagged_near, _join_far(False, True)),
    "fullOuterJoin": WideOperator(tagged_near, _join_far(True, True)),
}
