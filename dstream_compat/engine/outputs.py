"""Running the output operations of a tick."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import Any, NamedTuple

from dstream_compat.base.durations import to_datetime
from dstream_compat.base.pyspark_internals import is_stopped
from dstream_compat.engine.abort import Abort
from dstream_compat.engine.evaluation import Evaluation
from dstream_compat.engine.rdds import WritingOver
from dstream_compat.engine.reports import Reports
from dstream_compat.engine.setup import JobSetup
from dstream_compat.engine.staged import StagedStreams
from dstream_compat.graph.nodes import Node, Output, is_void
from dstream_compat.stages.failures import shortened
from dstream_compat.stages.frames import Tick

_BATCH_TIME = "spark.streaming.internal.batchTime"
_OUTPUT_NUMBER = "spark.streaming.internal.outputOpId"

Job = tuple[Output, Any]


class Carried(NamedTuple):
    """What one phase of a tick hands to the next: RDDs by source, or why it failed."""

    rdds: dict[int, Any]
    failed: str = ""


class OutputRunner:
    """Runs the outputs that are due, phase by phase, tick by tick."""

    def __init__(self, setup: JobSetup, reports: Reports, abort: Abort) -> None:
        self._sc = setup.sc
        self._outputs = setup.outputs
        self._phases = setup.phases
        self._reports = reports
        self._abort = abort
        self._called: dict[int, int] = {}  # outputs called so far, by tick

    def run(
        self, tick: int, told: Tick, began_ms: int, streams: StagedStreams, failure: str
    ) -> Carried:
        """Run the outputs of one phase. A stream that has no RDD is not carried on."""
        if failure:
            return self._failed(tick, told, streams, failure)
        if told.failed:
            return self._carry_initial_states(tick, told, streams, told.failed)
        due, imports = self._due(tick, told), self._imports(tick, told)
        if not due and not imports:
            return Carried({})
        evaluation = Evaluation(tick, streams, lambda node: told.due(tick, node.slide_ms))
        try:
            # legacy: all transforms of a batch run before any of its outputs, and one that fails
            # takes the whole batch with it
            jobs = [(o, streams(o.node) or evaluation.consume(o.node)) for o in due]
            rdds = {n: streams(node) or evaluation.consume(node) for n, node in imports.items()}
        except BaseException:
            return self._failed(tick, told, streams, traceback.format_exc())
        if due:
            self._call_all(tick, began_ms, jobs)
        return Carried({source: rdd for source, rdd in rdds.items() if rdd is not None})

    def end(self, tick: int) -> None:
        """The last phase of a tick is over."""
        if self._called.pop(tick, None) is not None:
            self._reports.batch_ended(tick)

    def _due(self, tick: int, told: Tick) -> list[Output]:
        return [
            output
            for output in self._outputs
            if told.due(tick, output.node.slide_ms)
            and self._phases.phase_of.get(output.node, 0) == told.phase
            and not is_void(output.node)
        ]

    def _imports(self, tick: int, told: Tick) -> dict[int, Node]:
        """The streams that the next phase of a tick starts from."""
        into = self._phases.into(told.phase + 1).items()
        return {source.id: node for source, node in into if told.due(tick, node.slide_ms)}

    def _failed(self, tick: int, told: Tick, streams: StagedStreams, text: str) -> Carried:
        self._reports.failed(tick, text)
        return self._carry_initial_states(tick, told, streams, shortened(text))

    def _carry_initial_states(
        self, tick: int, told: Tick, streams: StagedStreams, failed: str
    ) -> Carried:
        """Initial states come once, so even a failed batch hands them on."""
        imports = self._imports(tick, told).items()
        rdds = {n: streams(node) for n, node in imports if node in self._phases.initials}
        return Carried({n: rdd for n, rdd in rdds.items() if rdd is not None}, failed)

    def _call_all(self, tick: int, began_ms: int, jobs: Sequence[Job]) -> None:
        if tick not in self._called:
            self._reports.batch_started(tick, began_ms)
        number = self._called.get(tick, 0)
        for output, rdd in jobs:
            if rdd is None:
                continue  # legacy: a transform returned no RDD, so the output is not called
            self._abort.check()
            self._reports.output_started(tick, number, output)
            error = self._call(output, number, tick, rdd)
            self._reports.output_ended(tick, number, output, error)
            number += 1
        self._called[tick] = number

    def _call(self, output: Output, number: int, tick: int, rdd: Any) -> str | None:
        """Call one output; the text of what it raised."""
        self._sc.setLocalProperty(_BATCH_TIME, str(tick))
        self._sc.setLocalProperty(_OUTPUT_NUMBER, str(number))
        try:
            with WritingOver(self._sc):
                output.function(to_datetime(tick), rdd)
            return None
        except BaseException:  # legacy: SystemExit, too, is just a failed job
            self._abort.check()
            return f"in {output.site}:\n{traceback.format_exc()}"
        finally:
            if not is_stopped(self._sc):  # unless the output stopped it
                self._sc.setLocalProperty(_BATCH_TIME, None)  # type: ignore[arg-type]
                self._sc.setLocalProperty(_OUTPUT_NUMBER, None)  # type: ignore[arg-type]
