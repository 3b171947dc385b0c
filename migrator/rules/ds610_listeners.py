"""What listeners see.

## Why

Listeners get the same events in the same order. But outputs are named by their line (`pprint at
job.py:12`), receivers run on `driver`, and in jobs with a `transform`, `onBatchSubmitted` comes
together with `onBatchStarted`.

## What to do

If the listener compares names of outputs or the executors of receivers, adapt it.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._examples import HEAD
from migrator.rules._notes import Note, calls

RULE = Note(
    "DS610",
    "listeners",
    "Listeners see other names of outputs",
    on=calls(Kind.CONTEXT, "addStreamingListener"),
    message="listeners see outputs named by their line, and receivers on the driver",
    help="check what the listener compares",
    differences=("D40", "D41"),
)

VALID = [HEAD + "pairs.pprint()\nssc.start()\n"]
INVALID = [Example(HEAD + "ssc.addStreamingListener(listener)\n", lines=(5,))]
