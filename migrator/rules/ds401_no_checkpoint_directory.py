"""State without a checkpoint directory.

## Why

`updateStateByKey` and windows with an inverse function need a checkpoint directory. Without one
`start()` fails: "The checkpoint directory has not been set". Both engines do this.

## What to do

Call `ssc.checkpoint("/path/of/this/job")` before `start()`, with a directory that no other job
uses. If the directory is set by `spark.streaming.checkpoint.directory` on the command line, ignore
this finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._notes import calls, either

RULE = Rule(
    "DS401",
    "no-checkpoint-directory",
    "State needs a checkpoint directory",
    Severity.ERROR,
    Readiness.DECIDE,
    message="{method} needs a checkpoint directory, and none is set",
    help="call ssc.checkpoint(…) before start(), with a directory that no other job uses",
)
_SET_OTHERWISE = ("setCheckpointDir", "spark.streaming.checkpoint.directory")

VALID = [
    HEAD + "ssc.checkpoint(directory)\npairs.updateStateByKey(f).pprint()\n",
    HEAD + "pairs.reduceByKeyAndWindow(f, None, 4).pprint()\n",
]
INVALID = [Example(HEAD + "pairs.updateStateByKey(f).pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    if next(iter(_stateful(module, project)), None) is None or project.is_checkpointed(module):
        return
    for paths in project.jobs_of(module):
        job = project.modules_at(paths)
        if not any(at.has_calls(Kind.CONTEXT, "__init__") for at in job):
            return  # the context is made, and perhaps given its directory, elsewhere
        if any(name in at.source.text for at in job for name in _SET_OTHERWISE):
            return
    for call in project.first(module, _stateful):
        yield RULE.at(module, call, confidence=Confidence.LIKELY)


_stateful = either(
    calls(
        Kind.STREAM,
        "updateStateByKey",
        "mapWithState",
        "countByWindow",
        "countByValueAndWindow",
        "groupByKeyAndWindow",
    ),
    calls(
        Kind.STREAM,
        "reduceByKeyAndWindow",
        "reduceByWindow",
        given=("invFunc", "invReduceFunc"),
    ),
)
