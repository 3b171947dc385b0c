"""The SparkContext of a job under verification: local, quiet, and reused from run to run."""

from __future__ import annotations

import inspect
import os
import socket
import sys
import uuid
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from dstream_parity.verify.child.daemon import PRELUDE

# What belongs to the user's cluster, or would write, download or listen somewhere.
_DROPPED = (
    "spark.master",
    "spark.remote",
    "spark.submit.",
    "spark.jars",
    "spark.files",
    "spark.archives",
    "spark.yarn.",
    "spark.kubernetes.",
    "spark.mesos.",
    "spark.executor.",
    "spark.driver.",
    "spark.dynamicAllocation.",
    "spark.shuffle.service.",
    "spark.eventLog.",
    "spark.history.",
    "spark.ui.",
    "spark.plugins",
    "spark.extraListeners",
    "spark.sql.extensions",
    "spark.sql.catalog.",
    "spark.sql.warehouse.dir",
    "spark.local.dir",
    "spark.pyspark.",
    "spark.python.daemon.module",
    "spark.python.unix.domain.socket.dir",
    "spark.cores.max",
    "spark.scheduler.allocation.file",
    "spark.streaming.clock",
    "spark.streaming.concurrentJobs",
    "spark.streaming.backpressure.",
    "spark.streaming.checkpoint.directory",
)


# The longest path of a Unix socket: 108 bytes on Linux, 104 elsewhere, with the final zero.
_LONGEST = 103


def _takes_sockets(directory: str) -> bool:
    """Whether the path of a Unix socket named by a UUID fits."""
    longest = os.path.join(os.path.abspath(directory), f".{uuid.UUID(int=0)}.sock")
    return hasattr(socket, "AF_UNIX") and len(os.fsencode(longest)) <= _LONGEST


class Sparks:
    """Patches SparkContext so that jobs get our own, whatever they ask for.

    ``stop()`` does nothing; a job that asks for the same settings as the previous one gets the same
    context again. Spark writes everything into ``directory``.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._kept: Any = None
        self._asked: dict[str, str] | None = None
        self._init = SparkContext.__init__
        self._stop = SparkContext.stop
        self._set_checkpoint = SparkContext.setCheckpointDir
        self._signature = inspect.signature(SparkContext.__init__)
        self.checkpoints = 0

    def install(self) -> None:
        sparks = self

        def new(cls: Any, *args: Any, **named: Any) -> Any:
            sparks._drop_other(sparks._wanted(args, named))
            return sparks._kept if sparks._kept is not None else object.__new__(cls)

        def init(self: Any, *args: Any, **named: Any) -> None:
            if self is not sparks._kept:
                sparks._make(self, args, named)

        def set_checkpoint(self: Any, dirName: str) -> None:
            sparks._set_checkpoint(self, sparks.checkpoint_directory())

        SparkContext.__new__ = staticmethod(new)  # type: ignore[method-assign]
        SparkContext.__init__ = init  # type: ignore[method-assign]
        SparkContext.stop = lambda self: None  # type: ignore[method-assign]
        SparkContext.setCheckpointDir = set_checkpoint  # type: ignore[method-assign]
        SparkSession.stop = lambda self: None  # type: ignore[method-assign]
        # Here, not by the job, which could download packages or bring a cluster's settings.
        SparkContext._ensure_initialized()

    def checkpoint_directory(self) -> str:
        """A new local directory, whatever Hadoop's default file system may be."""
        self.checkpoints += 1
        path = os.path.join(os.path.abspath(self._directory), f"checkpoint-{self.checkpoints}")
        os.makedirs(path)
        return f"file://{path}"  # Hadoop takes it literally: blanks must not be quoted

    def context(self) -> Any:
        """The current context, or a new one with plain settings."""
        return self._kept if self._kept is not None else SparkContext()

    def forget_sessions(self) -> None:
        """The next run gets new sessions, without the tables and settings of this one."""
        if SparkContext._jvm is not None:
            session = SparkContext._jvm.org.apache.spark.sql.classic.SparkSession
            session.clearDefaultSession()
            session.clearActiveSession()
        SparkSession._instantiatedSession = None
        from pyspark.sql import SQLContext

        SQLContext._instantiatedContext = None

    def close(self) -> None:
        if self._kept is not None:
            self._stop(self._kept)
            self._kept = None

    def _wanted(self, args: Any, named: Any) -> dict[str, str]:
        given = self._signature.bind(None, *args, **named).arguments
        conf = given.get("conf")
        settings = dict(conf.getAll()) if conf is not None else {}
        return {key: value for key, value in settings.items() if not key.startswith(_DROPPED)}

    def _drop_other(self, wanted: dict[str, str]) -> None:
        if self._kept is not None and (self._kept._jsc is None or wanted != self._asked):
            if self._kept._jsc is not None:
                self._stop(self._kept)
            self._kept = None

    def _make(self, sc: Any, args: Any, named: Any) -> None:
        wanted = self._wanted(args, named)
        conf = SparkConf(loadDefaults=False)
        for key, value in wanted.items():
            conf.set(key, value)
        conf.setIfMissing("spark.sql.shuffle.partitions", "4")
        conf.set("spark.master", "local[2]").set("spark.app.name", "migrate verify")
        conf.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
        conf.set("spark.local.dir", self._directory)
        directory = os.path.abspath(self._directory)
        conf.set("spark.sql.warehouse.dir", f"file://{directory}/warehouse")
        conf.set("spark.python.daemon.module", "dstream_parity.verify.child.daemon")
        conf.set(f"spark.executorEnv.{PRELUDE}", os.environ.get(PRELUDE, ""))
        conf.set("spark.streaming.clock", "org.apache.spark.util.ManualClock")
        if _takes_sockets(self._directory):
            # over TCP, every Python task waits 40 ms for an acknowledgement
            conf.setIfMissing("spark.python.unix.domain.socket.enabled", "true")
            conf.set("spark.python.unix.domain.socket.dir", self._directory)
        os.environ["PYSPARK_PYTHON"] = sys.executable  # jobs name that of their cluster
        self._init(sc, conf=conf)
        self._kept, self._asked = sc, wanted
