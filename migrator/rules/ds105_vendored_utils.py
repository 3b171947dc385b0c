"""A class named like one of Spark's connectors is imported from somewhere else.

## Why

When Spark dropped its connectors for Kafka and MQTT, many projects copied their Python files. Such
a copy makes its stream in the JVM, with classes of the legacy engine. Its streams do not work with
`dstream_compat`.

## What to do

If the copy was not changed, import the class from `dstream_compat` instead: `--unsafe-fixes` does
that. Your own class that only has the same name may stay.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Fix, Readiness, Rule, Safety, Severity
from migrator.model import api
from migrator.model.jobmodel import Import, Module, Project
from migrator.rules._names import is_legacy, target
from migrator.text import imports
from migrator.text.source import Edit

RULE = Rule(
    "DS105",
    "vendored-utils",
    "A Spark connector is imported from a copy",
    Severity.WARNING,
    Readiness.DECIDE,
    message="this {name} is not Spark's own: it is a copy, or another class of that name",
    help="if it is a copy, import it from {home}",
    fix=Safety.UNSAFE,
)

_CONNECTORS = ("KafkaUtils", "KinesisUtils", "MQTTUtils", "FlumeUtils")

VALID = [
    "from pyspark.streaming.kafka import KafkaUtils\nprint(KafkaUtils)\n",
    "from dstream_compat.kafka import KafkaUtils\nprint(KafkaUtils)\n",
    "from lib.strings import StringUtils\nprint(StringUtils)\n",
]
INVALID = [
    Example(
        "from lib.mqtt import MQTTUtils\n"
        "from pyspark.streaming import StreamingContext\n"
        "MQTTUtils.createStream(StreamingContext(sc, 1), url, topic).pprint()\n",
        lines=(1,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for item in module.imports:
        if item.name not in _CONNECTORS or not isinstance(item.node, ast.ImportFrom):
            continue
        if is_legacy(item.node, item.alias) or api.submodule(item.module) is not None:
            continue
        if _is_passed_on(item, module, project):
            continue
        yield RULE.at(
            module,
            item.node,
            fix=_fix(module, item),
            confidence=Confidence.LIKELY,
            name=item.name,
            home=target(api.HOMES[item.name]),
        )


def _is_passed_on(item: Import, module: Module, project: Project) -> bool:
    """Whether it leads to a module of the run that imports it from Spark itself."""
    paths = sorted(module.local_imports)
    for path in paths:
        near = project.modules.get(path)
        if near is None:
            continue
        if any(i.name == item.name and api.submodule(i.module) is not None for i in near.imports):
            return True
        paths += sorted(near.local_imports.difference(paths))
    return False


def _fix(module: Module, item: Import) -> Fix | None:
    """Only where nothing else is imported by the statement."""
    assert isinstance(item.node, ast.ImportFrom)
    home = target(api.HOMES[str(item.name)])
    at = imports.module_span(module.source, item.node) if not item.node.level else None
    if at is None or home is None or len(item.node.names) > 1:
        return None
    return Fix((Edit(at, home),), Safety.UNSAFE)
