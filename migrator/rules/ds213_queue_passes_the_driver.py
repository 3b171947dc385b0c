"""A queueStream takes its RDDs through the driver.

## Why

An RDD in the queue is computed when its batch time comes, and its elements are logged.
`foreachRDD` gets an RDD with the same elements and partitions, but not the very object that was
put into the queue: what was attached to it (a name, a cached state) is not there.

## What to do

Nothing in tests and trials, which is what a queueStream is for.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import note

RULE = Rule(
    "DS213",
    "queue-passes-the-driver",
    "The RDDs of a queueStream pass the driver",
    Severity.INFO,
    Readiness.READY,
    differences=("D22",),
)

_HEAD = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
"""

VALID = [_HEAD + "ssc.textFileStream(directory).pprint()\n"]
INVALID = [Example(_HEAD + "ssc.queueStream([[1, 2], [3]]).pprint()\n", lines=(3,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _queues,
        "the elements of a queue pass the driver, and its RDD objects are not handed out again",
        "nothing to do for small queues",
    )


def _queues(module: Module) -> Iterator[Call]:
    return module.calls_of(Kind.CONTEXT, "queueStream")
