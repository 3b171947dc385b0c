"""A receiver that stops itself stays stopped.

## Why

`Receiver.stop()` is final here, and what is stored afterwards is ignored. The tracker of the JVM's
engine started such a receiver again.

## What to do

To connect again, call `self.restart(…)` in the receiver.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import note

RULE = Rule(
    "DS215",
    "receiver-stays-stopped",
    "A receiver that stops itself is not started again",
    Severity.INFO,
    Readiness.READY,
    differences=("D20",),
)

_HEAD = """\
from dstream_compat import StreamingContext
ssc = StreamingContext(sc, 2)
"""

VALID = [_HEAD + 'ssc.socketTextStream("localhost", 9999).pprint()\n']
INVALID = [Example(_HEAD + "ssc.receiverStream(MyReceiver()).pprint()\n", lines=(3,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _receivers,
        "a receiver that calls its own stop() is not started again",
        "call restart() in it where it is to connect again",
    )


def _receivers(module: Module) -> Iterator[Call]:
    return module.calls_of(Kind.CONTEXT, "receiverStream")
