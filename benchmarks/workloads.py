"""What is measured: small jobs that both engines run, unchanged."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Done = Callable[[Any], None]
Job = Callable[[list[Any], Done], None]


@dataclass(frozen=True)
class Workload:
    """``inputs`` is one batch for each input stream; ``job`` builds the output on the streams.

    The output ends by calling ``done`` with what it found.
    """

    name: str
    says: str
    inputs: tuple[list[Any], ...]
    job: Job


def _tiny(streams: list[Any], done: Done) -> None:
    streams[0].map(lambda x: x * 2).foreachRDD(lambda rdd: done(rdd.take(11)))


def _words(streams: list[Any], done: Done) -> None:
    pairs = streams[0].map(lambda word: (word, 1))
    pairs.reduceByKey(operator.add).foreachRDD(lambda rdd: done(rdd.collect()))


def _reduce(streams: list[Any], done: Done) -> None:
    streams[0].reduceByKey(operator.add).foreachRDD(lambda rdd: done(rdd.count()))


def _map(streams: list[Any], done: Done) -> None:
    streams[0].map(lambda x: x + 1).foreachRDD(lambda rdd: done(rdd.count()))


def _join(streams: list[Any], done: Done) -> None:
    streams[0].join(streams[1]).foreachRDD(lambda rdd: done(rdd.count()))


def _sort(streams: list[Any], done: Done) -> None:
    ordered = streams[0].transform(lambda rdd: rdd.sortBy(lambda x: -x))
    ordered.foreachRDD(lambda rdd: done(rdd.take(10)))


WORKLOADS = (
    Workload("tiny", "10 records, map, first 10 of the batch", (list(range(10)),), _tiny),
    Workload(
        "words",
        "1,000 words, reduceByKey, collect",
        ([f"word{i % 200}" for i in range(1000)],),
        _words,
    ),
    Workload(
        "reduce",
        "200,000 pairs, reduceByKey to 50,000 keys, count",
        ([(i * 7919 % 50_000, 1) for i in range(200_000)],),
        _reduce,
    ),
    Workload("map", "200,000 records, map, count", (list(range(200_000)),), _map),
    Workload(
        "join",
        "two streams of 50,000 pairs each, join, count",
        ([(i, "left") for i in range(50_000)], [(i, "right") for i in range(50_000)]),
        _join,
    ),
    Workload(
        "sort",
        "20,000 records, transform with sortBy, first 10",
        ([i * 7919 % 20_000 for i in range(20_000)],),
        _sort,
    ),
)
