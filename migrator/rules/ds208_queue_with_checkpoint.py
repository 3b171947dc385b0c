"""A queueStream in a job with a checkpoint directory.

## Why

The RDDs of a queue are not part of a checkpoint. Such a job starts, but cannot be restored:
`getOrCreate` fails on the second start, on both engines.

## What to do

queueStream is for tests. If the job has to be restored, read files, a socket or Kafka.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import CONTEXT

RULE = Rule(
    "DS208",
    "queue-with-checkpoint",
    "A job with a queueStream cannot be restored from its checkpoint",
    Severity.INFO,
    Readiness.READY,
    message="a queue is not part of a checkpoint, so this job cannot be restored from it",
    help="use another source if the job has to be restored",
)

VALID = [CONTEXT + "ssc.queueStream([[1, 2], [3]]).pprint()\n"]
INVALID = [
    Example(
        CONTEXT + "ssc.checkpoint(directory)\nssc.queueStream([[1, 2], [3]]).pprint()\n", lines=(4,)
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    queues = list(module.calls_of(Kind.CONTEXT, "queueStream"))
    if queues and project.is_checkpointed(module):
        for call in queues:
            yield RULE.at(module, call)
