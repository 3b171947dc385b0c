"""A line submits a Python job.

## Why

The moved job imports `dstream_compat` in its driver. With `--deploy-mode cluster` the driver runs
on the cluster, so `dstream_compat` has to be installed there, too. Executors need only pyspark and
pyarrow.

## What to do

Install `dstream-migrate[spark]` where the driver runs: in the image, or in the environment that
`--archives` or `spark.pyspark.driver.python` name. Nothing else in the line has to change, unless
other findings say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.rules._texts import logical_line, matches, span
from migrator.text.source import PythonSource

RULE = Rule(
    "DS804",
    "spark-submit",
    "A line submits a Python job, whose driver will need dstream_compat",
    Severity.INFO,
    Readiness.READY,
    message="the driver of a moved job imports dstream_compat",
    help="install dstream-migrate[spark] {where}",
)

EXAMPLE_PATH = "submit.sh"
VALID = [
    "spark-submit --class com.example.Job job.jar\n",
    'echo "see spark-submit --help"\n',
]
INVALID = [
    Example("spark-submit --master yarn job.py\n", lines=(1,)),
    Example("exec spark-submit \\\n  --deploy-mode cluster \\\n  job.py\n", lines=(1,)),
]

_SUBMIT = re.compile(r"\bspark-submit\b")
_PYTHON = re.compile(r"[\w/}.$-]+\.py\b")


def check_text(source: PythonSource) -> Iterator[Finding]:
    for match in matches(_SUBMIT, source):
        line = logical_line(source, match.start())
        if not _PYTHON.search(line):
            continue
        on_cluster = _CLUSTER.search(line)
        where = "on the cluster, where" if on_cluster else "where"
        yield RULE.at(
            source,
            span(match),
            confidence=Confidence.LIKELY,
            where=f"{where} this driver runs",
        )


_CLUSTER = re.compile(r"deploy-mode[=\s\"',]+cluster")
