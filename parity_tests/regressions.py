"""Every counterexample ever found, small and named after what was wrong.

What a deeper run finds is added here, in the form in which it was reported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyspark.cloudpickle import register_pickle_by_value

from dstream_compat import StateSpec
from dstream_parity import Batches
from dstream_parity.base import functions as f

# Workers need not import this module, nor what it imports.
register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Regression:
    """A pipeline and batches; ``how`` it is replayed in process; whether Python's legacy engine
    and our engine on Spark are to be asked, too."""

    build: Callable[[Any, list[Any]], list[Any]]
    batches: Batches
    how: dict[str, Any] = field(default_factory=dict)
    legacy: bool = True
    modelled: bool = True


def unhashable_key(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    return [pair[0]], pair[1]


def between_two(key: Any) -> float:
    return 1.5


def ended(*_: Any) -> Any:
    raise StopIteration("x")


NAN = float("nan")


def under_one_nan(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    """The same object for all of a partition, inside of a key that is equal to itself."""
    return (NAN, "x") if pair[0] == "a" else NAN, pair[1]


def without_key(pair: tuple[Any, Any]) -> Any:
    return pair[1]


PAIRS: Batches = [[[[("a", 1)], [("b", 2), ("a", 3)], [("a", 4)]]], [[]], [[[("b", 5)]]]]
NONES: Batches = [
    [[[("a", None), ("b", 1)]]],
    [[[("a", 1)]]],
    *[[[[]]] for _ in range(3)],
    [[[("b", None)]]],
    [[]],
]

REGRESSIONS: dict[str, Regression] = {
    # partitions of a task shared one copy of a function, and with it what it remembers
    "a function forgets its calls at the end of a partition": Regression(
        lambda ssc, i: [i[0].map(f.counting()), i[0].reduceByKey(f.concat).filter(f.unseen())],
        PAIRS,
        {"slots": 1},
    ),
    "a function forgets its calls at the end of a tick": Regression(
        lambda ssc, i: [i[0].map(f.counting())], PAIRS, {"together": 3, "slots": 1}
    ),
    # a stream that was in a union twice went through one copy of what follows
    "a function forgets its calls at the next partition of a union": Regression(
        lambda ssc, i: [
            i[0].union(i[0]).map(f.counting()),
            i[0].map(f.text).union(i[0].map(f.pair)).union(i[0]).map(f.counting()),
        ],
        PAIRS,
        {"slots": 1},
    ),
    # keys came in the order of the inputs
    "inputs of a join that are placed alike are joined partition by partition": Regression(
        lambda ssc, i: [
            i[1].reduceByKey(f.concat).cogroup(i[0].groupByKey(), 3),
            i[1].reduceByKey(f.concat).fullOuterJoin(i[0].reduceByKey(f.concat), 3),
            i[1].reduceByKey(f.concat, 3).fullOuterJoin(i[0].reduceByKey(f.concat, 2), 3),
        ],
        [[[[(False, ("a",)), (2, ("b",))]], [[(3, ("c",)), (5, ("d",))]]]],
    ),
    # failed with "no RDD operation" and took the batch with it
    "transformWith a stream that slides slower gets an empty RDD": Regression(
        lambda ssc, i: [
            i[0].transformWith(f.both, i[0].window(2, 2)),
            i[0].transformWith(f.matched, i[0].updateStateByKey(f.total).window(1, 3)),
        ],
        PAIRS,
    ),
    "a transformed stream joined with one that slides slower": Regression(
        lambda ssc, i: [i[0].transform(f.unchanged).join(i[0].window(2, 2), 2)], PAIRS
    ),
    # the reduced value of a key may be None: it has nothing to take off, but it is there
    "values that are None come and leave windows": Regression(
        lambda ssc, i: [
            i[0].reduceByKeyAndWindow(f.last, f.minus, 5, 1),
            i[0].reduceByKeyAndWindow(f.first, f.drop, 5, 1, 1),
            i[0].groupByKeyAndWindow(5, 1),
        ],
        NONES,
    ),
    # snapshots were taken as placed by key, and a union lined them up
    "snapshots are united end to end": Regression(
        lambda ssc, i: [
            i[0]
            .mapWithState(StateSpec.function(f.running))
            .stateSnapshots()
            .union(i[0].partitionBy(2))
        ],
        PAIRS,
        legacy=False,
    ),
    "a window of no length with an inverse never has a batch": Regression(
        lambda ssc, i: [
            i[0].reduceByKeyAndWindow(f.concat, f.cut, 0, 1),
            i[0].countByWindow(0, 1),
            i[0].reduceByKeyAndWindow(f.concat, f.cut, 0, 1).mapValues(f.text).window(2),
            i[0].reduceByKeyAndWindow(f.concat, f.cut, 0, 1).union(i[0]),
        ],
        PAIRS,
        modelled=False,
    ),
    "a count needs a partition, not an element": Regression(
        lambda ssc, i: [i[0].count(), i[0].filter(f.no_pair).count(), i[0].glom()], PAIRS
    ),
    "equal keys of different types are one key, under its first name": Regression(
        lambda ssc, i: [i[0].updateStateByKey(f.collect), i[0].reduceByKey(f.flat)],
        [[[[(1, "int")], [(True, "bool")]]], [[[(1.0, "float")]]], [[[(0, ""), (False, None)]]]],
    ),
    "unions of streams that are placed alike keep their partitions": Regression(
        lambda ssc, i: [
            i[0].partitionBy(2).union(i[0].reduceByKey(f.concat, 2)).glom(),
            i[0].partitionBy(2).window(2).union(i[0].groupByKey(2)).glom(),
        ],
        PAIRS,
    ),
    "windows with gaps": Regression(
        lambda ssc, i: [
            i[0].window(1, 3),
            i[0].reduceByKeyAndWindow(f.concat, None, 1, 3),
            i[0].countByWindow(1, 2),
        ],
        [*PAIRS, *PAIRS],
    ),
    "a key that cannot be hashed fails its output": Regression(
        lambda ssc, i: [i[0].map(unhashable_key).reduceByKey(f.concat), i[0].count()],
        [[[[("a", 1)]]], [[[]]]],
    ),
    # a float was cut off to a partition's number
    "a place that is no int fails": Regression(
        lambda ssc, i: [i[0].partitionBy(2, between_two), i[0].count()], PAIRS, modelled=False
    ),
    # it ended the partition, or the window, without a word
    "a StopIteration in a state function fails": Regression(
        lambda ssc, i: [
            i[0].updateStateByKey(ended),
            i[0].reduceByKeyAndWindow(f.concat, f.cut, 2, 1, 2, ended),
        ],
        [[[[("a", 1)], [("b", 2), ("a", 3)]]]],
        modelled=False,
    ),
    # half of an emoji is a text in Python, and is no UTF-8
    "halves of surrogate pairs pass": Regression(
        lambda ssc, i: [i[0].map(f.pair).reduceByKey(f.concat), i[0].countByValue()],
        [[[["\ud83d", "😀"], ["\ud83d"]]]],
    ),
    # values met under a NaN before they were sent, and shared a state
    "every record under a NaN has a state of its own": Regression(
        lambda ssc, i: [
            i[0].map(under_one_nan).updateStateByKey(f.collect, 1).map(without_key),
            i[0].map(under_one_nan).updateStateByKey(f.collect, 1, [("c", [0])]).map(without_key),
        ],
        [[[[("a", 1), ("a", 2), ("b", 3), ("b", 4)]]]] * 2 + [[[[("b", 5)], [("b", 6)]]]] * 2,
        modelled=False,
    ),
}
