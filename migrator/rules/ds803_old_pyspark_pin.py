"""Requirements pin a pyspark that is too old.

## Why

`dstream_compat` needs pyspark 4.2 or newer: older versions lack what it keeps state with. An old
pin decides what is installed, whatever the job imports.

## What to do

Raise the pin to `pyspark>=4.2`, and upgrade the Spark of the cluster with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.rules._texts import NEEDED, matches, too_old
from migrator.text.source import PythonSource, Span

RULE = Rule(
    "DS803",
    "old-pyspark-pin",
    "Requirements pin a pyspark that is too old for moved jobs",
    Severity.ERROR,
    Readiness.DECIDE,
    message="this keeps pyspark below 4.2, which moved jobs need",
    help="raise it to pyspark>=4.2, and upgrade the cluster's Spark with it",
)

EXAMPLE_PATH = "requirements.txt"
VALID = [
    "pyspark>=2.4\n",
    "pyspark\n",
    "pyspark>=4.2,<5\n",
    "pyspark-stubs==2.4.0\n",
    "# pyspark==2.4.5\n",
]
INVALID = [
    Example("numpy\npyspark==2.4.5\n", lines=(2,)),
    Example("pyspark[sql]>=2.4,<3\n", lines=(1,)),
    Example('[packages]\npyspark = "~=3.1"\n', lines=(2,)),
]

# pyspark==2.4.5, pyspark[sql] ~= 3.1, pyspark = "^2.4" (Pipfile, poetry), pyspark=2.4 (conda)
_REQUIREMENT = re.compile(
    r"""(?<![\w.-])pyspark(?:\[[^\]\n]*\])?[ \t]*(?P<limits>[=~<>!^"'][=~<>!^"' \t,.*\d]*)"""
)
_LIMIT = re.compile(r"(?P<how>~=|[<>!]=?|\^)?(?P<version>\d[\d.]*)")


def check_text(source: PythonSource) -> Iterator[Finding]:
    for match in matches(_REQUIREMENT, source):
        limits = re.sub(r"[\"' \t]", "", match["limits"]).split(",")
        if any(_holds_it_back(limit.lstrip("=")) for limit in limits):
            end = match.start() + len(match[0].rstrip("\"', \t"))
            yield RULE.at(source, Span(match.start(), end))


def _holds_it_back(limit: str) -> bool:
    """Whether a single limit (``2.4``, ``~=3.1``, ``<4``) rules out the versions needed."""
    found = _LIMIT.match(limit)
    if found is None or found["how"] in (">", ">=", "!", "!="):
        return False
    if found["how"] == "<":
        parts = [int(part) for part in found["version"].split(".") if part]
        return tuple([*parts, 0][:2]) <= NEEDED
    return too_old(found["version"])
