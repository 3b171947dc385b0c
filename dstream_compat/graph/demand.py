"""At which ticks a batch of an input is needed.

legacy: an input is asked for a batch only when an output needs one. If all windows on it leave gaps
(a length of one batch, a slide of three), a queue keeps what it would have given in a gap for
later, and files and Kafka's direct stream deliver it with the next batch that is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from dstream_compat.graph.nodes import Node, Source, Stateful, ancestors


class Demand:
    """What the outputs ``demanded`` need from their inputs."""

    def __init__(self, demanded: Sequence[Node]) -> None:
        self._outputs = set(demanded)
        self._consumers: dict[Node, list[Node]] = {}
        self._sources: dict[int, Source] = {}
        self._gaps = False
        for node in ancestors(list(demanded)):
            self._consumers[node] = []
            for parent in node.parents:
                self._consumers[parent].append(node)
            if isinstance(node, Source):
                self._sources[node.id] = node
            self._gaps |= _is_window(node) and node.window_ms < node.slide_ms

    def asks(self, source: int, since_zero: int) -> bool:
        """Whether a source's batch, so many ms after zero time, is needed now or later.

        >>> lines = Source("lines", 1000, 0, None)
        >>> window = Stateful("window", 3000, (lines,), "window", window_ms=1000)
        >>> [Demand([window]).asks(0, 1000 * n) for n in range(1, 7)]
        [False, False, True, False, False, True]
        """
        if not self._gaps:
            return True
        return self._asks(self._sources[source], since_zero, {})

    def _asks(self, node: Node, at: int, known: dict[tuple[Node, int], bool]) -> bool:
        if at % node.slide_ms:
            return False
        if isinstance(node, Stateful) and node.must_checkpoint:
            return True  # legacy: it needs its previous result, and so every one of them
        if (node, at) not in known:
            known[node, at] = node in self._outputs or any(
                self._is_asked_by(consumer, at, known) for consumer in self._consumers[node]
            )
        return known[node, at]

    def _is_asked_by(self, node: Node, at: int, known: dict[tuple[Node, int], bool]) -> bool:
        if _is_window(node):
            first = -(-at // node.slide_ms) * node.slide_ms
            due = range(first, at + node.window_ms, node.slide_ms)
            return any(self._asks(node, later, known) for later in due)
        return self._asks(node, at, known)


def _is_window(node: Node) -> TypeGuard[Stateful]:
    return isinstance(node, Stateful) and node.kind in ("window", "reduceWindow")
