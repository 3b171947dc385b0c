"""Graph → plan: a straight line of stages, every operator computed once. No Spark in here.

``stages.plan`` says what a stage consists of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dstream_compat.graph.nodes import (
    Narrow,
    Node,
    Snapshots,
    Source,
    Stateful,
    Transform,
    Union,
    Wide,
    ancestors,
    placed_alike,
)
from dstream_compat.graph.phases import Phases
from dstream_compat.stages.plan import Branch, Count, Emit, Keeping, Send, Stage, StageInput

_CHECKS_EVERY = 10  # legacy: batches between two checks for timed-out state


@dataclass(frozen=True)
class Plan:
    """``routes`` and ``counts`` are by node: where its data comes out, and how many partitions."""

    stages: tuple[Stage, ...]
    functions: tuple[Callable[..., Any], ...]
    sites: tuple[str, ...] = ()  # of the functions
    routes: Mapping[Node, int] = field(default_factory=dict)
    counts: Mapping[Node, Count] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    operators: tuple[Stateful, ...] = ()  # their places here are the numbers of their state


def compile_graph(demanded: Sequence[Node], slots: int = 1, phases: Phases | None = None) -> Plan:
    """Lay out the graph that ``demanded`` nodes need; the driver evaluates nodes after a transform.

    What the driver needs from the stages (the inputs of its transforms, and demanded nodes that no
    transform precedes) becomes an output route.
    """
    phases = phases or Phases({}, {})
    order = list(ancestors(list(demanded)))
    on_driver = driver_nodes(order)
    needed = [node for node in demanded if node not in on_driver]
    needed += [
        parent
        for node in order
        if node in on_driver
        for parent in node.parents
        if parent not in on_driver
    ]
    staged = [node for node in order if node not in on_driver]
    return _Layout(staged, needed, slots, phases).plan()


def driver_nodes(order: Sequence[Node]) -> set[Node]:
    """The nodes evaluated on RDDs in the driver: transforms and what follows them."""
    found: set[Node] = set()
    for node in order:
        if isinstance(node, Transform) or any(parent in found for parent in node.parents):
            found.add(node)
    return found


class _Layout:
    """The working tables of one compilation."""

    def __init__(
        self,
        staged: Sequence[Node],
        needed: Sequence[Node],
        slots: int,
        phases: Phases,
    ) -> None:
        self.staged = staged
        self.slots = slots
        self.phase_of = phases.phase_of
        self.initials = phases.initials
        self.functions: list[Callable[..., Any]] = []
        self.sites: list[str] = []
        self.function_numbers: dict[Node, tuple[int, ...]] = {}
        self.consumers: dict[Node, list[tuple[Node, int]]] = {node: [] for node in staged}
        self.levels: dict[Node, int] = {}
        self.counts: dict[Node, Count] = {}
        self.carries: list[Wide] = []
        sources = [node for node in staged if isinstance(node, Source)]
        self.sources = tuple(sources)
        next_route = max((source.id for source in sources), default=-1) + 1
        self.routes: dict[Node, int] = {}
        for node in staged:
            if isinstance(node, (Wide, Stateful)):
                self.routes[node] = next_route
                next_route += 1
        self.operators = tuple(node for node in staged if isinstance(node, Stateful))
        for node in staged:
            self._place(node)
        next_route += len(self.carries)
        self.output_routes: dict[Node, int] = {}
        for node in needed:
            if node not in self.output_routes:
                self.output_routes[node] = next_route
                next_route += 1

    def _place(self, node: Node) -> None:
        """Find the stage that a node ends in, its consumers and its counts."""
        parents = node.parents
        if isinstance(node, Union):
            parents = self._side_by_side(node)
        for position, parent in enumerate(parents):
            self.consumers[parent].append((node, position))
        level = max((self.levels[parent] for parent in parents), default=0)
        if isinstance(node, (Wide, Stateful)) or (isinstance(node, Source) and node.external):
            level += 1
        self.levels[node] = level
        self.counts[node] = self._count(node)
        self.function_numbers[node] = self._number(node)

    def _side_by_side(self, union: Union) -> tuple[Node, ...]:
        """The inputs of a union, all in a stage where the partitions of each are known.

        A window's number of partitions is known only in the stage it ends in. Streams of earlier
        stages are carried there by an exchange that moves nothing to another partition.
        """
        windows = [self.levels[node] for node in union.inputs if self._is_dynamic(node)]
        level = max(windows, default=0)
        return tuple(
            self._carried(node, level) if self.levels[node] < level else node
            for node in union.inputs
        )

    def _is_dynamic(self, node: Node) -> bool:
        windows = {self.routes[operator] for operator in self.operators}
        return not windows.isdisjoint(self.counts[node].sources)

    def _carried(self, node: Node, level: int) -> Node:
        carry = Wide(node.site, node.slide_ms, (node,), "carry", 0)
        self.consumers[carry] = []
        self.consumers[node].append((carry, 0))
        self.levels[carry] = level
        self.counts[carry] = self.counts[node]
        self.function_numbers[carry] = ()
        self.routes[carry] = max(self.routes.values(), default=0) + 1
        self.carries.append(carry)
        return carry

    def _count(self, node: Node) -> Count:
        if isinstance(node, Source):
            return Count(self.slots) if node.external else Count(sources=(node.id,))
        if isinstance(node, Stateful) and node.kind == "window":
            if node.partitioner is not None:
                return Count(node.partitioner[0])
            return Count(sources=(self.routes[node],))
        if isinstance(node, (Wide, Stateful)):
            return Count(node.partitions)
        if isinstance(node, Union):
            return sum((self.counts[parent] for parent in node.inputs), Count())
        return self.counts[node.parents[0]]

    def _number(self, node: Node) -> tuple[int, ...]:
        functions: tuple[Callable[..., Any], ...] = ()
        if isinstance(node, Narrow) and node.function is not None:
            functions = (node.function,)
        elif isinstance(node, (Wide, Stateful)):
            functions = node.functions
        first = len(self.functions)
        self.functions.extend(functions)
        self.sites.extend(node.site for _ in functions)
        return tuple(range(first, first + len(functions)))

    def plan(self) -> Plan:
        stages: list[dict[int, StageInput]] = [
            {} for _ in range(max(self.levels.values(), default=0) + 1)
        ]
        for node in [*self.staged, *self.carries]:
            stage_input = self._input(node)
            if stage_input is not None:
                stages[self.levels[node]][stage_input.route] = stage_input
        return Plan(
            tuple(Stage(inputs) for inputs in stages),
            tuple(self.functions),
            tuple(self.sites),
            self.output_routes,
            {node: self.counts[node] for node in self.output_routes},
            self.sources,
            self.operators,
        )

    def _input(self, node: Node) -> StageInput | None:
        """Where a node enters its stage; None if it continues a branch of its parents."""
        if isinstance(node, Source):
            branch = self._branch(node, None)
            if node.external:
                # which task reads what is Spark's business: an exchange gives it partitions
                return StageInput(
                    node.id, branch, node.slide_ms, "arrive", self.slots, site=node.site
                )
            initial = node in self.initials
            return StageInput(node.id, branch, node.slide_ms, site=node.site, initial=initial)
        if not isinstance(node, (Wide, Stateful)):
            return None
        return StageInput(
            self.routes[node],
            self._branch(node, None),
            node.slide_ms,
            node.kind,
            node.partitions,
            self.function_numbers[node],
            node.site,
            self.counts[node.parents[0]] if node.kind in ("carry", "window") else None,
            self._keeping(node) if isinstance(node, Stateful) else None,
            self._snapshots(node),
            self.phase_of.get(node, self.phase_of.get(node.parents[0], 0)),
        )

    def _keeping(self, node: Stateful) -> Keeping:
        check_ms = node.marks.checkpoint_ms or _CHECKS_EVERY * node.slide_ms
        return Keeping(
            self.operators.index(node),
            node.inputs[0].slide_ms,
            node.window_ms,
            check_ms,
            node.timeout_ms,
            node.partitioner is not None,
            node.inputs[0].id if isinstance(node.inputs[0], Source) else None,
        )

    def _snapshots(self, node: Node) -> Branch | None:
        for consumer, _ in self.consumers[node]:
            if isinstance(consumer, Snapshots):
                return self._branch(consumer, None)
        return None

    def _branch(self, node: Node, came_by: int | None) -> Branch:
        """The tree from ``node`` on; ``came_by`` says by which input a union was reached."""
        kind: str | None = None
        function: int | None = None
        shift: Count | None = None
        if isinstance(node, Narrow):
            kind = node.kind
            numbers = self.function_numbers[node]
            function = numbers[0] if numbers else None
        elif isinstance(node, Union) and came_by is not None:
            shift = sum((self.counts[parent] for parent in node.inputs[:came_by]), Count())
        exits: list[Emit | Send] = []
        branches: list[Branch] = []
        if node in self.output_routes:
            exits.append(Emit(self.output_routes[node]))
        for consumer, position in self.consumers[node]:
            if isinstance(consumer, (Wide, Stateful)):
                initial = isinstance(consumer, Stateful) and position > 0
                exits.append(
                    Send(
                        self.routes[consumer],
                        consumer.kind,
                        consumer.partitions,
                        () if initial else self.function_numbers[consumer],
                        position,
                        consumer.site,
                        _joins_aligned(consumer),
                    )
                )
            elif not isinstance(consumer, Snapshots):
                branches.append(self._branch(consumer, position))
        return Branch(kind, function, node.site, shift, tuple(exits), tuple(branches))


def _joins_aligned(node: Wide | Stateful) -> bool:
    return isinstance(node, Wide) and node.kind != "align" and placed_alike(node.inputs)
