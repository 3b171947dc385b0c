"""Workers that die, and tasks that are tried again.

## Why

When a worker process dies (`os._exit`, out of memory), all outputs of that batch fail, not only
those whose job lost the worker. A Python exception in a function is not tried again, whatever
`spark.task.maxFailures` says; tasks lost with an executor still are.

## What to do

Catch what may pass by itself (a time-out of a service) inside the function, and try again there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project

RULE = Rule(
    "DS613",
    "dying-workers",
    "A function that raises is not tried again, and a dead worker fails its whole batch",
    Severity.INFO,
    Readiness.READY,
    differences=("D06", "D07"),
)

_SETTING = "spark.task.maxFailures"
_HEAD = """\
from pyspark import SparkConf, SparkContext
from pyspark.streaming import StreamingContext
"""

VALID = [_HEAD + 'conf = SparkConf().set("spark.executor.memory", "4g")\n']
INVALID = [Example(_HEAD + 'conf = SparkConf().set("spark.task.maxFailures", "8")\n', lines=(3,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    if _SETTING not in module.source.text:
        return
    for node in module.source.of(ast.Constant):
        if node.value == _SETTING:
            yield RULE.finding(
                module.source,
                node,
                "tasks lost with an executor are tried again, a function that raises is not",
                "try again inside the function what may pass by itself",
            )
