"""The RDDs of a queueStream pass through the driver.

## Why

An RDD in the queue is computed at its batch time, and its elements are logged. `foreachRDD` gets an
RDD with the same elements and partitions, but not the very object that was put into the queue: its
name, whether it was cached and the like are lost.

## What to do

Nothing in tests and trials, which is what a queueStream is for.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._examples import CONTEXT
from migrator.rules._notes import Note, calls

RULE = Note(
    "DS213",
    "queue-passes-the-driver",
    "The RDDs of a queueStream pass through the driver",
    on=calls(Kind.CONTEXT, "queueStream"),
    message="a queue's elements pass through the driver, and outputs get new RDD objects",
    help="nothing to do if the queue is small",
    differences=("D22",),
)

VALID = [CONTEXT + "ssc.textFileStream(directory).pprint()\n"]
INVALID = [Example(CONTEXT + "ssc.queueStream([[1, 2], [3]]).pprint()\n", lines=(3,))]
