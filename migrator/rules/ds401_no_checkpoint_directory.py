"""State without a checkpoint directory.

## Why

`updateStateByKey` and windows with an inverse function need a checkpoint directory. Without one
`start()` fails: "The checkpoint directory has not been set". Both engines do this.

## What to do

Call `ssc.checkpoint("/a/directory/of/its/own")` before `start()`. If the directory comes from
`spark.streaming.checkpoint.directory` on the command line, this finding can be ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, at_most, given, is_checkpointed, jobs_of, method_of, once

RULE = Rule(
    "DS401",
    "no-checkpoint-directory",
    "State needs a checkpoint directory",
    Severity.ERROR,
    Readiness.DECIDE,
)

_ALWAYS = (
    "updateStateByKey",
    "mapWithState",
    "countByWindow",
    "countByValueAndWindow",
    "groupByKeyAndWindow",
)
_SET_OTHERWISE = ("setCheckpointDir", "spark.streaming.checkpoint.directory")

VALID = [
    HEAD + "ssc.checkpoint(directory)\npairs.updateStateByKey(f).pprint()\n",
    HEAD + "pairs.reduceByKeyAndWindow(f, None, 4).pprint()\n",
]
INVALID = [Example(HEAD + "pairs.updateStateByKey(f).pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    if next(_stateful(module), None) is None or is_checkpointed(project, module):
        return
    for paths in jobs_of(module, project):
        job = [project.modules[path] for path in paths if path in project.modules]
        if not any(True for at in job for _ in at.calls_of(Kind.CONTEXT, "__init__")):
            return  # the context is made, and perhaps given its directory, elsewhere
        if any(name in at.source.text for at in job for name in _SET_OTHERWISE):
            return
    for call in once(module, project, _stateful):
        yield RULE.finding(
            module.source,
            method_of(module, call),
            f"{call.method} needs a checkpoint directory, and none is set",
            "call ssc.checkpoint(…) with a directory of its own before start()",
            confidence=at_most(call.confidence, Confidence.LIKELY),
        )


def _stateful(module: Module) -> Iterator[Call]:
    for call in module.calls_of(Kind.STREAM):
        if (
            call.method in _ALWAYS
            or (call.method == "reduceByKeyAndWindow" and given(call, "invFunc") is not None)
            or (call.method == "reduceByWindow" and given(call, "invReduceFunc") is not None)
        ):
            yield call
