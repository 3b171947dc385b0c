"""A cell of a notebook could not be read.

## Why

A cell (or a command of a Databricks source file) is not Python, even without its magics and shell
lines. It stays as it is, and the other cells are handled without it: what it does with streams is
not known.

Magics (`%%spark`, `%%writefile job.py`, `%time ssc.start()`, Databricks' `# MAGIC %python`) and
shell lines are never read. They are reported if they mention DStreams or an old connector (`%env
PYSPARK_SUBMIT_ARGS=…`, `%%configure`, `!spark-submit --packages …`).

## What to do

Fix the cell, then run `migrate` again. If it is Python 2, `--python2` modernises it; if it is
broken and never run, delete it. In code under a magic, make the changes by hand that `migrate`
makes elsewhere, or give it that code as a file of its own.
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
    message="this cell {reason}; it is left as it is",
    help="fix the cell, then run migrate again",
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
        help = "change it by hand" if gap.reason == HIDDEN else None
        yield RULE.at(module, gap.span, help=help, reason=gap.reason)
