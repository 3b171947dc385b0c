"""A stream in the making, and what is known of its elements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from dstream_parity.base.pipelines import MethodCall, Node

_KEEPING = {"filter", "mapValues", "flatMapValues", "window", "union", "checkpoint"}
_PLACING = {
    *("reduceByKey", "combineByKey", "groupByKey", "partitionBy", "countByValue"),
    *("join", "leftOuterJoin", "rightOuterJoin", "fullOuterJoin", "cogroup"),
    *("reduceByKeyAndWindow", "groupByKeyAndWindow", "countByValueAndWindow", "updateStateByKey"),
}


@dataclass(frozen=True)
class DraftStream:
    """A node, and which operators its elements allow."""

    node: Node
    keyed: bool  # pairs with a hashable key
    hashable: bool  # and equal to themselves, as NaN is not
    exact: bool = True  # order and partitions of its elements are defined
    slide: int = 1
    weight: int = 1  # how many times larger than an input's its batches may be
    fails: bool = False  # some function before it may raise
    placed: bool = False  # by key, and Spark knows it

    def then(self, method: str, *arguments: Any, **changes: Any) -> DraftStream:
        placed = method in _PLACING or (self.placed and method in _KEEPING)
        return replace(
            self, node=MethodCall(self.node, method, arguments), placed=placed, **changes
        )

    def joins(self, other: DraftStream) -> bool:
        both = self, other
        return self.weight * other.weight <= 8 and all(b.keyed and b.exact for b in both)


partitions = st.integers(1, 4)
maybe_partitions = partitions.map(lambda n: (n,)) | st.just(())
