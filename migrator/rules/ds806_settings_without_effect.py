"""A setting of the legacy engine that no longer has an effect.

## Why

The engine that read it is gone. Settings lists what became of each: most are not needed, some have
a replacement.

## What to do

Remove it, or do what the finding says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.rules._settings import PREFIX, WITHOUT_EFFECT
from migrator.rules._texts import matches, span
from migrator.text.source import PythonSource

RULE = Rule(
    "DS806",
    "setting-without-effect-around",
    "A setting of the legacy engine in a script or file has no effect on moved jobs",
    Severity.WARNING,
    Readiness.READY,
    message="{name} has no effect on a moved job",
    help="remove it: {instead}",
    differences=("D05",),
)

EXAMPLE_PATH = "spark-defaults.conf"
VALID = ["spark.streaming.blockInterval  100ms\n"]
INVALID = [Example("spark.master yarn\nspark.streaming.concurrentJobs  4\n", lines=(2,))]

_SETTING = re.compile(rf"{re.escape(PREFIX)}(?P<name>{'|'.join(map(re.escape, WITHOUT_EFFECT))})\b")


def check_text(source: PythonSource) -> Iterator[Finding]:
    for match in matches(_SETTING, source):
        instead = WITHOUT_EFFECT[match["name"]]
        yield RULE.at(source, span(match), name=match[0], instead=instead)
