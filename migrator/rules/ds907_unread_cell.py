"""A cell of a notebook could not be read.

## Why

One cell (or one command of a Databricks source file) is not Python, not even with its magics and
shell lines left out. It stays as it is, and the other cells are handled without it: what it does
with streams is not known.

Magics (`%%spark`, `%%writefile job.py`, `%time ssc.start()`, Databricks' `# MAGIC %python`) and
shell lines are never read. They are reported where they speak of DStreams or of an old connector
(`%env PYSPARK_SUBMIT_ARGS=…`, `%%configure`, `!spark-submit --packages …`).

## What to do

Mend the cell, then run `migrate` again. If it is Python 2, `--python2` modernises it; if it is
broken and nobody runs it, delete it. Behind a magic, make by hand the changes that `migrate` makes
elsewhere, or give it that code as a file of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project
from migrator.text.gaps import HIDDEN

RULE = Rule(
    "DS907",
    "unread-cell",
    "A cell of a notebook could not be read",
    Severity.WARNING,
    Readiness.UNKNOWN,
)

VALID = [
    """\
# Databricks notebook source
from pyspark.streaming import StreamingContext
# COMMAND ----------
ssc = StreamingContext(sc, 2)
# COMMAND ----------
# MAGIC %md A StreamingContext is made above.
"""
]
INVALID = [
    Example(
        """\
# Databricks notebook source
from pyspark.streaming import StreamingContext
# COMMAND ----------
ssc = StreamingContext(sc, 2
# COMMAND ----------
lines = ssc.socketTextStream("localhost", 9999)
""",
        """\
# Databricks notebook source
from dstream_compat import StreamingContext
# COMMAND ----------
ssc = StreamingContext(sc, 2
# COMMAND ----------
lines = ssc.socketTextStream("localhost", 9999)
""",
        lines=(4,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for gap in module.source.gaps:
        yield RULE.finding(
            module.source,
            gap.span,
            f"this cell {gap.reason}; it is left as it is",
            "change it by hand"
            if gap.reason == HIDDEN
            else "mend the cell, then run migrate again",
        )
