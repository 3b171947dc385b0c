"""Operators on one partition at a time, lazily: in a stage, and on RDDs after a transform.

Each takes the user's function, the partition's index and an iterator, and returns an iterable. They
are built from the same built-ins as the legacy engine's, so that a function that raises
StopIteration, or an iterator that is not read to its end, behaves the same. After a transform they
are pickled by value: they may use nothing that is defined elsewhere in this package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from dstream_compat.base.pyspark_internals import ResultIterable

Function = Callable[..., Any]
Narrowing = Callable[[Any, int, Iterator[Any]], Iterable[Any]]


def map_elements(function: Function, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return map(function, iterator)


def flat_map(function: Function, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return chain.from_iterable(map(function, iterator))


def filter_elements(function: Function, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return filter(function, iterator)


def map_values(function: Function, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return map(lambda pair: (pair[0], function(pair[1])), iterator)


def flat_map_values(function: Function, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    def spread(pair: Any) -> Iterable[Any]:
        return ((pair[0], value) for value in function(pair[1]))

    return chain.from_iterable(map(spread, iterator))


def map_partitions(function: Function, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    result: Iterable[Any] = function(iterator)
    return result


def map_indexed(function: Function, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    result: Iterable[Any] = function(index, iterator)
    return result


def glom(function: None, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    yield list(iterator)


def count_partition(function: None, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    yield sum(1 for _ in iterator)


def key_by_none(function: None, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return map(lambda element: (None, element), iterator)


def with_one(function: None, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return map(lambda element: (element, 1), iterator)


def one(function: None, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return map(lambda element: 1, iterator)


def key_by_one(function: None, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return map(lambda element: (1, element), iterator)


def in_list(function: None, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return map(lambda pair: (pair[0], [pair[1]]), iterator)


def positive(function: None, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return filter(lambda pair: pair[1] > 0, iterator)


def as_result(function: None, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return map(lambda pair: (pair[0], ResultIterable(pair[1])), iterator)


def second(function: None, index: int, iterator: Iterator[Any]) -> Iterable[Any]:
    return map(lambda pair: pair[1], iterator)


NARROW: dict[str, Narrowing] = {
    "map": map_elements,
    "flatMap": flat_map,
    "filter": filter_elements,
    "mapValues": map_values,
    "flatMapValues": flat_map_values,
    "mapPartitions": map_partitions,
    "mapPartitionsWithIndex": map_indexed,
    "glom": glom,
    "countPartition": count_partition,
    "keyByNone": key_by_none,
    "keyByOne": key_by_one,
    "one": one,
    "inList": in_list,
    "positive": positive,
    "asResult": as_result,
    "withOne": with_one,
    "second": second,
}
