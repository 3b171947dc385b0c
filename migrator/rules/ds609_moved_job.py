"""What is different for every moved job.

## Why

- `start()` takes some seconds in a fresh JVM, because Spark's SQL part is loaded first; batch
  times begin when the query is up.
- It makes a SparkSession where there was none; a failed requirement is then an
  `IllegalArgumentException` of pyspark.
- The warning that DStreams are deprecated is not given.
- On a local master, workers run the driver's Python.
- A Python exception in a function is not tried again by Spark, and a worker that dies fails all
  outputs of its batch.
- Errors that `awaitTermination` raises have the same type and beginning, and name the operator and
  the line instead of a Java stack.

## What to do

Nothing. [Differences](../differences.md) has all of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import HEAD, note

RULE = Rule(
    "DS609",
    "moved-job",
    "What is different for every moved job",
    Severity.INFO,
    Readiness.READY,
    differences=("D06", "D07", "D10", "D12", "D38", "D39", "D42"),
)

VALID = ["from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"]
INVALID = [Example(HEAD + "pairs.pprint()\n", lines=(2,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _contexts,
        "some things are different for every moved job: start() takes seconds, for one",
        "nothing to do; `migrate explain DS609` lists them",
    )


def _contexts(module: Module) -> Iterator[Call]:
    return module.calls_of(Kind.CONTEXT, "__init__")
