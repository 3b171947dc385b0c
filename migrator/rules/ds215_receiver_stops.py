"""A receiver that stops itself stays stopped.

## Why

`Receiver.stop()` is final, and anything stored after it is ignored. The JVM's engine started such a
receiver again.

## What to do

To connect again, call `self.restart(…)` in the receiver.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._notes import Note, calls

RULE = Note(
    "DS215",
    "receiver-stays-stopped",
    "A receiver that stops itself is not started again",
    on=calls(Kind.CONTEXT, "receiverStream"),
    message="a receiver that calls its own stop() is not started again",
    help="if it should connect again, call restart() instead",
    differences=("D20",),
)

_HEAD = """\
from dstream_compat import StreamingContext
ssc = StreamingContext(sc, 2)
"""

VALID = [_HEAD + 'ssc.socketTextStream("localhost", 9999).pprint()\n']
INVALID = [Example(_HEAD + "ssc.receiverStream(MyReceiver()).pprint()\n", lines=(3,))]
