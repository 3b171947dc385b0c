"""An output that does not look at its batch.

## Why

On the legacy engine nothing upstream of `foreachRDD(lambda rdd: None)` runs, because the result is
never asked for. Now the whole batch is computed before outputs are called.

## What to do

If the operators upstream are expensive and their result is not needed, attach the output to the
source instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project, Role
from migrator.rules._examples import HEAD
from migrator.rules._functions import names_read, positional

RULE = Rule(
    "DS316",
    "computed-unasked",
    "A batch is computed even if its output does not look at it",
    Severity.INFO,
    Readiness.READY,
    message="this output does not look at its RDD, but everything upstream of it is computed",
    help="if the operators in between are not needed, attach the output to the source",
    differences=("D02",),
)

VALID = [
    HEAD + "pairs.foreachRDD(lambda rdd: print(rdd.count()))\n",
    HEAD + "lines.foreachRDD(lambda time, rdd: print(time))\n",
]
INVALID = [Example(HEAD + "pairs.foreachRDD(lambda time, rdd: print(time))\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, "foreachRDD"):
        function, stream = call.function("func"), project.stream_of(call)
        if function is None or stream is None or function.node.args.vararg:
            continue
        names = positional(function.node)
        parents = [project.streams[number] for number in stream.parents]
        if not names or all(at.role is Role.SOURCE for at in parents):
            continue
        if names[-1] not in names_read(function.node):
            yield RULE.at(module, call)
