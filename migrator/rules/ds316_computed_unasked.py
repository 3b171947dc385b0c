"""An output that does not look at its batch.

## Why

On the legacy engine nothing in front of `foreachRDD(lambda rdd: None)` runs, because nobody asks
for the result. Here the whole batch is computed before outputs are called.

## What to do

If the operators in front are dear and nobody needs their result, take the output off the source
instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project, Role
from migrator.rules._support import HEAD, function_of, made_by, method_of, names_read, positional

RULE = Rule(
    "DS316",
    "computed-unasked",
    "A batch is computed even if its output does not look at it",
    Severity.INFO,
    Readiness.READY,
    differences=("D02",),
)

VALID = [
    HEAD + "pairs.foreachRDD(lambda rdd: print(rdd.count()))\n",
    HEAD + "lines.foreachRDD(lambda time, rdd: print(time))\n",
]
INVALID = [Example(HEAD + "pairs.foreachRDD(lambda time, rdd: print(time))\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, "foreachRDD"):
        function, stream = function_of(call, "func"), made_by(project, call)
        if function is None or stream is None or function.node.args.vararg:
            continue
        names = positional(function.node)
        behind = [project.streams[number] for number in stream.parents]
        if not names or all(at.role is Role.SOURCE for at in behind):
            continue
        if names[-1] in names_read(function.node):
            continue
        yield RULE.finding(
            module.source,
            method_of(module, call),
            "this output does not look at its RDD, and what is in front of it is computed anyway",
            "take the output off the source if nobody needs the operators in between",
            confidence=call.confidence,
        )
