"""stop() inside a batch function.

## Why

An output cannot wait for its own end, so `stop()` only asks: it returns at once, and the context
stops when the output is through; no other output runs after it. On the legacy engine the call
takes the two seconds of a stop, and a graceful one waits for itself, up to an hour.

## What to do

Nothing for a plain `stop()`. With `stopGraceFully=True`, what is waiting gets two more seconds;
where everything received must be processed, set an event in the batch and stop from the main
thread.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import HEAD, given, is_true, method_of

RULE = Rule(
    "DS604",
    "stop-in-a-batch",
    "stop() inside a batch function only asks",
    Severity.INFO,
    Readiness.READY,
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
        graceful = is_true(given(call, "stopGraceFully"))
        yield RULE.finding(
            module.source,
            method_of(module, call),
            f"stop() inside {call.in_batch} returns at once, and the context stops when the "
            "output is through"
            + (", without waiting for all that was received" if graceful else ""),
            "set an event in the batch and stop gracefully from the main thread"
            if graceful
            else "nothing to do",
            severity=Severity.WARNING if graceful else None,
            readiness=Readiness.DECIDE if graceful else None,
            confidence=call.confidence,
        )
