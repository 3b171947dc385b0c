"""Settings of the legacy engine that have no effect.

## Why

Some settings concern things that no longer exist. `spark.streaming.concurrentJobs` let outputs run
side by side; now batches and outputs run one after another, as they do by default on the legacy
engine. `spark.streaming.receiver.writeAheadLog.enable` is not needed: with a checkpoint directory,
received data survives a crash.

## What to do

See [Settings](../settings.md#legacy-settings-without-effect). If outputs must run side by side,
start threads inside `foreachRDD`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._settings import PREFIX, WITHOUT_EFFECT

RULE = Rule(
    "DS608",
    "settings-without-effect",
    "Settings of the legacy engine that no longer have an effect",
    Severity.INFO,
    Readiness.READY,
    message="the setting {name} has no effect",
    help="{instead}",
    differences=("D05", "D19"),
)

_INSTEAD = {
    **{PREFIX + name: f"remove it: {instead}" for name, instead in WITHOUT_EFFECT.items()},
    f"{PREFIX}driver.writeAheadLog.closeFileAfterWrite": "remove it",
    f"{PREFIX}receiver.writeAheadLog.closeFileAfterWrite": "remove it",
}
_CHANGES = f"{PREFIX}concurrentJobs"

_HEAD = """\
from pyspark import SparkConf, SparkContext
from pyspark.streaming import StreamingContext
"""

VALID = [_HEAD + 'conf = SparkConf().set("spark.streaming.blockInterval", "100ms")\n']
INVALID = [
    Example(_HEAD + 'conf = SparkConf().set("spark.streaming.concurrentJobs", n)\n', lines=(3,))
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    if PREFIX not in module.source.text:
        return
    for node in module.source.of(ast.Constant):
        if not isinstance(node.value, str) or node.value not in _INSTEAD:
            continue
        changes = node.value == _CHANGES
        yield RULE.at(
            module,
            node,
            severity=Severity.WARNING if changes else None,
            readiness=Readiness.DECIDE if changes else None,
            name=node.value,
            instead=_INSTEAD[node.value],
        )
