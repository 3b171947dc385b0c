"""Everything about a job that is fixed before anything runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dstream_compat.base.pyspark_internals import setting
from dstream_compat.engine.request import StartRequest
from dstream_compat.graph.compiler import Plan, compile_graph
from dstream_compat.graph.demand import Demand
from dstream_compat.graph.nodes import Output
from dstream_compat.graph.phases import Phases, in_phases

if TYPE_CHECKING:
    from pyspark import SparkContext


@dataclass(frozen=True, eq=False)
class JobSetup:
    """``outputs`` and ``plan`` are of the graph in phases; ``slots`` is how many slots data has."""

    sc: SparkContext
    interval_ms: int
    remember_ms: int  # 0 unless the user asked for more
    slots: int
    demand: Demand
    phases: Phases
    outputs: tuple[Output, ...]
    plan: Plan

    def conf(self, key: str) -> str | None:
        """A setting of the SparkContext; looked up each time, as it may change."""
        return setting(self.sc, key)

    @property
    def stateful(self) -> bool:
        return any(stage.stateful for stage in self.plan.stages)

    @property
    def logged_sources(self) -> set[int]:
        """The sources whose batches are in the input log, those between phases included."""
        return {source.id for source in self.plan.sources if not source.external}


def set_up(request: StartRequest, slots: int) -> JobSetup:
    """Compile what the user built."""
    demanded = [output.node for output in request.outputs]
    phases = in_phases(demanded)
    outputs = tuple(replace(output, node=phases.nodes[output.node]) for output in request.outputs)
    nodes = [*(output.node for output in outputs), *phases.imports.values()]
    return JobSetup(
        sc=request.sc,
        interval_ms=request.interval_ms,
        remember_ms=request.remember_ms or 0,
        slots=slots,
        demand=Demand(demanded),
        phases=phases,
        outputs=outputs,
        plan=compile_graph(nodes, slots, phases),
    )
