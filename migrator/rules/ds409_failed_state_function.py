"""When a state function fails.

## Why

If the function of `updateStateByKey` raises, the legacy engine computes that batch's state again
for every later batch, so all of them fail, even after a restart. Now the batch fails, the state of
the partition where it happened stays as it was, and later batches continue. The data of the failed
batch is missing from that state.

## What to do

If no data may be missing from the state, set `spark.dstream_compat.stopOnError`: the first error
stops the job.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._examples import HEAD
from migrator.rules._notes import Note, calls

RULE = Note(
    "DS409",
    "failed-state-function",
    "A state function that fails no longer fails all later batches",
    on=calls(Kind.STREAM, "updateStateByKey"),
    message="if the function of {method} fails, later batches continue without that batch's data",
    help="if no data may be missing from the state, set spark.dstream_compat.stopOnError",
    differences=("D44",),
)

VALID = [HEAD + "pairs.reduceByKey(f).pprint()\n"]
INVALID = [Example(HEAD + "pairs.updateStateByKey(f).pprint()\n", lines=(5,))]
