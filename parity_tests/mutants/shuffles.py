"""Faults in operators that bring elements together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from unittest.mock import patch

from dstream_compat.stages import run as stage
from dstream_compat.stages.frames import Frame
from dstream_compat.stages.operators import wide
from dstream_compat.stages.operators.wide import WIDE, WideOperator
from parity_tests.mutants.base import changed, mutant, narrowing


@mutant("the arguments of a reduce function change places")
def reduce_swapped() -> Any:
    def far(functions: Any, part: Iterator[Any]) -> Iterable[Any]:
        create, value, merge = functions
        return wide.combine_far((create, value, lambda a, b: merge(b, a)), part)

    return patch.dict(WIDE, {"combineByKey": WideOperator(wide.combine_near, far)})


@mutant("what source partitions sent is not put in order")
def arrival_order() -> Any:
    return changed(stage, "elements", lambda original: lambda frames: original(_alike(frames)))


def _alike(frames: Iterable[Frame]) -> list[Frame]:
    return [frame._replace(src=-frame.src) for frame in frames]


@mutant("keys are placed one partition further")
def placed_elsewhere() -> Any:
    original = wide.by_hash

    def further(pairs: Iterable[Any], n: int, place: Any = None) -> Iterator[Any]:
        for target, bucket in original(pairs, n, place):
            yield (target + 1) % n, bucket

    return patch.object(wide, "by_hash", further)


@mutant("equal keys of different types are kept apart")
def keys_by_type() -> Any:
    def far(functions: Any, part: Iterator[Any]) -> Iterable[Any]:
        typed = (((type(key), key), value) for key, value in part)
        return ((key[1], value) for key, value in wide.combine_far(functions, typed))

    return patch.dict(WIDE, {"combineByKey": WideOperator(wide.combine_near, far)})


@mutant("groupByKey gives sets of values")
def group_distinct() -> Any:
    from pyspark.resultiterable import ResultIterable

    def far(functions: Any, part: Iterator[Any]) -> Iterable[Any]:
        for key, values in wide.grouped(part):
            distinct: list[Any] = []
            for value in values:
                if not any(type(value) is type(d) and value == d for d in distinct):
                    distinct.append(value)
            yield key, ResultIterable(distinct)

    return patch.dict(WIDE, {"groupByKey": WideOperator(wide.group_near, far)})


@mutant("leftOuterJoin is a join")
def left_is_inner() -> Any:
    return patch.dict(WIDE, {"leftOuterJoin": WIDE["join"]})


@mutant("fullOuterJoin is a rightOuterJoin")
def full_is_right() -> Any:
    return patch.dict(WIDE, {"fullOuterJoin": WIDE["rightOuterJoin"]})


@mutant("cogroup changes its sides")
def cogroup_swapped() -> Any:
    original = wide._sides
    return patch.object(wide, "_sides", lambda values, count: original(values, count)[::-1])


@mutant("a count of nothing is nothing")
def no_zero_counts() -> Any:
    def counted(f: None, index: int, part: Iterator[Any]) -> list[int]:
        number = sum(1 for _ in part)
        return [number] if number else []

    return narrowing("countPartition", counted)
