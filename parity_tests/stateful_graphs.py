"""Windows and states over two inputs: what the model and both engines are compared on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import Any

from dstream_parity import Batches, Outcomes
from dstream_parity.base import functions as s

Graph = Callable[[list[Any]], list[Any]]

# Two inputs. Keys come, go and come back; a window of five ticks gets full and loses some of them.
# There are ticks without elements and ticks without partitions, and 1 and True are the same key.
BATCHES: Batches = [
    [[[("a", 1), ("b", 2)], [("a", 3)]], [[("a", "A")]]],
    [[[(1, "x"), ("a", 4), ("b", None)], [(True, "y")]], [[("b", "B")], [("a", "AA")]]],
    [[], [[]]],
    [[[("b", None)], []], [[("c", "C"), ("b", "BB")]]],
    [[[]], []],
    [[[("c", 5), ("a", 6)]], [[("a", "A")]]],
    [[], []],
    [[[(1.0, 7)]], [[], [("b", 0)]]],
]

INITIAL = [("z", 1), ("a", "0"), ("b", None), ("a", "lost")]

GRAPHS: dict[str, Graph] = {
    "windows": lambda i: [
        i[0].window(3),
        i[0].window(4, 2).glom(),
        i[0].window(1, 3),  # with gaps
        i[0].window(12, 4).count(),
        i[0].partitionBy(2).window(3, 2).glom(),
        i[0].window(2, 2).union(i[1].window(4, 2)),
    ],
    "windows of windows": lambda i: [
        i[0].window(2, 2).window(4),
        i[0].countByWindow(2, 2).window(4, 4),
        i[0].reduceByKeyAndWindow(s.flat, s.drop, 2, 2).reduceByKeyAndWindow(s.flat, None, 4, 2),
    ],
    "windows reduced afresh": lambda i: [
        i[0].reduceByKeyAndWindow(s.concat, None, 4, 2),
        # short ones in spite of an inverse
        i[0].reduceByKeyAndWindow(s.flat, s.drop, 4),
        i[0].countByWindow(2, 2),
        i[0].reduceByWindow(s.concat, None, 2, 2),
        i[0].groupByKeyAndWindow(2, 2, 3),
    ],
    "windows made from the one before": lambda i: [
        i[0].reduceByKeyAndWindow(s.flat, s.drop, 5),
        i[0].reduceByKeyAndWindow(s.concat, s.concat, 5, 1, 1),  # no inverse at all
        i[0].reduceByKeyAndWindow(s.last, s.drop, 10, 2, 3),
        i[0].groupByKeyAndWindow(5, 1),
    ],
    "counts of windows": lambda i: [
        i[0].countByWindow(5, 1),
        i[0].filter(s.no_pair).countByWindow(5, 2),
        i[0].countByValueAndWindow(5, 1, 1),
        i[0].reduceByWindow(s.plus, s.minus, 5, 1),
    ],
    "filtered windows": lambda i: [
        i[0].reduceByKeyAndWindow(s.plus, s.minus, 5, 1, None, s.has_value),
        i[0].reduceByKeyAndWindow(s.flat, s.drop, 4, 2, None, s.even_length),
        i[0].reduceByKeyAndWindow(s.flat, None, 4, 2, None, s.even_length),  # unfiltered
    ],
    "states": lambda i: [
        i[0].updateStateByKey(s.total),
        i[0].updateStateByKey(s.collect, 3),
        i[0].updateStateByKey(s.latest),
        i[0].updateStateByKey(s.forgetful, 1),
        i[0].updateStateByKey(s.chained, initialRDD=INITIAL),
    ],
    "chains": lambda i: [
        i[0]
        .updateStateByKey(s.total)
        .map(s.swap)
        .reduceByKey(s.concat)
        .updateStateByKey(s.chained),
        i[0].window(2, 2).updateStateByKey(s.total).window(4),
        i[1].countByValueAndWindow(5, 1).updateStateByKey(s.latest).map(s.text).reduce(s.concat),
    ],
    "joins": lambda i: [
        i[0].window(3).join(i[1].window(2, 2)),
        i[0].window(2, 2).leftOuterJoin(i[1].window(4)),
        i[0].updateStateByKey(s.total).cogroup(i[1].window(3, 3), 3),
        i[1].window(3, 3).fullOuterJoin(i[0].updateStateByKey(s.total)),
    ],
}


def replayed(
    replay: Callable[..., Outcomes], names: Iterable[str] = GRAPHS, **options: Any
) -> dict[str, Outcomes]:
    """What each graph gives; all are outputs of the same replay, which saves most of the time."""
    sizes: dict[str, int] = {}

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        outputs = {name: GRAPHS[name](inputs) for name in names}
        sizes.update({name: len(of_graph) for name, of_graph in outputs.items()})
        return list(chain.from_iterable(outputs.values()))

    outcomes = iter(replay(build, BATCHES, **options))
    return {name: list(islice(outcomes, size)) for name, size in sizes.items()}
