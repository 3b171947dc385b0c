"""A name of `pyspark.streaming` that `dstream_compat` does not have.

## Why

`dstream_compat` has the public API. Helpers of the legacy engine itself (`TransformFunction`,
everything in `pyspark.streaming.tests`) have no meaning there: they work on Java objects of that
engine.

## What to do

The import stays as it is. Find out what the name is used for: to make batches by hand, use
`queueStream`; to replay batches through a job, use `dstream_parity`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model import api
from migrator.model.jobmodel import Module, Project
from migrator.rules._moves import plans
from migrator.rules._names import BORROWED, in_shim, target

RULE = Rule(
    "DS103",
    "not-in-shim",
    "dstream_compat has no such module or name",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="{name} has no counterpart in dstream_compat: it is part of the legacy engine",
    help="find out what it is used for, and do that with the public API",
)

VALID = [
    "from pyspark.streaming.util import rddToFileName\nprint(rddToFileName)\n",
    "from pyspark.streaming.context import SparkContext\nsc = SparkContext()\n",
    "from pyspark.streaming.kinesis import StorageLevel\nprint(StorageLevel)\n",
]
INVALID = [
    Example(
        "from pyspark.streaming.util import rddToFileName, TransformFunction\n"
        "print(rddToFileName, TransformFunction)\n",
        "from dstream_compat.util import rddToFileName\n"
        "from pyspark.streaming.util import TransformFunction\n"
        "print(rddToFileName, TransformFunction)\n",
        lines=(1,),
    ),
    Example(
        "from pyspark.streaming.tests import PySparkStreamingTestCase\n"
        "class Mine(PySparkStreamingTestCase): pass\n",
        lines=(1,),
    ),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for plan in plans(module):
        for name in plan.missing:
            yield RULE.at(module, plan.node, name=name)
    for node, name in module.qualified.items():
        if not isinstance(node, ast.Attribute):
            continue
        if _is_missing(name):
            yield RULE.at(module, node, name=name)
        elif _is_borrowed(name):
            yield RULE.at(
                module,
                node,
                message="{name} is in that module only by chance, and not in its counterpart",
                help="import {attr} from pyspark",
                readiness=Readiness.DECIDE,
                name=name,
                attr=node.attr,
            )


def _is_missing(dotted: str) -> bool:
    """Whether it is a name that a legacy module has and its counterpart lacks."""
    home, _, name = dotted.rpartition(".")
    known = name in api.MODULES.get(home.removeprefix(api.LEGACY), ())
    return home.startswith(api.LEGACY) and known and not in_shim(home, name)


def _is_borrowed(dotted: str) -> bool:
    """Whether it is a name of PySpark's that a legacy module imports for itself."""
    home, _, name = dotted.rpartition(".")
    return name in BORROWED and target(home) is not None and not in_shim(home, name)
