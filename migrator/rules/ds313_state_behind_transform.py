"""State or a window behind a transform.

## Why

What follows a `transform` with state is a micro-batch of its own: it costs a second one per batch,
the RDD that the function returns passes the driver, and outputs behind it run last in their batch.
A `transform` that fails in front of them fails only them. Where it gives None before its first RDD,
outputs behind the state are called all the same, with the initial state or nothing.

## What to do

Where order between outputs matters, or batches are large, do without the `transform`: `map`,
`filter` and `join` with a stream keep everything in one micro-batch.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import HEAD, STATEFUL, TRANSFORMS, ancestors, made_by, method_of

RULE = Rule(
    "DS313",
    "state-behind-transform",
    "Outputs behind state behind a transform run last",
    Severity.INFO,
    Readiness.READY,
    differences=("D45", "D66"),
)

VALID = [HEAD + "pairs.updateStateByKey(f).transform(lambda rdd: rdd.sortByKey()).pprint()\n"]
INVALID = [
    Example(
        HEAD + "pairs.transform(lambda rdd: rdd.join(static)).updateStateByKey(f).pprint()\n",
        lines=(5,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, "window", *STATEFUL):
        stream = made_by(project, call)
        if stream is None:
            continue
        if not any(at.operation in TRANSFORMS for at in ancestors(project, stream)):
            continue
        yield RULE.finding(
            module.source,
            method_of(module, call),
            f"{call.method} behind a transform is a micro-batch of its own, and outputs behind it "
            "run last",
            "nothing to do, unless the order of outputs matters or batches are large",
            confidence=call.confidence,
        )
