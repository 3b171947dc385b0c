"""checkpoint on a stream.

## Why

`stream.checkpoint(interval)` set how often an RDD is cut off from its lineage. State is now saved
with every batch, so the interval has no effect, except for `mapWithState`, where it sets how often
time-outs are checked. The interval is still validated at start: at least the stream's slide, and a
multiple of it. On a plain `window` the call makes the start fail, as it always did.

## What to do

Nothing; the call may stay, except on a plain `window`.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._examples import HEAD
from migrator.rules._notes import Note, calls

RULE = Note(
    "DS407",
    "stream-checkpoint",
    "The checkpoint interval of a stream has no effect",
    on=calls(Kind.STREAM, "checkpoint"),
    message="the checkpoint interval of a stream affects only the time-outs of mapWithState",
    help="nothing to do",
    differences=("D27",),
)

VALID = [HEAD + "ssc.checkpoint(directory)\npairs.pprint()\n"]
INVALID = [Example(HEAD + "pairs.checkpoint(10)\npairs.pprint()\n", lines=(5,))]
