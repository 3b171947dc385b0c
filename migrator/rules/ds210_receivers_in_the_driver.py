"""Receivers run in the driver.

## Why

Sockets and receivers of your own are read by threads of the driver, not by a task that holds an
executor's core. So the address must be reachable from the driver, and the storage level has no
effect. What was received survives a crash where there is a checkpoint directory. A receiver that
cannot start is tried again after the restart delay.

## What to do

Check that the driver's host may connect to the source: in cluster mode that is not the host you
submit from.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, method_of, once

RULE = Rule(
    "DS210",
    "receivers-run-in-the-driver",
    "Sockets and receivers are read in the driver process",
    Severity.INFO,
    Readiness.READY,
    differences=("D18", "D19", "D21"),
)

VALID = [
    """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
ssc.textFileStream(directory).pprint()
"""
]
INVALID = [Example(HEAD + "pairs.pprint()\n", lines=(3,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in once(module, project, _receivers):
        yield RULE.finding(
            module.source,
            method_of(module, call),
            f"{call.method} is read by the driver, not by an executor",
            "see that the driver's host can reach the source",
            confidence=call.confidence,
        )


def _receivers(module: Module) -> Iterator[Call]:
    yield from module.calls_of(Kind.CONTEXT, "socketTextStream", "receiverStream")
    for call in module.calls_of(Kind.UTILS, "createStream", "createPairedStream"):
        if call.owner in ("KinesisUtils", "MQTTUtils"):
            yield call
