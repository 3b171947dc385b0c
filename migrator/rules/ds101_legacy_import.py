"""Something is imported from `pyspark.streaming`.

## Why

`pyspark.streaming` is deprecated. Its modules `kafka`, `flume` and `mqtt` are gone since Spark
3: jobs that import them do not even start.

## What to do

Let `migrate rewrite` take it from `dstream_compat` instead: same names, same signatures, on
Structured Streaming. The import is edited where it stands, with everything around it; so are
uses by the full name, `pyspark.streaming.StreamingContext(…)`, also in annotations that are
strings. What stands behind `except ImportError` of a `try` that imports `dstream_compat` stays: it
is for machines that do not have it. `import pyspark.streaming` also binds `pyspark`: where that is
used otherwise, it stays bound.
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
            yield RULE.finding(
                module.source,
                plan.node,
                "pyspark.streaming is imported, and used where its name cannot be edited",
                "import it at the top, use it outside f-strings and doctests, and rewrite again",
                severity=severity,
                readiness=Readiness.DECIDE,
            )
            continue
        yield RULE.finding(
            module.source,
            plan.node,
            "what is imported here is gone since Spark 3"
            if gone
            else "what is imported here is deprecated",
            "take it from dstream_compat",
            fix=Fix(plan.edits),
            severity=severity,
        )
