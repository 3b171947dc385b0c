"""DataFrames in a job with a checkpoint directory.

## Why

`dataFrameStream` and `toDF` hold a live DataFrame of a session. A job that uses them starts with a
checkpoint directory but cannot be restored from it: that session is gone.

## What to do

Keep what has to be restored in a job without DataFrames, or let the native query read its source
itself, with its own checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model import api
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._notes import calls, either

RULE = Rule(
    "DS408",
    "dataframes-not-restored",
    "A job with dataFrameStream or toDF cannot be restored",
    Severity.WARNING,
    Readiness.DECIDE,
    message="a job with {method} cannot be restored from its checkpoint",
    help="keep what has to be restored in a job without DataFrames",
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
    for call in _frames(module, project):
        if any(at.has_calls(Kind.CONTEXT, *api.RESTORING) for at in project.modules_with(module)):
            yield RULE.at(module, call)


_frames = either(calls(Kind.CONTEXT, "dataFrameStream"), calls(Kind.STREAM, "toDF"))
