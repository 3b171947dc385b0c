"""DataFrames in a job with a checkpoint directory.

## Why

`dataFrameStream` and `toDF` hold a live DataFrame of a session. A job that uses them starts with a
checkpoint directory and cannot be restored from it: that session is gone.

## What to do

Keep the part that must be restored in a job without DataFrames, or let the native query read its
source by itself, with a checkpoint of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import jobs_of, method_of

RULE = Rule(
    "DS408",
    "dataframes-not-restored",
    "A job with dataFrameStream or toDF cannot be restored",
    Severity.WARNING,
    Readiness.DECIDE,
    differences=("D32",),
)

_HEAD = """\
from dstream_compat import StreamingContext
"""

VALID = [
    _HEAD + "ssc = StreamingContext(sc, 2)\nssc.dataFrameStream(df).pprint()\n",
]
INVALID = [
    Example(
        _HEAD
        + """\
def set_up():
    ssc = StreamingContext(sc, 2)
    ssc.dataFrameStream(df).pprint()
    return ssc
ssc = StreamingContext.getOrCreate(directory, set_up)
""",
        lines=(4,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    calls = [
        *module.calls_of(Kind.CONTEXT, "dataFrameStream"),
        *module.calls_of(Kind.STREAM, "toDF"),
    ]
    if not calls or not _restored(module, project):
        return
    for call in calls:
        yield RULE.finding(
            module.source,
            method_of(module, call),
            f"a job with {call.method} cannot be restored from its checkpoint",
            "keep what is to be restored in a job without DataFrames",
            confidence=call.confidence,
        )


def _restored(module: Module, project: Project) -> bool:
    return any(
        True
        for paths in jobs_of(module, project)
        for path in paths
        if path in project.modules
        for _ in project.modules[path].calls_of(Kind.CONTEXT, "getOrCreate", "getActiveOrCreate")
    )
