"""State after a ``transform``: a graph is cut where the driver's RDDs go back into the stages.

``transform`` runs in the driver when the stages of a batch are done. What follows it without state
is computed on RDDs right there. What follows with state needs the stages again, in a second *phase*
of the same tick: the RDD becomes another input, logged by the sink. Without state after a transform
there is one phase, and the graph stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dstream_compat.graph.nodes import (
    Narrow,
    Node,
    Snapshots,
    Source,
    Stateful,
    Transform,
    ancestors,
)

FIRST_IMPORT = 20_000  # imports are numbered after inputs and initial states


@dataclass(frozen=True)
class Phases:
    """A graph in phases: ``nodes`` maps the user's nodes to those that take their place.

    ``imports`` are sources of a phase that stand for a stream of the phase before it; ``initials``
    are initial states, with what stands for them.
    """

    nodes: Mapping[Node, Node]
    phase_of: Mapping[Node, int]
    imports: Mapping[Source, Node] = field(default_factory=dict)
    last: int = 0
    initials: frozenset[Node] = frozenset()

    def into(self, phase: int) -> dict[Source, Node]:
        """What the sink logs when the phase before ``phase`` is done."""
        return {s: node for s, node in self.imports.items() if self.phase_of[s] == phase}


def in_phases(demanded: Sequence[Node]) -> Phases:
    """Cut the graph under ``demanded``."""
    return _Cutter(demanded).phases


class _Cutter:
    def __init__(self, demanded: Sequence[Node]) -> None:
        self._nodes: dict[Node, Node] = {}
        self._phase: dict[Node, int] = {}
        self._on_driver: set[Node] = set()
        self._imports: dict[tuple[Node, int], Source] = {}
        for node in ancestors(list(demanded)):
            self._add(node)
        imports = {source: node for (node, _), source in self._imports.items()}
        last = max(self._phase.values(), default=0)
        initials = frozenset(_initials(self._phase, imports))
        self.phases = Phases(self._nodes, self._phase, imports, last, initials)

    def _add(self, node: Node) -> None:
        parents = [self._nodes[parent] for parent in node.parents]
        phase = max((self._phase[parent] for parent in parents), default=0)
        from_driver = any(
            parent in self._on_driver and self._phase[parent] == phase for parent in parents
        )
        if isinstance(node, Stateful) and from_driver:
            phase += 1
            from_driver = False
        inputs = tuple(self._carried(parent, phase) for parent in parents)
        new = node if inputs == node.parents else _with_inputs(node, inputs)
        self._nodes[node] = new
        self._phase[new] = phase
        if isinstance(node, Transform) or from_driver:
            self._on_driver.add(new)

    def _carried(self, node: Node, phase: int) -> Node:
        """``node`` as a stream of ``phase``."""
        if self._phase[node] == phase:
            return node
        before = self._carried(node, phase - 1)
        if (before, phase) not in self._imports:
            number = FIRST_IMPORT + len(self._imports)
            source = Source(
                node.site, node.slide_ms, number, None, placed=node.partitioner, marks=node.marks
            )
            self._imports[before, phase] = source
            self._phase[source] = phase
        return self._imports[before, phase]


def _initials(nodes: Iterable[Node], imports: Mapping[Source, Node]) -> Iterator[Node]:
    for node in nodes:
        if isinstance(node, Stateful) and len(node.inputs) > 1:
            initial = node.inputs[1]
            yield initial
            while isinstance(initial, Source) and initial in imports:
                initial = imports[initial]
                yield initial


def _with_inputs(node: Node, inputs: tuple[Node, ...]) -> Node:
    if isinstance(node, (Narrow, Snapshots)):
        return replace(node, parent=inputs[0])  # type: ignore[arg-type]
    return replace(node, inputs=inputs)  # type: ignore[call-arg]
