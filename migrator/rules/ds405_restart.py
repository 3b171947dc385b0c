"""What is run again after a restart.

## Why

The legacy engine runs the last checkpointed batch again after every restart, also after a graceful
stop, and batches that had failed. Here a batch is repeated only if the driver died between its
outputs and its commit, and a failed batch is over. Batches that were missed are made up for one by
one, as before.

## What to do

Outputs that had to bear repetition still have to, only less often. If a failed batch must not be
passed over, set `spark.dstream_compat.stopOnError`. A job that is started by plain `python` goes on
with the master it was saved with where none is named, not with `local[*]`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import note

RULE = Rule(
    "DS405",
    "restart",
    "After a restart neither the last nor a failed batch is run again",
    Severity.INFO,
    Readiness.READY,
    differences=("D08", "D29", "D65"),
)

VALID = [
    """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
ssc.checkpoint(directory)
"""
]
INVALID = [
    Example(
        """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext.getOrCreate(directory, set_up)
""",
        lines=(2,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _restored,
        "after a restart neither the last committed batch nor a failed one is run again",
        "nothing to do; spark.dstream_compat.stopOnError stops the job at a failed batch",
    )


def _restored(module: Module) -> Iterator[Call]:
    return module.calls_of(Kind.CONTEXT, "getOrCreate", "getActiveOrCreate")
