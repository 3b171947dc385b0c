"""What is measured: small jobs that both engines run unchanged."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

KEYS = 50_000
MANY = 500_000

Done = Callable[[Any], None]
Job = Callable[[list[Any], Done], None]


@dataclass(frozen=True)
class Workload:
    """A job and its input, for the saturated regime.

    ``inputs`` has one item per input stream: a batch, or a function from a batch's number to the
    batch. ``job`` builds the streams' one output, which ends by calling ``done`` with its result.
    """

    name: str
    says: str
    inputs: tuple[list[Any] | Callable[[int], list[Any]], ...]
    job: Job
    new: bool = False  # the legacy engine never had this operator in Python


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


def _total(new: list[int], state: int | None) -> int:
    return sum(new) + (state or 0)


def _update(streams: list[Any], done: Done) -> None:
    streams[0].updateStateByKey(_total).foreachRDD(lambda rdd: done(rdd.count()))


def _update_many(keys: int) -> Job:
    def job(streams: list[Any], done: Done) -> None:
        initial = [(number, 1) for number in range(keys)]
        state = streams[0].updateStateByKey(_total, initialRDD=initial)
        state.foreachRDD(lambda rdd: done(rdd.count()))

    return job


def _running(key: int, value: int, state: Any) -> tuple[int, int]:
    state.update(state.getOption(0) + value)
    return key, state.get()


def _map_with_state(keys: int) -> Job:
    def job(streams: list[Any], done: Done) -> None:
        from dstream_compat import StateSpec

        spec = StateSpec.function(_running).initialState((n, 1) for n in range(keys))
        streams[0].mapWithState(spec).foreachRDD(lambda rdd: done(rdd.count()))

    return job


def _window(streams: list[Any], done: Done) -> None:
    counted = streams[0].reduceByKeyAndWindow(operator.add, operator.sub, 10, 1)
    counted.foreachRDD(lambda rdd: done(rdd.count()))


def _scattered(records: int, keys: int) -> Callable[[int], list[Any]]:
    """Pairs with random keys, different ones in every batch."""

    def batch(number: int) -> list[Any]:
        chance = random.Random(number)
        return [(chance.randrange(keys), 1) for _ in range(records)]

    return batch


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
    Workload(
        "update",
        "200,000 pairs, updateStateByKey over 50,000 keys",
        (_scattered(200_000, KEYS),),
        _update,
    ),
    Workload(
        "update-5k",
        "5,000 pairs, updateStateByKey over 5,000 keys",
        (_scattered(5_000, 5_000),),
        _update_many(5_000),
    ),
    Workload(
        "update-500k",
        "5,000 pairs, updateStateByKey over 500,000 keys",
        (_scattered(5_000, MANY),),
        _update_many(MANY),
    ),
    Workload(
        "window",
        "20,000 pairs, reduceByKeyAndWindow with inverse, 10 batches",
        (_scattered(20_000, 20_000),),
        _window,
    ),
    Workload(
        "map-5k",
        "5,000 pairs, mapWithState over 5,000 keys",
        (_scattered(5_000, 5_000),),
        _map_with_state(5_000),
        new=True,
    ),
    Workload(
        "map-500k",
        "5,000 pairs, mapWithState over 500,000 keys",
        (_scattered(5_000, MANY),),
        _map_with_state(MANY),
        new=True,
    ),
)


@dataclass(frozen=True)
class IdleWorkload:
    """A job that has nothing to do for most of its two seconds: the same batch again and again.

    ``job`` builds the streams up to the output, which collects what it is given.
    """

    name: str
    says: str
    batch: tuple[Any, ...]
    job: Callable[[Any], Any]


def _counted(stream: Any) -> Any:
    return stream.reduceByKey(operator.add)


def _totals(stream: Any) -> Any:
    return stream.updateStateByKey(_total)


def _idle(job: str, build: Callable[[Any], Any]) -> tuple[IdleWorkload, ...]:
    return tuple(
        IdleWorkload(
            f"idle-{job}-{records}",
            f"{records:,} records, {operation}, collect" if records else f"empty, {operation}",
            tuple((number * 7919 % 1000, 1) for number in range(records)),
            build,
        )
        for records in (0, 1_000, 100_000)
        for operation in ("reduceByKey" if job == "reduce" else "updateStateByKey",)
    )


IDLE = _idle("reduce", _counted) + _idle("update", _totals)
