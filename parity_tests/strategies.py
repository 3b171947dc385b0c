"""Random batches and random pipelines, for hypothesis.

A :class:`Pipeline` is a tree of operator calls. It can be built on any DStream API (the legacy one,
ours, the model's) and prints itself as the code that builds it. Its functions never fail, whatever
the elements are, so that a failure is an engine's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, TypeAlias

from hypothesis import strategies as st
from pyspark.cloudpickle import register_pickle_by_value

from dstream_compat import StateSpec
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


def no_pair(x: Any) -> bool:
    return not isinstance(x, tuple)


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


def plus(a: Any, b: Any) -> int:
    return amount(a) + amount(b)


def amount(x: Any) -> int:
    return x if type(x) is int else len(show(x))


# What takes back the above. Engines call whatever they are given: there are wrong ones, too.


def minus(a: Any, b: Any) -> int:
    return amount(a) - amount(b)


def cut(a: Any, b: Any) -> str:
    return text(a)[len(text(b)) :]


def drop(a: Any, b: Any) -> tuple[Any, ...]:
    return as_tuple(a)[len(as_tuple(b)) :]


def has_value(kv: tuple[Any, Any]) -> bool:
    return bool(kv[1])


# For updateStateByKey


def total(values: list[Any], state: Any) -> int:
    return len(values) + (state if type(state) is int else 0)


def collect(values: list[Any], state: Any) -> list[Any]:
    state = state if type(state) is list else [state]
    state.extend(values)
    return state  # type: ignore[no-any-return]


def chained(values: list[Any], state: Any) -> str:
    return text(state) + "".join(map(text, values)) + ";"


def latest(values: list[Any], state: Any) -> Any:
    return values[-1] if values else None


def forgetful(values: list[Any], state: Any) -> Any:
    known = total(values, state)
    return None if known > 3 else known


# For mapWithState


def text_key(kv: tuple[Any, Any]) -> tuple[str, Any]:
    return text(kv[0]), kv[1]


def running(key: Any, value: Any, state: Any) -> tuple[Any, ...]:
    if state.isTimingOut():
        return "gone", key, value, state.get()
    state.update((*as_tuple(state.getOption(())), value))
    return key, state.get()


def toggled(key: Any, value: Any, state: Any) -> tuple[Any, ...]:
    known = state.getOption("nothing")
    if not state.isTimingOut():
        state.remove() if state.exists() else state.update(value)
    return key, known, state.exists(), state.isTimingOut()


def first_seen(key: Any, value: Any, state: Any) -> Any:
    if not state.exists():
        state.update(value)
    return state.get() if state.isTimingOut() else None


def dated(time: Any, key: Any, value: Any, state: Any) -> Any:
    if state.isTimingOut():
        return key, "out", time.second
    if even_length(value):
        state.update(time.second)
    return (key, time.second, state.getOption()) if state.exists() else None


# Pipelines


@dataclass(frozen=True)
class Input:
    index: int

    def __str__(self) -> str:
        return f"inputs[{self.index}]"


@dataclass(frozen=True)
class Spec:
    """A StateSpec: the calls that make it."""

    function: Callable[..., Any]
    calls: tuple[tuple[str, Any], ...]

    def make(self) -> StateSpec:
        spec = StateSpec.function(self.function)
        for method, argument in self.calls:
            getattr(spec, method)(argument)
        return spec

    def __str__(self) -> str:
        calls = "".join(f".{method}({argument})" for method, argument in self.calls)
        return f"StateSpec.function({self.function.__name__}){calls}"


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
            if isinstance(node, Spec):
                return node.make()
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
    slide: int = 1
    weight: int = 1  # by how much its batches may be larger than an input's

    def then(self, method: str, *arguments: Any, **changes: Any) -> Branch:
        return replace(self, node=Call(self.node, method, arguments), **changes)

    def joins(self, other: Branch) -> bool:
        both = self, other
        return self.weight * other.weight <= 8 and all(b.keyed and b.exact for b in both)


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
    options = ["union"] if left.slide == right.slide else []
    if left.joins(right):
        options += ["join", "leftOuterJoin", "rightOuterJoin", "fullOuterJoin", "cogroup"]
    method = draw(st.sampled_from(options))
    weights = left.weight, right.weight
    both = replace(
        left,
        keyed=left.keyed and right.keyed,
        hashable=left.hashable and right.hashable and method != "cogroup",
        exact=left.exact and right.exact,
        weight=sum(weights) if method == "union" else 16 * prod(weights),
    )
    return both.then(method, right.node, *(() if method == "union" else draw(_maybe_partitions)))


# Window and slide in units of the parent's slide: the inverse is used from five slides on; there
# are windows with gaps between them, and windows longer than any replay.
_durations = st.sampled_from(
    [(1, 1), (2, 1), (5, 1), (6, 1), (5, 1), (12, 1), (2, 2), (3, 2), (1, 2), (10, 2), (1, 3)]
)
_inverses = st.sampled_from(
    [(flat, None), (flat, drop), (concat, cut), (plus, minus), (larger, first), (concat, concat)]
)


@st.composite
def _window(draw: st.DrawFn, branch: Branch) -> Branch:
    """Apply one operator that looks back a fixed time."""
    options = ["window", "countByWindow"]
    if branch.exact:
        options += ["reduceByWindow"]
        options += ["countByValueAndWindow"] if branch.hashable else []
        if branch.keyed:
            options += ["reduceByKeyAndWindow", "groupByKeyAndWindow", "reduceByKeyAndWindow"]
    method = draw(st.sampled_from(options))
    window, slide = (branch.slide * units for units in draw(_durations))
    if slide > 4:
        slide = branch.slide
    longer = replace(branch, slide=slide)
    if method == "window":
        weight = branch.weight * min(8, window) // branch.slide
        durations = (window,) if slide == branch.slide else (window, slide)
        return longer.then(method, *durations, weight=max(1, weight))
    if method == "countByWindow":
        return longer.then(method, window, slide, keyed=False, hashable=True, exact=True)
    if method == "reduceByWindow":
        return longer.then(method, *draw(_inverses), window, slide, keyed=False)
    if method == "reduceByKeyAndWindow":
        more = draw(
            st.just(())
            | st.tuples(_partitions)
            | st.tuples(st.none(), _any_of(has_value, even_length))
        )
        return longer.then(method, *draw(_inverses), window, slide, *more)
    count = draw(_maybe_partitions)
    if method == "groupByKeyAndWindow":
        return longer.then(method, window, slide, *count, hashable=False)
    return longer.then(method, window, slide, *count, keyed=True)


# Few distinct values, so that keys meet; NaN is left out because its hash differs from run to run.
_scalars = (
    st.integers(-2, 3)
    | st.sampled_from(["", "a", "b", "\u00e9\U0001f600", b"", b"\x00\xff", None, True, False])
    | st.sampled_from([0.0, 1.0, -0.5, float("inf"), 1e300, 2**63, -(2**70)])
)
# Few, so that they meet; some are equal without being the same.
_keys = st.sampled_from([0, "a", 1, None, True, (1, "b"), 1.0])
_values = st.sampled_from([1, None, "a", 0, "", True, None, (2, "b"), -0.5, 2**70])
_states = st.sampled_from([0, 1, "", "s", None, True, (2,)])
_initial = st.lists(st.tuples(_keys, _states), max_size=4).map(tuple)
_initial_texts = st.lists(st.tuples(_keys.map(text), _states), max_size=4).map(tuple)


@st.composite
def _state(draw: st.DrawFn, branch: Branch) -> Branch:
    """Apply updateStateByKey."""
    functions = [total, forgetful, *((chained, latest, collect) if branch.exact else ())]
    function = draw(st.sampled_from(functions))
    more: tuple[Any, ...] = draw(_maybe_partitions)
    if draw(st.booleans()):
        more = (*(more or (None,)), draw(_initial))
    hashable = function is not collect and (function is not latest or branch.hashable)
    return branch.then(
        "updateStateByKey", function, *more, hashable=hashable, weight=max(4, branch.weight)
    )


@st.composite
def _map_with_state(draw: st.DrawFn, branch: Branch) -> Branch:
    """Apply mapWithState, or look at its snapshots."""
    function = draw(_any_of(running, toggled, first_seen, dated))
    refinements = {
        "timeout": st.integers(1, 4),
        "initialState": _initial_texts,
        "numPartitions": _partitions,
    }
    chosen = draw(st.lists(st.sampled_from(list(refinements)), unique=True))
    calls = tuple((method, draw(refinements[method])) for method in chosen)
    # which of several equal keys, 1 or True, a state goes by is not defined
    mapped = branch.then("map", text_key).then("mapWithState", Spec(function, calls))
    checked = draw(st.sampled_from([1, 2, 3, None]))
    if checked:
        mapped = mapped.then("checkpoint", checked * branch.slide)
    if draw(st.booleans()):
        return mapped.then("stateSnapshots", keyed=True, exact=False)
    return replace(
        mapped, keyed=False, exact=branch.exact and "timeout" not in chosen, hashable=False
    )


_KINDS: dict[str, Callable[[Branch], st.SearchStrategy[Branch]]] = {
    "narrow": _narrow,
    "wide": _wide,
    "window": _window,
    "state": _state,
    "mapWithState": _map_with_state,
}
STATELESS = ("narrow", "wide", "combined")
STATEFUL = (*STATELESS, "window", "state", "window", "state")


@st.composite
def pipelines(
    draw: st.DrawFn,
    *,
    inputs: int = 1,
    keyed: bool = False,
    outputs: int = 3,
    steps: int = 6,
    kinds: Sequence[str] = STATELESS,
) -> Pipeline:
    """Pipelines of at most ``steps`` operators; ``keyed`` as the batches they are meant for."""
    branches = [Branch(Input(i), keyed=keyed, hashable=True) for i in range(inputs)]
    for _ in range(draw(st.integers(1, steps))):
        kind = draw(st.sampled_from(kinds))
        branch = draw(st.sampled_from(branches))
        if kind == "combined":
            others = [b for b in branches if b.slide == branch.slide or branch.joins(b)]
            branches.append(draw(_combined(branch, draw(st.sampled_from(others)))))
            continue
        if kind in ("window", "state", "mapWithState") and branch.weight > 16:
            kind = "narrow"
        if kind == "mapWithState" and not branch.exact:
            kind = "state"  # its functions depend on the order of the records
        if kind in ("state", "mapWithState") and not branch.keyed:
            branch = branch.then("map", by_length, keyed=True)
        branches.append(draw(_KINDS[kind](branch)))
    chosen = branches[-outputs:]
    return Pipeline(tuple(b.node for b in chosen), tuple(b.exact for b in chosen))


# Batches

_elements = _scalars | st.lists(_scalars, max_size=2).map(tuple) | st.tuples(_scalars, _scalars)


def batches(
    *, inputs: int = 1, keyed: bool = False, ticks: int = 6, few: bool = False
) -> st.SearchStrategy[Batches]:
    """1 to ``ticks`` ticks of 0 to 4 partitions per input; with ``keyed``, elements are pairs.

    ``few``: more ticks of smaller batches and few keys, so that keys come and go.
    """
    element: st.SearchStrategy[Any] = _elements
    if keyed:
        element = st.tuples(_keys, _values) if few else st.tuples(_scalars, _elements)
    size = 2 if few else 4
    rdd = st.lists(st.lists(element, max_size=size), max_size=size)
    return st.lists(
        st.lists(rdd, min_size=inputs, max_size=inputs),
        min_size=5 if few else 1,
        max_size=ticks,
    )
