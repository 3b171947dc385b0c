"""Plans are straight lines: every operator once, as few stages as the exchanges need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dstream_compat.context import StreamingContext
from dstream_compat.graph.compiler import Plan, compile_graph, driver_nodes
from dstream_compat.graph.nodes import ancestors
from dstream_compat.graph.specs import PartitionedSpec
from dstream_compat.stages.plan import Branch, Count, Emit, Send
from dstream_parity.engines.in_process import LocalContext


def inputs(n: int = 2) -> list[Any]:
    ssc = StreamingContext(LocalContext(2), 1)  # type: ignore[arg-type]
    return [ssc._input("input", PartitionedSpec(())) for _ in range(n)]


def plan(build: Callable[..., list[Any]], n: int = 2) -> Plan:
    return compile_graph([stream._node for stream in build(*inputs(n))])


def kinds(branch: Branch) -> list[str]:
    own = [branch.kind] if branch.kind else []
    return own + [kind for child in branch.branches for kind in kinds(child)]


def test_a_chain_without_exchange_is_one_stage() -> None:
    compiled = plan(lambda a, b: [a.map(str).filter(bool)])
    assert len(compiled.stages) == 1
    assert kinds(compiled.stages[0].inputs[0].branch) == ["map", "filter"]


def test_every_exchange_in_a_row_is_a_stage() -> None:
    compiled = plan(lambda a, b: [a.reduceByKey(max).map(str).countByValue(), b.count()])
    assert len(compiled.stages) == 3


def test_a_shared_operator_is_laid_out_once() -> None:
    def build(a: Any, b: Any) -> list[Any]:
        words = a.flatMap(str.split)
        return [words, words.map(len), words.map(str).countByValue()]

    compiled = plan(build)
    found = [kind for entry in compiled.stages[0].inputs.values() for kind in kinds(entry.branch)]
    assert sorted(found) == ["flatMap", "map", "map", "withOne"]


def test_what_no_output_needs_is_left_out() -> None:
    def build(a: Any, b: Any) -> list[Any]:
        b.map(str).reduce(max)
        return [a]

    compiled = plan(build)
    assert [source.id for source in compiled.sources] == [0]
    assert compiled.functions == ()


def test_joins_meet_behind_the_later_of_their_inputs() -> None:
    compiled = plan(lambda a, b: [a.join(b.reduceByKey(max).map(str).countByValue())])
    assert len(compiled.stages) == 4
    (join,) = compiled.stages[3].inputs.values()
    assert join.kind == "join"
    (early,) = compiled.stages[0].inputs[0].branch.exits
    assert isinstance(early, Send)
    assert (early.route, early.tag) == (join.route, 0)


def test_partitions_of_a_union_are_counted_from_its_inputs() -> None:
    def build(a: Any, b: Any) -> list[Any]:
        return [a.union(b.reduceByKey(max, 3)).union(a)]

    compiled = plan(build)
    (count,) = compiled.counts.values()
    assert count == Count(3, (0, 0))
    assert count.at({0: 4, 1: 9}) == 11


def test_streams_placed_alike_are_united_partition_by_partition() -> None:
    def build(a: Any, b: Any) -> list[Any]:
        return [a.reduceByKey(max, 3).union(b.groupByKey(3).mapValues(list))]

    (count,) = plan(build).counts.values()
    assert count == Count(3)


def test_transforms_and_what_follows_them_are_left_to_the_driver() -> None:
    a, b = inputs()
    sorted_ = a.map(str).transform(lambda rdd: rdd.sortBy(len))
    joined = sorted_.map(len).union(b)
    order = list(ancestors([joined._node]))
    assert {type(node).__name__ for node in driver_nodes(order)} == {"Transform", "Narrow", "Union"}
    compiled = compile_graph([joined._node])
    assert sorted(node.site.split()[0] for node in compiled.routes) == ["input", "map"]


def test_an_output_of_a_source_itself_is_a_route_of_its_own() -> None:
    compiled = plan(lambda a, b: [a, a])
    (way_out,) = compiled.stages[0].inputs[0].branch.exits
    assert way_out == Emit(1)
