"""State or a window after a transform.

## Why

State that follows a `transform` runs as a micro-batch of its own: each batch takes a second one,
the RDD that the function returns passes through the driver, and outputs downstream run last in
their batch. If the `transform` fails, only those outputs fail. If it returns None before its first
RDD, outputs downstream of the state are called all the same, with the initial state or with
nothing.

## What to do

If the order of outputs matters, or batches are large, do without the `transform`: `map`, `filter`
and a `join` with a stream keep everything in one micro-batch.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model import api
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS313",
    "state-behind-transform",
    "Outputs of state that follows a transform run last",
    Severity.INFO,
    Readiness.READY,
    message="{method} after a transform is a micro-batch of its own, and outputs downstream of it "
    "run last",
    help="nothing to do, unless the order of outputs matters or batches are large",
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
    for call in module.calls_of(Kind.STREAM, "window", *api.STATEFUL):
        stream = project.stream_of(call)
        upstream = () if stream is None else project.ancestors(stream)
        if any(at.operation in api.TRANSFORMS for at in upstream):
            yield RULE.at(module, call)
