"""Fixtures for tests that run Spark: one quiet local SparkContext for the whole session."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from pyspark import SparkConf, SparkContext

from scripts import class_archive
from tests.servers import jars
from tests.servers.maven import NotResolved

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Prepares the environment before any JVM starts; a JVM keeps the one it was started with."""
    if sys.flags.hash_randomization:
        # Keys are placed by hash(str): driver and workers must agree, and it is too late to change.
        pytest.exit("The tests need PYTHONHASHSEED=0 in the environment: use `make test`.", 4)
    os.environ["PYSPARK_DRIVER_PYTHON"] = os.environ["TESTS_PYTHON"] = sys.executable
    os.environ["PYSPARK_PYTHON"] = str(ROOT / "tests" / "python.sh")
    os.environ["PYTHONHASHSEED"] = "0"
    os.environ.setdefault("SPARK_CONF_DIR", str(ROOT / "conf"))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("SPARK_SUBMIT_OPTS", class_archive.JVM_OPTIONS)
    if (archive := Path(sys.prefix, class_archive.NAME)).exists():
        os.environ.setdefault("SPARK_CLASS_ARCHIVE", str(archive))
    if config.get_verbosity() > 0:
        os.environ.setdefault("SPARK_LOG_LEVEL", "warn")
    # Functions defined in test modules are pickled by name: workers must find the modules.
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    without_psutil()
    if str(ROOT) not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, paths)])


def without_psutil() -> None:
    """Where psutil is not installed, say so to ``import psutil`` at once.

    PySpark tries it again at every step of every merge, and searches the whole path each time: a
    fifth of the time of the tests that merge in process.
    """
    if find_spec("psutil") is None:
        sys.modules["psutil"] = None  # type: ignore[assignment]


@pytest.fixture(scope="session")
def live_sc() -> Iterator[Callable[[], SparkContext]]:
    """A function that gives the session's SparkContext, a new one if a test stopped the last.

    For fixtures of a wider scope than a test, and for Hypothesis; a plain test takes `sc`.
    """
    yield lambda: SparkContext.getOrCreate(_conf())
    if (active := SparkContext._active_spark_context) is not None:
        active.stop()


@pytest.fixture
def sc(live_sc: Callable[[], SparkContext]) -> SparkContext:
    """The session's SparkContext, local[2]; a test may stop it."""
    return live_sc()


def _conf() -> SparkConf:
    conf = SparkConf().setMaster("local[2]").setAppName("tests").set("spark.ui.enabled", "false")
    # a JVM cannot be given jars later, and the tests of all files share one
    conf.set("spark.jars", _connector())
    # over TCP, every Python task waits 40 ms for an acknowledgement
    conf.set("spark.python.unix.domain.socket.enabled", "true")
    conf.set("spark.python.unix.domain.socket.dir", _sockets().name)
    return conf.set("spark.python.daemon.module", "tests.daemon")


@cache
def _sockets() -> TemporaryDirectory[str]:
    """A directory that ends with the process; Spark leaves the sockets of killed workers behind."""
    return TemporaryDirectory(prefix="sockets")


@cache
def _connector() -> str:
    """The jars of Spark's Kafka connector; none if they cannot be had: who needs them says so."""
    try:
        return ",".join(jars.connector())
    except NotResolved:
        return ""
