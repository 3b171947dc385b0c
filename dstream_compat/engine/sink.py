"""The end of the query: runs the outputs of a micro-batch, tick by tick."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from pyspark.sql import DataFrame

from dstream_compat.engine.abort import Abort
from dstream_compat.engine.materialise import Materialiser, MicroBatch
from dstream_compat.engine.outputs import Carried, OutputRunner
from dstream_compat.engine.rdds import heavy_rdd
from dstream_compat.engine.reports import Reports
from dstream_compat.engine.setup import JobSetup
from dstream_compat.engine.slicing import Remembered
from dstream_compat.engine.staged import StagedStreams
from dstream_compat.stages.frames import Tick
from dstream_compat.stages.partitions import Batch

HandOver = Callable[[int, int, dict[int, Any], str], None]
PhaseOfTick = tuple[int, int]


class Sink:
    """Takes a micro-batch from the query. ``hand_over`` logs what the next phase starts from;
    ``logged`` gives what a source had at a tick."""

    def __init__(
        self,
        setup: JobSetup,
        materialiser: Materialiser,
        outputs: OutputRunner,
        remembered: Remembered,
        reports: Reports,
        abort: Abort,
        hand_over: HandOver,
        logged: Callable[[int, int], Batch | None],
    ) -> None:
        self._setup = setup
        self._materialiser = materialiser
        self._outputs = outputs
        self._remembered = remembered
        self._reports = reports
        self._abort = abort
        self._hand_over = hand_over
        self._logged = logged

    def run(self, df: DataFrame) -> PhaseOfTick | None:
        """Run a micro-batch; the last tick in it, and which phase of it that was."""
        done: PhaseOfTick | None = None
        with self._abort.watching():
            began = _now()
            with self._materialiser.micro_batch(df) as batch:
                for tick, told in batch.ticks.items():
                    self._abort.check()
                    self._tick(batch, tick, told, began)
                    done = tick, told.phase
                    began = _now()
        return done

    def _tick(self, batch: MicroBatch, tick: int, told: Tick, began_ms: int) -> None:
        """The steps of a tick, or of one phase of it, once the executors are done with it."""
        streams = self._streams(batch, tick, told)
        carried = self._outputs.run(tick, told, began_ms, streams, batch.failure)
        self._pass_on(tick, told.phase, carried)
        self._remembered.keep(tick, streams)
        streams.settle()

    def _streams(self, batch: MicroBatch, tick: int, told: Tick) -> StagedStreams:
        return StagedStreams(
            self._setup.sc,
            self._setup.plan,
            tick,
            told.counts,
            batch.frames,
            self._logged,
            lambda node: told.due(tick, node.slide_ms),
            partial(heavy_rdd, batch.df),
        )

    def _pass_on(self, tick: int, phase: int, carried: Carried) -> None:
        """A phase of a tick is over: start the next one, if there is one."""
        last = phase >= self._setup.phases.last
        if last:
            self._outputs.end(tick)
        else:
            self._hand_over(tick, phase + 1, carried.rdds, carried.failed)
        self._reports.passed(tick, phase, last)


def _now() -> int:
    return int(time.time() * 1000)
