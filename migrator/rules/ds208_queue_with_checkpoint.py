"""A queueStream in a job with a checkpoint directory.

## Why

The RDDs of a queue are not part of a checkpoint. Such a job starts, but cannot be restored:
`getOrCreate` fails on the second start. Both engines do this.

## What to do

queueStream is for tests. Where a job is to be restored, read files, a socket or Kafka.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import is_checkpointed, method_of

RULE = Rule(
    "DS208",
    "queue-with-checkpoint",
    "A job with a queueStream cannot be restored from its checkpoint",
    Severity.INFO,
    Readiness.READY,
)

_HEAD = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
"""

VALID = [_HEAD + "ssc.queueStream([[1, 2], [3]]).pprint()\n"]
INVALID = [
    Example(
        _HEAD + "ssc.checkpoint(directory)\nssc.queueStream([[1, 2], [3]]).pprint()\n", lines=(4,)
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    queues = list(module.calls_of(Kind.CONTEXT, "queueStream"))
    if queues and is_checkpointed(project, module):
        for call in queues:
            yield RULE.finding(
                module.source,
                method_of(module, call),
                "a queue is not part of a checkpoint, so this job cannot be restored from it",
                "use another source where the job is to be restored",
                confidence=call.confidence,
            )
