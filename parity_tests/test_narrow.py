"""Narrow operators do the same in a stage, after a transform, and on the legacy engine.

What tells implementations apart: functions that raise StopIteration, which ends whatever iterates
over them, and iterators that are not read to their end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark import SparkContext
from pyspark.cloudpickle import register_pickle_by_value

from dstream_compat.stages.operators.narrow import NARROW
from dstream_parity import Batches, Outcomes, Seen, difference
from dstream_parity.engines.in_process import replay_in_process
from dstream_parity.engines.legacy import replay_legacy
from dstream_parity.engines.on_spark import replay_on_spark

# Workers need not import this module, nor what it imports.
register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]

STOP = 3


def same(value: Any) -> Any:
    """The value, or a StopIteration in its place."""
    if value in (STOP, (STOP, STOP)):
        raise StopIteration
    return value


def twice(value: Any) -> list[Any]:
    return [same(value)] * 2


def generated(value: Any) -> Iterator[Any]:
    """Raises inside a generator, where Python makes a RuntimeError of it."""
    yield value
    yield same(value)


def first(part: Any) -> Iterator[Any]:
    """Reads one element; an empty partition is a StopIteration again, and a list a TypeError."""
    return iter([next(part)])


def whole(part: Any) -> list[Any]:
    return list(part)


def stopped(part: Any) -> Iterator[Any]:
    return map(same, part)


def lazily(part: Any) -> Iterator[Any]:
    return (same(value) for value in part)


# the functions that each operator is tried with; those that take none are tried as they are
FUNCTIONS: dict[str, list[Callable[..., Any]]] = {
    "map": [same],
    "flatMap": [twice, generated],
    "filter": [same],
    "mapValues": [same],
    "flatMapValues": [twice, generated],
    "mapPartitions": [whole, stopped, lazily, first],
    "mapPartitionsWithIndex": [
        lambda index, part: [index, *part],
        lambda index, part: stopped(part),
        lambda index, part: first(part),
    ],
}
PUBLIC = [*FUNCTIONS, "glom"]
CASES = [(kind, function) for kind in NARROW for function in FUNCTIONS.get(kind, [None])]
NAMES = [f"{kind} {getattr(function, '__name__', '')}".strip() for kind, function in CASES]


def outputs(stream: Any, operator: Callable[[Any], Any]) -> list[Any]:
    """An operator's result, also after a function that stops: read to its end, and in part only.

    It is read by an operator, in one go. PySpark's serializer reads what leaves a task in batches
    and reads on after a StopIteration that does not begin one (D67).
    """
    return [
        operator(stream).mapPartitions(whole),
        operator(stream.mapPartitions(stopped)).mapPartitions(whole),
        operator(stream).mapPartitions(first),
    ]


def after_transform(stream: Any) -> Any:
    return stream.transform(lambda rdd: rdd)


@pytest.mark.parametrize(("kind", "function"), CASES, ids=NAMES)
@settings(deadline=None)
@given(st.lists(st.lists(st.integers(1, STOP), max_size=4), min_size=1, max_size=3))
def test_a_transform_in_front_changes_nothing(
    kind: str, function: Any, partitions: list[list[int]]
) -> None:
    pairs = [[(n, n) for n in part] for part in partitions]

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        def operator(stream: Any) -> Any:
            return stream._narrow(kind, function)

        (stream,) = inputs
        return [*outputs(stream, operator), *outputs(after_transform(stream), operator)]

    outcomes = replay_in_process(build, [[pairs]])
    half = len(outcomes) // 2
    message = difference(comparable(outcomes[:half]), comparable(outcomes[half:]))
    assert message is None, message


def comparable(outcomes: Outcomes) -> Outcomes:
    """Groups as lists: a ``ResultIterable`` is equal to nothing but itself."""
    return [
        [
            Seen(tuple(tuple(map(opened, part)) for part in seen.partitions))
            if isinstance(seen, Seen)
            else seen
            for seen in ticks
        ]
        for ticks in outcomes
    ]


def opened(element: Any) -> Any:
    if isinstance(element, tuple) and hasattr(element[-1], "maxindex"):
        return (*element[:-1], element[-1].data)
    return element


BATCHES: Batches = [[[[(1, 1), (2, 2), (STOP, STOP), (4, 4)], [], [(1, 1)]]]]


def every_public_operator(ssc: Any, inputs: list[Any]) -> list[Any]:
    def called(kind: str, function: Any) -> Callable[[Any], Any]:
        arguments = () if function is None else (function,)
        return lambda stream: getattr(stream, kind)(*arguments)

    (stream,) = inputs
    operators = [called(kind, function) for kind, function in CASES if kind in PUBLIC]
    after = after_transform(stream)
    return [
        *chain.from_iterable(outputs(stream, operator) for operator in operators),
        *(operator(after).mapPartitions(whole) for operator in operators),
    ]


def test_on_spark_all_are_as_on_the_legacy_engine(sc: SparkContext) -> None:
    legacy = replay_legacy(every_public_operator, BATCHES, sc=sc)
    message = difference(legacy, replay_on_spark(every_public_operator, BATCHES, sc=sc))
    assert message is None, message
    message = difference(legacy, replay_in_process(every_public_operator, BATCHES))
    assert message is None, message
