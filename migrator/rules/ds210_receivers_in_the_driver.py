"""Receivers run in the driver.

## Why

Sockets and your own receivers are read by threads of the driver, not by a task that holds an
executor's core. So the address must be reachable from the driver, and the storage level has no
effect. With a checkpoint directory, received data survives a crash. A receiver that cannot start is
tried again after the restart delay.

## What to do

Check that the driver's host can connect to the source: in cluster mode that is not the host you
submit from.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._examples import HEAD
from migrator.rules._notes import Note, calls, either

RULE = Note(
    "DS210",
    "receivers-run-in-the-driver",
    "Sockets and receivers are read in the driver process",
    on=either(
        calls(Kind.CONTEXT, "socketTextStream", "receiverStream"),
        calls(
            Kind.UTILS,
            "createStream",
            "createPairedStream",
            owners=("KinesisUtils", "MQTTUtils"),
        ),
    ),
    message="{method} is read by the driver, not by an executor",
    help="check that the driver's host can reach the source",
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
