"""The random graphs of the ring on Spark: in groups that share their batches, and a replay."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from dstream_parity import Batches, Outcomes
from dstream_parity.base.pipelines import Pipeline, below
from dstream_parity.strategies import STATEFUL, STATELESS, examples
from dstream_parity.strategies import batches as random_batches
from dstream_parity.strategies import pipelines as random_pipelines
from parity_tests.coverage import COMPARED
from parity_tests.known import known_to_differ, operators_of


@dataclass(frozen=True)
class Group:
    """Graphs that are replayed together, on the same batches."""

    kinds: tuple[str, ...]
    graphs: int = 8
    outputs: int = 1
    together: int = 1
    restarts: tuple[int, ...] = ()
    keyed: bool = True
    hashable: bool = True
    bare: bool = False  # some inputs have no partition at all

    @property
    def seed(self) -> int:
        """Every group has its own batches."""
        return zlib.crc32(repr(self).encode())

    def drawn(self, count: int, having: str | None = None) -> list[Pipeline]:
        """Graphs of some size in which there is something to compare, this operator if asked."""
        shape: dict[str, Any] = {"inputs": 2, "keyed": self.keyed, "hashable": self.hashable}
        graphs = random_pipelines(**shape, kinds=self.kinds, outputs=self.outputs, steps=8)
        fitting = graphs.filter(self._is_worth_it)
        if having is not None:
            fitting = fitting.filter(lambda pipeline: having in self.compared(pipeline))
        return examples(fitting, count, seed=self.seed)

    @cached_property
    def pipelines(self) -> list[Pipeline]:
        return _chosen()[self]

    def _is_worth_it(self, pipeline: Pipeline) -> bool:
        if self.restarts and starts_from_something(pipeline):
            return False  # D61: the legacy engine cannot be restarted with an initial state
        return sum(pipeline.operators.values()) > 4 and bool(self.compared(pipeline))

    @cached_property
    def batches(self) -> Batches:
        shape: dict[str, Any] = {"inputs": 2, "keyed": self.keyed, "hashable": self.hashable}
        six = random_batches(**shape, ticks=6, few=True).filter(_is_fair)
        fitting = six.filter(_has_bare_inputs) if self.bare else six.map(_with_partitions)
        return examples(fitting, 3, seed=self.seed)[-1]

    def compared(self, pipeline: Pipeline) -> set[str]:
        """The operators of which more than the elements is compared between the engines."""
        restarts = bool(self.restarts)
        return operators_of(
            pipeline,
            [
                number
                for number, output in enumerate(pipeline.outputs)
                if known_to_differ(output, self.batches, restarts=restarts) is None
            ],
        )

    def build(self, ssc: Any, inputs: list[Any]) -> list[Any]:
        return [output for pipeline in self.pipelines for output in pipeline(ssc, inputs)]

    def split(self, outcomes: Outcomes) -> list[Outcomes]:
        left = iter(outcomes)
        return [[next(left) for _ in pipeline.outputs] for pipeline in self.pipelines]


GROUPS = {
    "stateless": Group(STATELESS, together=2, outputs=2, bare=True),
    "plain elements": Group(
        (*STATELESS, "transform"), keyed=False, hashable=False, together=3, graphs=6
    ),
    "windows and state": Group(STATEFUL, together=3, bare=True),
    "functions on RDDs": Group(("transform", "transformWith", "narrow", "wide", "state", "window")),
    "functions that raise or remember": Group(
        ("raising", "remembering", *STATELESS), hashable=False
    ),
    "restarts": Group(
        ("state", "window", *STATELESS, "state"),
        restarts=(2, 4),
        graphs=6,
        hashable=False,
    ),
}


@cache
def _chosen() -> dict[Group, list[Pipeline]]:
    """Of many graphs those in which the operators are that are rare in all groups so far."""
    seen = Counter[str]()
    chosen = {group: _varied(group, seen) for group in GROUPS.values()}
    for name in sorted(COMPARED):  # one may be missing, with another version of Hypothesis
        if not seen[name]:
            found = GROUPS["windows and state"].drawn(2, having=name)[-1]
            chosen[GROUPS["windows and state"]].append(found)
            seen.update(GROUPS["windows and state"].compared(found))
    return chosen


def _varied(group: Group, seen: Counter[str]) -> list[Pipeline]:
    left = [(pipeline, group.compared(pipeline)) for pipeline in group.drawn(group.graphs * 3)]
    chosen = list[Pipeline]()

    def worth(candidate: tuple[Pipeline, set[str]]) -> tuple[float, int]:
        """The smaller one of two as good."""
        pipeline, operators = candidate
        return sum(0.1 ** seen[name] for name in operators), -sum(pipeline.operators.values())

    while left and len(chosen) < group.graphs:
        best = max(left, key=worth)
        left.remove(best)
        chosen.append(best[0])
        seen.update(best[1])
    return chosen


def starts_from_something(pipeline: Pipeline) -> bool:
    calls = (call for output in pipeline.outputs for call in below(output))
    return any(call.method == "updateStateByKey" and len(call.arguments) > 2 for call in calls)


def _is_fair(batches: Batches) -> bool:
    """Six ticks of some elements in not too many partitions: each is a task on Spark."""
    partitions = [part for tick in batches for rdd in tick for part in rdd]
    return len(batches) == 6 and len(partitions) < 28 and sum(map(len, partitions)) > 16


def _has_bare_inputs(batches: Batches) -> bool:
    return any(not rdd for tick in batches for rdd in tick)


def _with_partitions(batches: Batches) -> Batches:
    return [[rdd or [[]] for rdd in tick] for tick in batches]
