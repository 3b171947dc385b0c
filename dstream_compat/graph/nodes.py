"""What a user's calls build: small frozen nodes, each with the place in the job that made it.

Nodes are compared by identity: two equal calls still make two streams.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import FrameType
from typing import Any

PORTABLE = 0  # stands for the identity of portable_hash, the placement of all keyed operators
_OURS = ("dstream_compat", "dstream_parity")  # what calls on a user's behalf


def call_site(operator: str) -> str:
    """``operator at file:line`` for the innermost caller outside our packages."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame):
        frame = frame.f_back
    return f"{operator} at {os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] in _OURS


@dataclass(eq=False)
class Marks:
    """What a user may still set on a stream after it was made."""

    storage_level: Any = None
    checkpoint_ms: int | None = None
    name: str | None = None  # by which a rebuilt job finds its state
    ranges_of: int | None = None  # the source whose Kafka offsets its RDDs know

    @property
    def kept(self) -> bool:
        """legacy: a cached or checkpointed stream is computed once, not once per consumer."""
        return self.storage_level is not None or self.checkpoint_ms is not None


@dataclass(frozen=True, eq=False)
class Node:
    """A stream. ``slide_ms`` is how often it has a batch."""

    site: str
    slide_ms: int
    marks: Marks = field(default_factory=Marks, kw_only=True)

    @property
    def parents(self) -> tuple[Node, ...]:
        return ()

    @cached_property
    def partitioner(self) -> tuple[int, int] | None:
        """What places its elements: (partitions, identity of the function), or None."""
        return None


@dataclass(frozen=True, eq=False)
class Source(Node):
    """An input stream. ``spec`` says what to read; the engine makes its driver side from that.

    ``external``: Spark reads it itself, beside the input log. ``placed``: its partitioner, if its
    elements are placed already.
    """

    id: int
    spec: Any
    external: bool = False
    placed: tuple[int, int] | None = None

    @cached_property
    def partitioner(self) -> tuple[int, int] | None:
        return self.placed


@dataclass(frozen=True, eq=False)
class Narrow(Node):
    """An operator that keeps partitions apart: map, filter, glom … See ``operators.narrow``."""

    parent: Node
    kind: str
    function: Callable[..., Any] | None = None
    preserves: bool = False

    @property
    def parents(self) -> tuple[Node, ...]:
        return (self.parent,)

    @cached_property
    def partitioner(self) -> tuple[int, int] | None:
        return self.parent.partitioner if self.preserves else None


@dataclass(frozen=True, eq=False)
class Wide(Node):
    """An operator that moves elements between partitions (see ``operators.wide``)."""

    inputs: tuple[Node, ...]
    kind: str
    partitions: int
    functions: tuple[Callable[..., Any], ...] = ()

    @property
    def parents(self) -> tuple[Node, ...]:
        return self.inputs

    @cached_property
    def partitioner(self) -> tuple[int, int] | None:
        if self.kind == "repartition":
            return None
        if self.kind == "align":
            return self.inputs[0].partitioner
        return self.partitions, id(self.functions[0]) if self.kind == "partitionBy" else PORTABLE


@dataclass(frozen=True, eq=False)
class Union(Node):
    """The partitions of all inputs, one after the other. ``fills``: see :class:`Transform`."""

    inputs: tuple[Node, ...]
    fills: bool = False

    @property
    def parents(self) -> tuple[Node, ...]:
        return self.inputs


def placed_alike(inputs: tuple[Node, ...]) -> bool:
    """Whether several streams have their keys in the same partitions."""
    placed = inputs[0].partitioner
    alike = all(node.partitioner == placed for node in inputs)
    return placed is not None and len(inputs) > 1 and alike


def union_of(site: str, inputs: tuple[Node, ...], fills: bool = False) -> Node:
    """The union of some streams.

    legacy: inputs that are all placed alike are united partition by partition, not end to end.
    """
    placed = inputs[0].partitioner
    if placed is not None and placed_alike(inputs):
        return Wide(site, inputs[0].slide_ms, inputs, "align", placed[0])
    return Union(site, inputs[0].slide_ms, inputs, fills)


@dataclass(frozen=True, eq=False)
class Transform(Node):
    """A user's function on RDDs, run in the driver: ``function(time, [rdd, …]) -> rdd``.

    ``folds``: the legacy engine would merge it into its chain. ``fills``: an input without an RDD
    at a tick counts as empty, and does not fail the batch.
    """

    inputs: tuple[Node, ...]
    function: Callable[..., Any]
    folds: bool = True
    fills: bool = False

    @property
    def parents(self) -> tuple[Node, ...]:
        return self.inputs


@dataclass(frozen=True, eq=False)
class Stateful(Node):
    """An operator that remembers earlier batches (``operators.windows``, ``.stateful``).

    ``inputs`` are the data and, if there is one, the initial state. A keyed operator has its own
    ``partitions``; a plain window has those of all batches that it covers.
    """

    inputs: tuple[Node, ...]
    kind: str
    partitions: int = 0
    functions: tuple[Callable[..., Any], ...] = ()
    window_ms: int = 0
    timeout_ms: int | None = None
    must_checkpoint: bool = True

    @property
    def parents(self) -> tuple[Node, ...]:
        return self.inputs

    @cached_property
    def partitioner(self) -> tuple[int, int] | None:
        if self.kind == "window":
            return self.inputs[0].partitioner
        return None if self.kind == "mapWithState" else (self.partitions, PORTABLE)


@dataclass(frozen=True, eq=False)
class Snapshots(Node):
    """All of a mapWithState's state after each batch."""

    parent: Stateful

    @property
    def parents(self) -> tuple[Node, ...]:
        return (self.parent,)


@dataclass(frozen=True, eq=False)
class Output:
    """An output operation: ``function(time, rdd)`` for every batch of ``node``."""

    site: str
    node: Node
    function: Callable[..., Any]
    printed: int | None = None  # pprint's number of elements: served without an RDD


def has_state(node: Node) -> bool:
    """Whether a stream depends on more than the batch at hand."""
    return any(isinstance(ancestor, Stateful) for ancestor in ancestors([node]))


def is_void(node: Node) -> bool:
    """legacy: what follows a window of length zero with an inverse function never has an RDD."""
    if isinstance(node, Stateful) and node.kind == "reduceWindow":
        return node.window_ms == 0 and len(node.functions) > 1
    follows = isinstance(node, (Narrow, Wide)) or getattr(node, "kind", None) == "updateState"
    return follows and len(node.parents) == 1 and is_void(node.parents[0])


def ancestors(nodes: list[Node]) -> Iterator[Node]:
    """All nodes that ``nodes`` depend on, themselves included, parents before children."""
    seen: set[int] = set()
    stack: list[tuple[Node, bool]] = [(node, False) for node in reversed(nodes)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((parent, False) for parent in reversed(node.parents))
