"""stop() inside a batch function.

## Why

An output cannot wait for its own end, so `stop()` returns at once, and the context stops when the
output is done; no other output runs after it. On the legacy engine the call takes the two seconds
of a stop, and a graceful one waits for itself, up to an hour.

## What to do

Nothing for a plain `stop()`. With `stopGraceFully=True`, waiting data gets only two more seconds.
If everything received must be processed, set an event in the batch and stop from the main thread.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._literals import is_true

RULE = Rule(
    "DS604",
    "stop-in-a-batch",
    "stop() inside a batch function returns at once",
    Severity.INFO,
    Readiness.READY,
    message="stop() inside {in_batch} returns at once, and the context stops when the output is "
    "done",
    help="nothing to do",
    differences=("D34",),
)

VALID = [HEAD + "pairs.pprint()\nssc.start()\nssc.stop()\n"]
INVALID = [
    Example(
        HEAD + "pairs.foreachRDD(lambda rdd: ssc.stop() if rdd.isEmpty() else None)\n", lines=(5,)
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.CONTEXT, "stop"):
        if call.in_batch is None:
            continue
        if is_true(call.given("stopGraceFully")):
            yield RULE.at(
                module,
                call,
                message=RULE.message + ", without waiting for everything received",
                help="set an event in the batch and stop gracefully from the main thread",
                severity=Severity.WARNING,
                readiness=Readiness.DECIDE,
            )
        else:
            yield RULE.at(module, call)
