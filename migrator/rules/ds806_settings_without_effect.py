"""A setting of the legacy engine has no effect any more.

## Why

The engine that read it is gone. What became of each is listed under Settings: most are not
needed, some have another way.

## What to do

Take it out, or do what the finding says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.rules._texts import matches, span
from migrator.text.source import PythonSource

RULE = Rule(
    "DS806",
    "setting-without-effect-around",
    "A setting of the legacy engine in a script or file has no effect on moved jobs",
    Severity.WARNING,
    Readiness.READY,
    differences=("D05",),
)

WITHOUT_EFFECT = {
    "spark.streaming.concurrentJobs": "batches and outputs run one after another",
    "spark.streaming.receiver.writeAheadLog.enable": "a checkpoint directory is enough",
    "spark.streaming.unpersist": "results are dropped when nobody holds them",
    "spark.streaming.kafka.maxRetries": "Spark's connector has retries of its own",
    "spark.streaming.ui.retainedBatches": "use ssc.addStreamingListener",
    "spark.streaming.extraListeners": "use ssc.addStreamingListener",
}
"""What to know instead. The same settings are listed in docs/settings.md."""

EXAMPLE_PATH = "spark-defaults.conf"
VALID = ["spark.streaming.blockInterval  100ms\n"]
INVALID = [Example("spark.master yarn\nspark.streaming.concurrentJobs  4\n", lines=(2,))]

_SETTING = re.compile("|".join(re.escape(name) + r"\b" for name in WITHOUT_EFFECT))


def check_text(source: PythonSource) -> Iterator[Finding]:
    for match in matches(_SETTING, source):
        yield RULE.finding(
            source,
            span(match),
            f"{match[0]} has no effect on a moved job",
            f"take it out: {WITHOUT_EFFECT[match[0]]}",
        )
