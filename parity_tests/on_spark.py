"""A graph that differs on Spark, alone and as small as time allows."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pyspark import SparkContext

from dstream_parity import Batches, ParityError, assert_parity
from dstream_parity.base import functions
from dstream_parity.base.pipelines import Pipeline


def explained(
    sc: SparkContext,
    pipeline: Pipeline,
    batches: Batches,
    *,
    together: int = 1,
    restarts: Collection[int] = (),
    seconds: float = 120.0,
) -> str:
    """Why a pipeline that differed among others differs alone, as small as time allows."""
    # as it was found: ticks that share a micro-batch, or a restart, have no level of their own
    live = pipeline.live and together == 1 and not restarts
    before: Any = functions.set_level if live else None
    try:
        assert_parity(
            pipeline,
            batches,
            sc=sc,
            together=together,
            restarts=restarts,
            before=before,
            repeat=True,
            shrink_seconds=seconds,
        )
    except ParityError as error:
        return str(error)
    return (
        f"It differs only together with other graphs, or not every time:\n{pipeline!r}\n{batches!r}"
    )
