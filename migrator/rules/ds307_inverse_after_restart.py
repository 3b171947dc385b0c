"""Windows with an inverse function, and restarts.

## Why

When the legacy engine restarts from its checkpoint, `reduceByKeyAndWindow`, `countByWindow` and the
like have lost their inverse function. Every window is then reduced from scratch, so keys that had
stayed with 0 or an empty list suddenly vanish. Now a window continues as if nothing had happened.

## What to do

Nothing. To drop keys whose values have all left the window, pass `filterFunc`.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._examples import HEAD
from migrator.rules._notes import Note, calls, either

RULE = Note(
    "DS307",
    "inverse-window-after-restart",
    "A restart no longer changes windows with an inverse function",
    on=either(
        calls(Kind.STREAM, "countByWindow", "countByValueAndWindow", "groupByKeyAndWindow"),
        calls(
            Kind.STREAM,
            "reduceByKeyAndWindow",
            "reduceByWindow",
            given=("invFunc", "invReduceFunc"),
        ),
    ),
    message="{method} keeps its inverse function over a restart; the legacy engine loses it",
    help="nothing to do; filterFunc drops keys whose values have all left the window",
    differences=("D43",),
)

VALID = [
    HEAD + "pairs.reduceByKeyAndWindow(f, None, 20, 2).pprint()\n",
    HEAD + "pairs.window(20, 2).pprint()\n",
]
INVALID = [
    Example(HEAD + "pairs.reduceByKeyAndWindow(f, inverse, 20, 2).pprint()\n", lines=(5,)),
    Example(HEAD + "lines.countByWindow(20, 2).pprint()\n", lines=(5,)),
]
