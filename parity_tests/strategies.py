"""Random batches and random pipelines, for hypothesis.

A :class:`Pipeline` is a tree of operator calls. It can be built on any DStream API (the legacy one,
ours, the model's) and prints itself as the code that builds it. Its functions never fail, whatever
the elements are, so that a failure is an engine's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from hypothesis import strategies as st
from pyspark.cloudpickle import register_pickle_by_value

from dstream_compat.testing.outcomes import Batches, Outcomes
from parity_tests.model import replay_model

# Workers need not be able to import this module.
register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]

# Functions


def show(x: Any) -> str:
    """Like repr, but the same for every ResultIterable of the same elements."""
    if isinstance(x, (tuple, list)) or type(x).__name__ == "ResultIterable":
        return f"{type(x).__name__}({','.join(map(show, x))})"
    return repr(x)


def text(x: Any) -> str:
    return x if isinstance(x, str) else show(x)


def as_tuple(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


def tag(x: Any) -> tuple[str, Any]:
    return "tag", x


def pair(x: Any) -> tuple[Any, Any]:
    return x, x


def swap(kv: tuple[Any, Any]) -> tuple[Any, Any]:
    return kv[1], kv[0]


def by_type(x: Any) -> tuple[str, Any]:
    return type(x).__name__, x


def by_length(x: Any) -> tuple[int, Any]:
    return len(show(x)) % 3, x


def even_length(x: Any) -> bool:
    return len(show(x)) % 2 == 0


def explode(x: Any) -> list[Any]:
    return list(x) if isinstance(x, tuple) else [x] * (len(show(x)) % 3)


def twice(x: Any) -> Iterator[Any]:
    yield x
    yield x


def backwards(part: Iterable[Any]) -> list[Any]:
    return list(part)[::-1]


def neighbours(part: Iterator[Any]) -> Iterator[Any]:
    previous = None
    for x in part:
        yield previous, x
        previous = x


def with_index(index: int, part: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    return ((index, x) for x in part)


# Associative, as a reduce function must be; concat, flat, first and last do not commute.


def concat(a: Any, b: Any) -> str:
    return text(a) + text(b)


def flat(a: Any, b: Any) -> tuple[Any, ...]:
    return as_tuple(a) + as_tuple(b)


def first(a: Any, b: Any) -> Any:
    return a


def last(a: Any, b: Any) -> Any:
    return b


def larger(a: Any, b: Any) -> Any:
    return max(a, b, key=show)


def box(value: Any) -> tuple[Any, ...]:
    return (value,)


def put(combiner: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    return (*combiner, value)


def pour(combiner: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    return combiner + other


# Pipelines


@dataclass(frozen=True)
class Input:
    index: int

    def __str__(self) -> str:
        return f"inputs[{self.index}]"


@dataclass(frozen=True)
class Call:
    on: Node
    method: str
    arguments: tuple[Any, ...] = ()

    def __str__(self) -> str:
        arguments = (getattr(a, "__name__", None) or str(a) for a in self.arguments)
        return f"{self.on}.{self.method}({', '.join(arguments)})"


Node: TypeAlias = Input | Call


@dataclass(frozen=True, repr=False)
class Pipeline:
    """Some outputs over some inputs; ``exact[i]``: order and places of output i are defined."""

    outputs: tuple[Node, ...]
    exact: tuple[bool, ...]

    def build(self, ssc: Any, inputs: Sequence[Any]) -> list[Any]:
        """The outputs as DStreams; a node that occurs twice is built once."""
        built: dict[Node, Any] = {}

        def make(node: Any) -> Any:
            if isinstance(node, Input):
                return inputs[node.index]
            if not isinstance(node, Call):
                return node
            if node not in built:
                built[node] = getattr(make(node.on), node.method)(*map(make, node.arguments))
            return built[node]

        return [make(output) for output in self.outputs]

    def model(self, batches: Batches, *, parallelism: int = 2) -> Outcomes:
        """What the outputs must be on ``batches``."""
        return replay_model(self.build, batches, parallelism=parallelism)

    def __repr__(self) -> str:
        return "[" + ",\n ".join(map(str, self.outputs)) + "]"


@dataclass(frozen=True)
class Branch:
    """A node and what may be done with its elements."""

    node: Node
    keyed: bool  # pairs with a hashable key
    hashable: bool
    exact: bool = True
    cheap: bool = True  # not yet multiplied by a join

    def then(self, method: str, *arguments: Any, **changes: bool) -> Branch:
        return replace(self, node=Call(self.node, method, arguments), **changes)


def _any_of(*functions: Callable[..., Any]) -> st.SearchStrategy[Any]:
    return st.sampled_from(functions)


_partitions = st.integers(1, 4)
_maybe_partitions = _partitions.map(lambda n: (n,)) | st.just(())
_reducers = _any_of(concat, flat, first, last, larger)


@st.composite
def _narrow(draw: st.DrawFn, branch: Branch) -> Branch:
    """Apply one operator that works element by element."""
    options = ["map", "key", "flatMap", "filter"]
    options += ["swap", "mapValues", "flatMapValues"] if branch.keyed else []
    choice = draw(st.sampled_from(options))
    if choice == "map":
        return branch.then("map", text, keyed=False, hashable=True)
    if choice == "key":
        keys = [tag, by_type, by_length, *([pair] if branch.hashable else [])]
        return branch.then("map", draw(st.sampled_from(keys)), keyed=True)
    if choice == "swap":
        return branch.then("map", swap, keyed=branch.hashable)
    if choice == "filter":
        return branch.then("filter", even_length)
    if choice == "flatMap":
        return branch.then("flatMap", draw(_any_of(explode, twice)), keyed=False)
    if choice == "mapValues":
        function = draw(_any_of(text, tag))
        return branch.then("mapValues", function, hashable=branch.hashable or function is text)
    return branch.then("flatMapValues", draw(_any_of(explode, twice)))


@st.composite
def _wide(draw: st.DrawFn, branch: Branch) -> Branch:
    """Apply one operator that looks at whole partitions or needs a shuffle."""
    options = ["count", "repartition"]
    if branch.exact:
        options += ["glom", "mapPartitions", "mapPartitionsWithIndex", "reduce"]
        options += ["countByValue"] if branch.hashable else []
        options += ["reduceByKey", "combineByKey", "groupByKey"] if branch.keyed else []
    options += ["partitionBy"] if branch.keyed else []
    method = draw(st.sampled_from(options))
    if method == "count":
        return branch.then(method, keyed=False, hashable=True, exact=True)
    if method == "repartition":
        return branch.then(method, draw(_partitions), exact=False)
    if method == "glom":
        return branch.then(method, keyed=False, hashable=False)
    if method == "mapPartitions":
        return branch.then(method, draw(_any_of(backwards, neighbours)), keyed=False)
    if method == "mapPartitionsWithIndex":
        return branch.then(method, with_index, keyed=True)
    if method == "reduce":
        return branch.then(method, draw(_reducers), keyed=False)
    if method == "countByValue":
        return branch.then(method, keyed=True)
    count = draw(_maybe_partitions)
    if method == "reduceByKey":
        return branch.then(method, draw(_reducers), *count)
    if method == "combineByKey":
        return branch.then(method, box, put, pour, *count)
    if method == "groupByKey":
        return branch.then(method, *count, hashable=False)
    return branch.then(method, draw(_partitions))


@st.composite
def _combined(draw: st.DrawFn, left: Branch, right: Branch) -> Branch:
    """Bring two branches together."""
    options = ["union"]
    if left.keyed and right.keyed and left.exact and right.exact and left.cheap and right.cheap:
        options += ["join", "leftOuterJoin", "rightOuterJoin", "fullOuterJoin", "cogroup"]
    method = draw(st.sampled_from(options))
    both = replace(
        left,
        keyed=left.keyed and right.keyed,
        hashable=left.hashable and right.hashable and method != "cogroup",
        exact=left.exact and right.exact,
        cheap=left.cheap and right.cheap and method == "union",
    )
    return both.then(method, right.node, *(() if method == "union" else draw(_maybe_partitions)))


@st.composite
def pipelines(
    draw: st.DrawFn, *, inputs: int = 1, keyed: bool = False, outputs: int = 3, steps: int = 6
) -> Pipeline:
    """Pipelines of at most ``steps`` operators; ``keyed`` as the batches they are meant for."""
    branches = [Branch(Input(i), keyed=keyed, hashable=True) for i in range(inputs)]
    for _ in range(draw(st.integers(1, steps))):
        branch = draw(st.sampled_from(branches))
        kind = draw(st.sampled_from(["narrow", "wide", "combined"]))
        if kind == "combined":
            branches.append(draw(_combined(branch, draw(st.sampled_from(branches)))))
        else:
            branches.append(draw((_narrow if kind == "narrow" else _wide)(branch)))
    chosen = branches[-outputs:]
    return Pipeline(tuple(b.node for b in chosen), tuple(b.exact for b in chosen))


# Batches

# Few distinct values, so that keys meet; NaN is left out because its hash differs from run to run.
_scalars = (
    st.integers(-2, 3)
    | st.sampled_from(["", "a", "b", "\u00e9\U0001f600", b"", b"\x00\xff", None, True, False])
    | st.sampled_from([0.0, 1.0, -0.5, float("inf"), 1e300, 2**63, -(2**70)])
)
_elements = _scalars | st.lists(_scalars, max_size=2).map(tuple) | st.tuples(_scalars, _scalars)


def batches(*, inputs: int = 1, keyed: bool = False) -> st.SearchStrategy[Batches]:
    """1 to 6 ticks of 0 to 4 partitions per input; with ``keyed``, every element is a pair."""
    element: st.SearchStrategy[Any] = st.tuples(_scalars, _elements) if keyed else _elements
    rdd = st.lists(st.lists(element, max_size=4), max_size=4)
    return st.lists(
        st.lists(rdd, min_size=inputs, max_size=inputs),
        min_size=1,
        max_size=6,
    )
