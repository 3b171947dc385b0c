"""Workers that die, and tasks that are retried.

## Why

When a worker process dies (`os._exit`, out of memory), all outputs of that batch fail, not only
those whose job lost the worker. Spark does not retry after a Python exception in a function,
whatever `spark.task.maxFailures` says; it still retries tasks lost with an executor.

## What to do

Inside the function, catch errors that may go away (a time-out of a service), and retry there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project

RULE = Rule(
    "DS613",
    "dying-workers",
    "A function that raises is not retried, and a dead worker fails its whole batch",
    Severity.INFO,
    Readiness.READY,
    message="tasks lost with an executor are retried, a function that raises is not",
    help="inside the function, retry what may fail only once",
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
            yield RULE.at(module, node)
