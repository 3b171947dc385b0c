"""Settings of the legacy engine that have no effect.

## Why

Some settings speak of things that are not there any more. `spark.streaming.concurrentJobs` let
outputs run side by side; here batches and outputs run one after another, as the legacy engine does
by default. `spark.streaming.receiver.writeAheadLog.enable` is not needed: received data survives a
crash where there is a checkpoint directory.

## What to do

See [Settings](../settings.md#legacy-settings-without-effect). Where outputs must run side by side,
start threads inside `foreachRDD`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project

RULE = Rule(
    "DS608",
    "settings-without-effect",
    "Settings of the legacy engine that have no effect any more",
    Severity.INFO,
    Readiness.READY,
    differences=("D05", "D19"),
)

_PREFIX = "spark.streaming."
_INSTEAD = {
    "concurrentJobs": "outputs run one after another; if they must not, use threads in foreachRDD",
    "kafka.maxRetries": "nothing to do; Spark's connector has retries of its own",
    "receiver.writeAheadLog.enable": "nothing to do; a checkpoint directory is enough",
    "driver.writeAheadLog.closeFileAfterWrite": "nothing to do",
    "receiver.writeAheadLog.closeFileAfterWrite": "nothing to do",
    "unpersist": "nothing to do; results are dropped when nobody holds them",
    "ui.retainedBatches": "nothing to do; there is no Streaming tab",
    "extraListeners": "call ssc.addStreamingListener",
}
_CHANGES = frozenset({"concurrentJobs"})

_HEAD = """\
from pyspark import SparkConf, SparkContext
from pyspark.streaming import StreamingContext
"""

VALID = [_HEAD + 'conf = SparkConf().set("spark.streaming.blockInterval", "100ms")\n']
INVALID = [
    Example(_HEAD + 'conf = SparkConf().set("spark.streaming.concurrentJobs", n)\n', lines=(3,))
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    if _PREFIX not in module.source.text:
        return
    for node in module.source.of(ast.Constant):
        if not isinstance(node.value, str):
            continue
        name = node.value.removeprefix(_PREFIX)
        if name == node.value or name not in _INSTEAD:
            continue
        changes = name in _CHANGES
        yield RULE.finding(
            module.source,
            node,
            f"the setting {_PREFIX}{name} has no effect",
            _INSTEAD[name],
            severity=Severity.WARNING if changes else None,
            readiness=Readiness.DECIDE if changes else None,
        )
