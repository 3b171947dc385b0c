"""A name of `pyspark.streaming` that the shim does not have.

## Why

The shim has the public API. Helpers of the legacy engine itself (`TransformFunction`, what is in
`pyspark.streaming.tests`) have no meaning there: they work on Java objects of that engine.

## What to do

The import stays as it is. See what the name is used for: batches by hand are made with
`queueStream`; `dstream_parity` replays batches through a job.
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
    "The shim has no such module or name",
    Severity.ERROR,
    Readiness.BLOCKED,
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
            yield _finding(module, plan.node, name)
    for node, name in module.qualified.items():
        if not isinstance(node, ast.Attribute):
            continue
        if _is_missing(name):
            yield _finding(module, node, name)
        elif _is_borrowed(name):
            yield RULE.finding(
                module.source,
                node,
                f"{name} is in that module by chance, and not in its counterpart",
                f"import {node.attr} from pyspark",
                readiness=Readiness.DECIDE,
            )


def _finding(module: Module, node: ast.AST, name: str) -> Finding:
    return RULE.finding(
        module.source,
        node,
        f"{name} has no counterpart: it belongs to the legacy engine itself",
        "see what it is used for, and do that with the public API",
    )


def _is_missing(dotted: str) -> bool:
    """Whether it is a name that a legacy module has and its counterpart has not."""
    home, _, name = dotted.rpartition(".")
    known = name in api.MODULES.get(home.removeprefix(api.LEGACY), ())
    return home.startswith(api.LEGACY) and known and not in_shim(home, name)


def _is_borrowed(dotted: str) -> bool:
    """Whether it is a name of PySpark's that a legacy module imports for itself."""
    home, _, name = dotted.rpartition(".")
    return name in BORROWED and target(home) is not None and not in_shim(home, name)
