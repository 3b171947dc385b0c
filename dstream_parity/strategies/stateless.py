"""Operators that look at one batch only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

from hypothesis import strategies as st

from dstream_parity.base import functions as f
from dstream_parity.base.pipelines import Made, MethodCall, PipelineContext
from dstream_parity.strategies.drafts import DraftStream, maybe_partitions, partitions


def any_of(*functions: Callable[..., Any]) -> st.SearchStrategy[Any]:
    return st.sampled_from(functions)


reducers = any_of(f.concat, f.flat, f.first, f.last, f.larger)


@st.composite
def narrow(draw: st.DrawFn, stream: DraftStream) -> DraftStream:
    """Apply one operator that works element by element."""
    options = ["map", "key", "flatMap", "filter", "plain"]
    options += ["swap", "mapValues", "flatMapValues"] if stream.keyed else []
    choice = draw(st.sampled_from(options))
    if choice == "map":
        function = draw(any_of(f.text, f.text, f.nothing))
        return stream.then("map", function, keyed=False, hashable=True)
    if choice == "plain":
        return stream.then("map", f.nested, keyed=False, hashable=False)
    if choice == "key":
        keys = [f.tag, f.by_type, f.by_length, *([f.pair] if stream.hashable else [])]
        return stream.then("map", draw(st.sampled_from(keys)), keyed=True)
    if choice == "swap":
        return stream.then("map", f.swap, keyed=stream.hashable)
    if choice == "filter":
        return stream.then("filter", f.even_length)
    if choice == "flatMap":
        return stream.then("flatMap", draw(any_of(f.explode, f.twice)), keyed=False)
    if choice == "mapValues":
        function = draw(any_of(f.text, f.tag, f.nested))
        hashable = function is f.text or (stream.hashable and function is f.tag)
        return stream.then("mapValues", function, hashable=hashable)
    return stream.then("flatMapValues", draw(any_of(f.explode, f.twice)))


@st.composite
def wide(draw: st.DrawFn, stream: DraftStream) -> DraftStream:
    """Apply one operator that looks at whole partitions or needs a shuffle."""
    options = ["count", "repartition"]
    if stream.exact:
        options += ["glom", "mapPartitions", "mapPartitionsWithIndex", "reduce"]
        options += ["countByValue"] if stream.hashable else []
        options += ["reduceByKey", "combineByKey", "groupByKey"] if stream.keyed else []
    options += ["partitionBy"] if stream.keyed else []
    method = draw(st.sampled_from(options))
    if method == "count":
        return stream.then(method, keyed=False, hashable=True, exact=True)
    if method == "repartition":
        return stream.then(method, draw(partitions), exact=False)
    if method == "glom":
        return stream.then(method, keyed=False, hashable=False)
    if method == "mapPartitions":
        whole = [f.backwards, f.neighbours, *([] if stream.fails else [f.head])]
        return stream.then(method, draw(st.sampled_from(whole)), keyed=False)
    if method == "mapPartitionsWithIndex":
        return stream.then(method, f.with_index, keyed=True)
    if method == "reduce":
        return stream.then(method, draw(reducers), keyed=False)
    if method == "countByValue":
        return stream.then(method, keyed=True)
    count = draw(maybe_partitions)
    if method == "reduceByKey":
        return stream.then(method, draw(reducers), *count)
    if method == "combineByKey":
        return stream.then(method, f.box, f.put, f.pour, *count)
    if method == "groupByKey":
        return stream.then(method, *count, hashable=False)
    return stream.then(method, draw(partitions))


@st.composite
def raising(draw: st.DrawFn, stream: DraftStream) -> DraftStream:
    """Apply a function that raises on some elements."""
    if stream.exact and draw(st.booleans()):
        return stream.then("mapPartitions", f.not_after_three, fails=True)
    if stream.keyed and draw(st.booleans()):
        return stream.then("mapValues", f.no_texts, fails=True)
    if draw(st.booleans()):
        return stream.then("filter", f.no_odd_lengths, fails=True)
    return stream.then("map", f.no_texts, fails=True)


@st.composite
def remembering(draw: st.DrawFn, stream: DraftStream) -> DraftStream:
    """Apply a function that counts its calls, or uses what the driver changed."""
    if stream.exact and draw(st.booleans()):
        if draw(st.booleans()):
            return stream.then("map", Made(f.counting), keyed=True)
        return stream.then("filter", Made(f.unseen))
    if draw(st.booleans()):
        return stream.then("map", f.levelled, keyed=True)
    return stream.then("filter", f.above_level)


@st.composite
def combined(draw: st.DrawFn, left: DraftStream, right: DraftStream) -> DraftStream:
    """Bring two streams together."""
    options = ["union", "context union"] if left.slide == right.slide else []
    if left.joins(right):
        options += ["join", "leftOuterJoin", "rightOuterJoin", "fullOuterJoin", "cogroup"]
    method = draw(st.sampled_from(options))
    both = _together(left, right, method)
    if method == "context union":
        node = MethodCall(PipelineContext(), "union", (left.node, right.node, left.node))
        return replace(both, node=node)
    return both.then(method, right.node, *(() if method == "union" else draw(maybe_partitions)))


def _together(left: DraftStream, right: DraftStream, method: str) -> DraftStream:
    weights = left.weight, right.weight
    united = "union" in method
    return replace(
        left,
        keyed=left.keyed and right.keyed,
        hashable=left.hashable and right.hashable and method != "cogroup",
        exact=left.exact and right.exact,
        weight=2 * sum(weights) if united else 16 * prod(weights),
        fails=left.fails or right.fails,
        placed=left.placed and right.placed,
    )


@st.composite
def transformed(draw: st.DrawFn, stream: DraftStream) -> DraftStream:
    """Hand the RDD to a function in the driver.

    No function unites RDDs that are placed by key: there the engines differ in partitions (D60).
    """
    options = [f.unchanged, f.stamped, *([] if stream.placed else [f.doubled])]
    options += [f.shortest, f.in_order] if not stream.fails else []
    if stream.exact:
        options += [] if stream.fails else [f.numbered]
        options += [f.placed, f.summed] if stream.keyed else []
    function = draw(st.sampled_from(options))
    after = stream.then("transform", function)
    if function is f.stamped:
        return replace(after, keyed=True)
    if function is f.doubled:
        return replace(after, weight=2 * stream.weight)
    if function in (f.shortest, f.in_order):
        return replace(after, exact=True)
    if function is f.numbered:
        return replace(after, keyed=stream.hashable)
    return after


@st.composite
def transformed_with(draw: st.DrawFn, left: DraftStream, right: DraftStream) -> DraftStream:
    """Hand the RDDs of two streams to a function in the driver."""
    options: list[Any] = [f.dated_both]
    if not (left.placed and right.placed):
        options += [f.both, *([f.last_first] if left.slide == right.slide else [])]
    options += [f.crossed] if left.weight * right.weight <= 4 else []
    options += [f.matched] if left.joins(right) else []
    function = draw(st.sampled_from(options))
    after = _together(left, right, "join" if function in (f.crossed, f.matched) else "union")
    if function is f.last_first:
        node = MethodCall(PipelineContext(), "transform", ((left.node, right.node), f.last_first))
        return replace(after, node=node)
    if function is f.dated_both:
        after = replace(after, keyed=True)
    elif function is f.crossed:
        after = replace(after, keyed=left.hashable, exact=False)
    return after.then("transformWith", function, right.node)
