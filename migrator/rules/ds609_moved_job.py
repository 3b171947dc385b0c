"""What changes for every moved job.

## Why

- `start()` takes some seconds in a fresh JVM, because Spark's SQL part is loaded first; batch times
  begin when the query is up.
- It makes a SparkSession if there is none; a failed requirement is then an
  `IllegalArgumentException` of pyspark.
- There is no warning that DStreams are deprecated.
- On a local master, workers run the driver's Python.
- Spark does not retry after a Python exception in a function, and a worker that dies fails all
  outputs of its batch.
- Errors that `awaitTermination` raises have the same type and beginning, and name the operator and
  the line instead of a Java stack.

## What to do

Nothing. [Differences](../differences.md) describes each of these.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._examples import HEAD
from migrator.rules._notes import Note, calls

RULE = Note(
    "DS609",
    "moved-job",
    "What changes for every moved job",
    on=calls(Kind.CONTEXT, "__init__"),
    message="some things change for every moved job; for example, start() takes seconds",
    help="nothing to do; `migrate explain DS609` lists them",
    differences=("D06", "D07", "D10", "D12", "D38", "D39", "D42"),
)

VALID = ["from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"]
INVALID = [Example(HEAD + "pairs.pprint()\n", lines=(2,))]
