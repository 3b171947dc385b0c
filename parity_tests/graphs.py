"""Every operator, over two inputs: what the model, the legacy engine and ours are compared on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import Any

from pyspark.cloudpickle import register_pickle_by_value

from dstream_parity import Batches, Outcomes
from dstream_parity.base import functions as s

# Workers need not import this module, nor what it imports.
register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]

Graph = Callable[[list[Any]], list[Any]]

# Two inputs: keys that meet and that do not, equal keys of other types, no and empty partitions.
BATCHES: Batches = [
    [
        [
            [("a", 1), (1, "x"), ("a", 2), ((None, "t"), 0)],
            [],
            [(True, "y"), (None, 0.5), ("a", 1), (-1, ()), ("b", None), ((None, "t"), 0.0)],
        ],
        [[("a", "A"), (1.0, b"\x00"), (-2, "-")], [((None, "t"), 2**70), ("\u00e9", "B")]],
    ],
    [[], [[("k", 1)], [("k", 1)]]],
    [[[]], []],
]


def mod3(key: Any) -> int:
    return len(repr(key)) % 3


def fails_on_b(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    if pair[0] == "b":
        raise LookupError("b is not there")
    return pair


SAMPLE = "one of each kind"

GRAPHS: dict[str, Graph] = {
    SAMPLE: lambda i: [
        i[0].reduceByKey(s.concat),
        i[0].groupByKey(),
        i[0].join(i[1]),
        i[0].union(i[1]),
    ],
    "element by element": lambda i: [
        i[0].map(s.swap),
        i[0].flatMap(s.explode).filter(s.even_length),
        i[0].mapValues(s.tag).flatMapValues(s.explode),
    ],
    "partition by partition": lambda i: [
        i[0].mapPartitions(s.neighbours),
        i[0].mapPartitions(s.backwards).mapPartitionsWithIndex(s.with_index),
        i[0].glom(),
    ],
    "to one element": lambda i: [
        i[0].count(),
        i[0].reduce(s.concat),
        i[0].map(s.text).reduce(s.last),
    ],
    "by key": lambda i: [
        i[0].reduceByKey(s.flat, 3),
        i[0].combineByKey(s.box, s.put, s.pour, 1),
        i[0].groupByKey(3).mapValues(s.text).glom(),
        i[0].countByValue(),
    ],
    "places": lambda i: [
        i[0].partitionBy(3).glom(),
        i[0].partitionBy(4, mod3).mapPartitionsWithIndex(s.with_index),
        i[0].reduceByKey(s.concat, 2).mapValues(s.tag).union(i[1].partitionBy(2)).glom(),
        i[0].partitionBy(2).union(i[1].partitionBy(2, mod3)).glom(),
        i[0].partitionBy(2).join(i[1].groupByKey(2).mapValues(s.text), 3),
    ],
    "unions": lambda i: [
        i[1].union(i[0]).union(i[1].map(s.swap)).reduceByKey(s.concat),
        i[0].union(i[0]).count(),
    ],
    "joins": lambda i: [
        i[0].join(i[0], 3),
        i[0].cogroup(i[1], 1),
        i[0].leftOuterJoin(i[1]),
        i[0].rightOuterJoin(i[1], 3),
        i[0].fullOuterJoin(i[1], 1),
    ],
    "chains of shuffles": lambda i: [
        i[0].groupByKey(3).mapValues(s.text).map(s.swap).reduceByKey(s.concat, 2).glom(),
        i[0].join(i[1]).map(s.by_type).groupByKey(1).mapValues(s.text),
        i[0].reduceByKey(s.flat).countByValue().cogroup(i[1].count().map(s.pair)),
    ],
}

# The model does not say in which order, nor which partition has what.
UNORDERED: dict[str, Graph] = {
    "repartitioned": lambda i: [
        i[0].repartition(3),
        i[0].repartition(1).map(s.text),
        i[1].repartition(4),
        i[0].union(i[1]).repartition(2),
    ],
}

# The model does not have these.
ENGINES_ONLY: dict[str, Graph] = {
    "functions on RDDs": lambda i: [
        i[0].context().union(i[0], i[1], i[0]).glom(),
        i[0].context().transform([i[0], i[1]], lambda rdds: rdds[1].union(rdds[0])),
        i[0].transform(lambda rdd: rdd.sortBy(repr)).map(s.text).reduce(s.concat),
        i[0].transformWith(lambda a, b: a.cartesian(b), i[1].count()),
    ],
    # in one partition only: which of several fails first is chance, on the legacy engine too
    "failing functions": lambda i: [
        i[0].map(fails_on_b),
        i[0].map(fails_on_b).reduceByKey(s.concat),
    ],
}

ALL = {**GRAPHS, **UNORDERED, **ENGINES_ONLY}


def replayed(
    replay: Callable[..., Outcomes], names: Iterable[str] = ALL, **options: Any
) -> dict[str, Outcomes]:
    """What each graph gives; all are outputs of the same replay, which saves most of the time."""
    sizes: dict[str, int] = {}

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        outputs = {name: ALL[name](inputs) for name in names}
        sizes.update({name: len(of_graph) for name, of_graph in outputs.items()})
        return list(chain.from_iterable(outputs.values()))

    outcomes = iter(replay(build, BATCHES, **options))
    return {name: list(islice(outcomes, size)) for name, size in sizes.items()}
