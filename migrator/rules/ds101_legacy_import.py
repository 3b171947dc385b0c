"""Something is imported from `pyspark.streaming`.

## Why

`pyspark.streaming` is deprecated. Its modules `kafka`, `flume` and `mqtt` were removed in Spark 3:
jobs that import them do not even start.

## What to do

Let `migrate rewrite` import it from `dstream_compat` instead: same names, same signatures, on
Structured Streaming. Only the import itself is edited, and uses by the full name, such as
`pyspark.streaming.StreamingContext(…)`, also in annotations that are strings. Where a `try` imports
`dstream_compat`, the import under its `except ImportError` stays: it is for machines without
`dstream_compat`. `import pyspark.streaming` also binds the name `pyspark`; where the file uses that
name for something else, it stays bound.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Fix, Readiness, Rule, Safety, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._moves import plans

RULE = Rule(
    "DS101",
    "legacy-import",
    "pyspark.streaming is imported",
    Severity.WARNING,
    Readiness.READY,
    message="what is imported here is deprecated",
    help="import it from dstream_compat",
    fix=Safety.SAFE,
)

_GONE = ("pyspark.streaming.kafka", "pyspark.streaming.flume", "pyspark.streaming.mqtt")

VALID = [
    "from dstream_compat import StreamingContext\nssc = StreamingContext(sc, 1)\n",
    "from pyspark.sql.streaming import DataStreamReader\nprint(DataStreamReader)\n",
    "from .pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 1)\n",
]
INVALID = [
    Example(
        "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 1)\n",
        "from dstream_compat import StreamingContext\nssc = StreamingContext(sc, 1)\n",
        lines=(1,),
    ),
    Example(
        "from pyspark.streaming.kafka import KafkaUtils as K\nprint(K)\n",
        "from dstream_compat.kafka import KafkaUtils as K\nprint(K)\n",
        lines=(1,),
    ),
    Example(
        "import pyspark.streaming\n"
        "sc = pyspark.SparkContext()\n"
        "ssc = pyspark.streaming.StreamingContext(sc, 1)\n",
        "import pyspark\n"
        "import dstream_compat\n"
        "sc = pyspark.SparkContext()\n"
        "ssc = dstream_compat.StreamingContext(sc, 1)\n",
        lines=(1,),
    ),
    Example(
        "from pyspark import SparkContext, streaming\n"
        "ssc = streaming.StreamingContext(SparkContext(), 1)\n",
        "import dstream_compat as streaming\n"
        "from pyspark import SparkContext\n"
        "ssc = streaming.StreamingContext(SparkContext(), 1)\n",
        lines=(1,),
    ),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for plan in plans(module):
        if plan.unused or not (plan.edits or plan.unreachable):
            continue
        gone = any(f"{name}.".startswith(f"{old}.") for name in plan.names for old in _GONE)
        severity = Severity.ERROR if gone else RULE.severity
        if plan.unreachable:
            yield RULE.at(
                module,
                plan.node,
                message="pyspark.streaming is imported, and used where its name cannot be edited",
                help="import it at the top, use it outside f-strings and doctests, and try again",
                severity=severity,
                readiness=Readiness.DECIDE,
            )
        else:
            yield RULE.at(
                module,
                plan.node,
                message="what is imported here was removed in Spark 3" if gone else None,
                fix=Fix(plan.edits),
                severity=severity,
            )
