"""What a context asks of the engine when it starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dstream_compat.engine.bus import ListenerBus
from dstream_compat.engine.reports import Reports
from dstream_compat.graph.nodes import Output, Source

if TYPE_CHECKING:
    from pyspark import SparkContext


@dataclass(frozen=True, eq=False)
class StartRequest:
    """What the user built and asked for.

    ``rebuild`` is None unless changed code continues from saved state; then it maps the names of
    operators to their old names. ``mark_stopped`` is called when the engine stops by itself.
    """

    sc: SparkContext
    interval_ms: int
    inputs: Sequence[Source]
    outputs: Sequence[Output]
    remember_ms: int | None
    checkpoint_dir: str | None
    restored: bool
    rebuild: Mapping[str, str | None] | None
    bus: ListenerBus
    reports: Sequence[Reports]
    mark_stopped: Callable[[], object]
