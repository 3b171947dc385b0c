"""One call that runs a pipeline on given batches, on any engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

from dstream_parity.base.outcomes import Batches, Before, Build, Outcomes, outputs_of

if TYPE_CHECKING:
    from pyspark import SparkContext

EngineName = Literal["legacy", "compat", "in-process"]
ENGINES: tuple[EngineName, ...] = ("legacy", "compat", "in-process")


def replay(
    pipeline: Build,
    batches: Batches,
    engine: EngineName = "compat",
    *,
    sc: SparkContext | None = None,
    interval: float = 1.0,
    together: int = 1,
    restarts: Collection[int] = (),
    before: Before | None = None,
    parallelism: int = 2,
    timeout: float = 180.0,
) -> Outcomes:
    """Run ``pipeline`` and return what each output did in each tick: ``outcomes[output][tick]``.

    ``pipeline(ssc, inputs)`` returns the DStreams to compare. ``batches[tick][input]`` is a list of
    partitions, each a list of elements; an empty list is an RDD without partitions. No time passes
    between ticks: the clock is moved by hand, ``interval`` seconds at a time.

    The engines: ``"legacy"`` is ``pyspark.streaming``; ``"compat"`` is dstream_compat on Structured
    Streaming, with ``together`` ticks per micro-batch; ``"in-process"`` runs the compiled stages
    without Spark, in milliseconds. After each number of ticks in ``restarts`` the job is stopped
    and restored from its checkpoint. ``before(tick)`` is called before each tick.

    The SparkContext is ``sc``, the active one, or a new local one; it is left running so that the
    next replay is quick. The in-process engine has none; ``parallelism`` stands for its
    ``defaultParallelism``.

    >>> replay(lambda ssc, i: [i[0].count()], [[[[1, 2], [3]]], [[]]], engine="in-process")
    [[Seen(partitions=((3,),)), Seen(partitions=((),))]]
    """
    __tracebackhide__ = True  # pytest would show the arguments: elements
    _check(batches, engine, together, restarts)

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        return outputs_of(pipeline, ssc, inputs)

    options: dict[str, Any] = {"interval": interval, "restarts": restarts, "before": before}
    if engine == "in-process":
        from dstream_parity.engines.in_process import replay_in_process

        return replay_in_process(
            build, batches, parallelism=parallelism, together=together, **options
        )
    options |= {"sc": sc or spark_context(), "timeout": timeout}
    _let_state_start(options["sc"])
    try:
        if engine == "legacy":
            from dstream_parity.engines.legacy import replay_legacy
            from dstream_parity.merged import Merged

            ticks_of = pipeline.ticks_of if isinstance(pipeline, Merged) else None
            return replay_legacy(build, batches, ticks_of=ticks_of, **options)
        from dstream_parity.engines.on_spark import replay_on_spark

        return replay_on_spark(build, batches, together=together, **options)
    except TimeoutError as error:
        from dstream_parity.base.pipelines import code_of

        raise TimeoutError(
            f'engine "{engine}": {error}; the pipeline:\n{code_of(pipeline)}'
        ) from error


def _check(batches: Batches, engine: str, together: int, restarts: Collection[int]) -> None:
    __tracebackhide__ = True
    if engine not in ENGINES:
        raise ValueError(f"unknown engine {engine!r}: use one of {', '.join(ENGINES)}")
    if not batches:
        raise ValueError("a replay needs at least one batch")
    widths = {len(tick) for tick in batches}
    if len(widths) > 1 or not all(widths):
        raise ValueError(
            "every tick in batches[tick][input] needs the same number of inputs, at least one; "
            f"here ticks have {', '.join(map(str, sorted(widths)))} inputs"
        )
    for tick in batches:
        for rdd in tick:
            if not isinstance(rdd, list) or not all(isinstance(part, list) for part in rdd):
                raise TypeError(
                    "batches[tick][input] must be a list of partitions, each a list of elements: "
                    "[[[[1, 2]]]] is one tick of one input with one partition"
                )
    if together < 1 or (together > 1 and engine == "legacy"):
        raise ValueError("the legacy engine runs one batch at a time: together must be 1")
    wrong = [number for number in restarts if not 0 < number < len(batches)]
    if wrong:
        raise ValueError(
            f"restarts must be numbers of ticks from 1 to {len(batches) - 1}, not {wrong[0]}"
        )


def _let_state_start(sc: SparkContext) -> None:
    """Streams with state refuse to start without a checkpoint directory."""
    if not sc._jsc.sc().getCheckpointDir().isDefined():
        sc.setCheckpointDir(os.path.join(sc._temp_dir, "checkpoints"))


def spark_context() -> SparkContext:
    """The active SparkContext, or a new local one."""
    try:
        from pyspark import SparkConf, SparkContext
    except ImportError as error:
        raise ImportError(
            "a replay on Spark needs pyspark and Java 17: pip install 'dstream-migrate[spark]'"
        ) from error
    if SparkContext._active_spark_context is not None:
        return SparkContext._active_spark_context
    # otherwise Spark takes the first python3 on the path
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    conf = SparkConf().setIfMissing("spark.master", "local[2]")
    conf.setIfMissing("spark.app.name", "parity").setIfMissing("spark.ui.enabled", "false")
    return SparkContext(conf=conf)
