"""The tests' JVMs start from the archive of Spark's classes (scripts/class_archive.py)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark import SparkContext


def test_the_jvm_has_mapped_it(sc: SparkContext) -> None:
    # A class path that the archive was not made for is no error: it would only be slow again.
    archive = os.environ.get("SPARK_CLASS_ARCHIVE")
    if archive is None:
        pytest.skip("there is no archive: `make test` makes one where this Java can")
    assert sc._jvm is not None
    process = sc._jvm.java.lang.ProcessHandle.current().pid()
    maps = Path(f"/proc/{process}/maps")
    if not maps.exists():
        pytest.skip("this system does not say what a process has mapped")
    assert archive in maps.read_text()
    assert sc.getConf().get("spark.ui.enabled") == "false"
