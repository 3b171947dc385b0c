"""When transform functions run.

## Why

On the legacy engine a `transform` function runs at its batch time, even while earlier batches are
still being processed. Now it runs when its batch is processed, after all outputs of earlier
batches. A function that raises no longer shifts parallel queues against each other. Listeners hear
of such batches when they start. The RDD that the function gets does not know that its keys are
partitioned by hash: a union of two such RDDs has the partitions of both, and a join shuffles.

## What to do

Nothing, unless the function exchanges values with outputs through variables of the driver: it now
sees what the outputs of the last batch left there.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example
from migrator.model import api
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._notes import Note


def _transforms(module: Module, project: Project) -> Iterator[Call]:
    for call in module.calls:
        if call.on in (Kind.STREAM, Kind.CONTEXT) and call.method in api.TRANSFORMS:
            yield call


RULE = Note(
    "DS312",
    "transform-runs-later",
    "transform functions run when their batch is processed",
    on=_transforms,
    message="the function of this {method} runs when its batch is processed, not at its batch time",
    help="nothing to do, unless it exchanges values with outputs through variables of the driver",
    differences=("D03", "D09", "D41", "D60"),
)

VALID = [HEAD + "pairs.reduceByKey(f).pprint()\n"]
INVALID = [Example(HEAD + "pairs.transform(lambda rdd: rdd.sortByKey()).pprint()\n", lines=(5,))]
