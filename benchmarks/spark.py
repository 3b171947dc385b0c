"""The Spark that is measured: local[2], quiet, with a checkpoint directory that goes with it."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext

ROOT = Path(__file__).resolve().parent.parent


def prepare(verbose: bool) -> None:
    """Set the environment that JVM and workers start with."""
    os.environ.setdefault("SPARK_CONF_DIR", str(ROOT / "conf"))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if verbose:
        os.environ.setdefault("SPARK_LOG_LEVEL", "warn")
    # the workloads' functions are pickled by name: workers must find the module they are in
    paths = [str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


@contextmanager
def context() -> Iterator[SparkContext]:
    from pyspark import SparkConf, SparkContext

    conf = (
        SparkConf().setMaster("local[2]").setAppName("benchmarks").set("spark.ui.enabled", "false")
    )
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as directory:
        sc = SparkContext(conf=conf)
        sc.setCheckpointDir(directory)  # both engines need one for state
        try:
            yield sc
        finally:
            sc.stop()


def machine(sc: SparkContext) -> str:
    return (
        f"{os.cpu_count()} cores, {sc.master}, Spark {sc.version}, "
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    )
