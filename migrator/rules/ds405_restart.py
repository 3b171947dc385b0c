"""What is run again after a restart.

## Why

After every restart, even after a graceful stop, the legacy engine runs the last checkpointed batch
again, and batches that had failed. Now a batch is repeated only if the driver died between its
outputs and its commit, and a failed batch is over. Missed batches are made up for one by one, as
before.

## What to do

Outputs that had to tolerate repetition still have to, only less often. If a failed batch must not
be skipped, set `spark.dstream_compat.stopOnError`. A job that is started by plain `python` without
a master continues with the master it was saved with, not with `local[*]`.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model import api
from migrator.model.jobmodel import Kind
from migrator.rules._notes import Note, calls

RULE = Note(
    "DS405",
    "restart",
    "After a restart neither the last batch nor a failed one is run again",
    on=calls(Kind.CONTEXT, *api.RESTORING),
    message="after a restart neither the last committed batch nor a failed one is run again",
    help="nothing to do; spark.dstream_compat.stopOnError stops the job at a failed batch",
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
