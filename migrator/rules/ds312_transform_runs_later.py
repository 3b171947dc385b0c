"""When transform functions run.

## Why

On the legacy engine a `transform` function runs when its batch's time comes, even while earlier
batches are still being processed. Here it runs when the batch is processed: behind all outputs of
earlier batches. One that raises no longer shifts parallel queues against each other. Listeners
hear of such batches when they start. The RDD it gets does not know that its keys are placed by
hash: a union of two such RDDs has the partitions of both, and a join shuffles.

## What to do

Nothing, unless the function talks to outputs through variables of the driver: it now sees what the
last batch's outputs left there.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, TRANSFORMS, note

RULE = Rule(
    "DS312",
    "transform-runs-later",
    "transform functions run when their batch is processed",
    Severity.INFO,
    Readiness.READY,
    differences=("D03", "D09", "D41", "D60"),
)

VALID = [HEAD + "pairs.reduceByKey(f).pprint()\n"]
INVALID = [Example(HEAD + "pairs.transform(lambda rdd: rdd.sortByKey()).pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _transforms,
        "the function of this {method} runs when its batch is processed, not when its time comes",
        "nothing to do, unless it talks to outputs through variables of the driver",
    )


def _transforms(module: Module) -> Iterator[Call]:
    for call in module.calls:
        if call.on in (Kind.STREAM, Kind.CONTEXT) and call.method in TRANSFORMS:
            yield call
