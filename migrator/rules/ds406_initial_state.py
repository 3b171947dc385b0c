"""Initial state passes through the driver.

## Why

`initialRDD` and `StateSpec.initialState` are collected when the context starts or in its first
batch, and kept with the checkpoint, so that a crash cannot lose them. A job that has one can be
restarted at any time; on the legacy engine it could not be restarted before its state was
checkpointed for the first time.

## What to do

Nothing if the state fits into the driver's memory.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._examples import HEAD
from migrator.rules._notes import Note, calls, either

RULE = Note(
    "DS406",
    "initial-state",
    "Initial state is collected in the driver",
    on=either(
        calls(Kind.STATE_SPEC, "initialState"),
        calls(Kind.STREAM, "updateStateByKey", given=("initialRDD",)),
    ),
    message="the initial state is collected in the driver once",
    help="nothing to do if it fits into the driver's memory",
    differences=("D46", "D61"),
)

VALID = [HEAD + "ssc.checkpoint(directory)\npairs.updateStateByKey(f).pprint()\n"]
INVALID = [
    Example(
        HEAD + "ssc.checkpoint(directory)\npairs.updateStateByKey(f, initialRDD=before).pprint()\n",
        lines=(6,),
    )
]
