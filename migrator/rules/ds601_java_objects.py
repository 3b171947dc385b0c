"""Java objects of the legacy engine.

## Why

`ssc._jssc`, `ssc._jvm`, `stream._jdstream` and the like lead to the JVM's streaming engine, which
is no longer used. `ssc._jssc` has `stop` and nothing else. `sc._jvm` of the SparkContext still
works on classic Spark, but what it finds under `org.apache.spark.streaming` knows nothing of the
moved job.

## What to do

Use the public API: `ssc.sparkContext`, `ssc.stop(…)`, `ssc.getActive()`, and listeners for progress
and delays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Attribute, Kind, Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS601",
    "java-objects",
    "Java objects of the legacy engine no longer exist",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="{name} of a {on} leads to the legacy engine, which is no longer used",
    help="{instead}",
    differences=("D37",),
)

VALID = [
    HEAD + "ssc._jssc.stop(False)\n",
    HEAD + "ssc.sparkContext.setLogLevel('WARN')\n",
    HEAD + "lines._ssc.start()\n",
]
INVALID = [
    Example(HEAD + "ssc._jssc.sparkContext().setLogLevel('WARN')\n", lines=(5,)),
    Example(HEAD + "print(lines._jdstream)\n", lines=(5,)),
    Example(HEAD + "clock = sc._jvm.org.apache.spark.streaming.Duration(5)\n", lines=(5,)),
]

# What dstream_compat has under the same name.
_THERE = {
    Kind.CONTEXT: frozenset({"_sc", "_activeContext"}),
    Kind.STREAM: frozenset({"_ssc", "_sc", "_slideDuration"}),
}
_STOP = re.compile(r"\s*\.\s*stop\s*\(")
_STREAMING = re.compile(r"\s*\.\s*org\s*\.\s*apache\s*\.\s*spark\s*\.\s*streaming\b")
_INSTEAD = {
    "_jssc": "use the public methods of the StreamingContext, or a StreamingListener for progress",
    "_jvm": "for anything but streaming, use ssc.sparkContext._jvm",
    "_jdstream": "use the public methods of the DStream",
}


def check(module: Module, project: Project) -> Iterator[Finding]:
    for attribute in module.attributes:
        if _is_private(attribute.name) and not attribute.stored and _is_gone(attribute, module):
            instead = _INSTEAD.get(attribute.name, "use the public API")
            yield RULE.at(module, attribute, instead=instead)
    for call in module.calls:
        if _is_private(call.method) and not call.known and call.on in _THERE:
            yield RULE.at(module, call, name=call.method, instead="use the public API")


def _is_gone(attribute: Attribute, module: Module) -> bool:
    behind = module.source.span(attribute.node).end
    if attribute.on is Kind.SPARK_CONTEXT:
        is_streaming = _STREAMING.match(module.source.text, behind) is not None
        return attribute.name == "_jvm" and is_streaming
    if attribute.on not in _THERE or attribute.name in _THERE[attribute.on]:
        return False
    return attribute.name != "_jssc" or _STOP.match(module.source.text, behind) is None


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
