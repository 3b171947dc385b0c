"""Stops the context when the driver's JVM is shut down (SIGTERM under ``spark-submit``)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from pyspark import SparkContext

from dstream_compat.base.pyspark_internals import accept_callbacks, is_stopped, jvm

logger = logging.getLogger(__name__)

_BEFORE_SPARK = 100  # Hadoop runs hooks of higher priority first; Spark's own has 40


class ShutdownHook:
    """Calls ``stop`` before Spark shuts itself down, which waits at most ``seconds`` for it."""

    def __init__(self, sc: SparkContext, stop: Callable[[], None], seconds: float) -> None:
        self._sc = sc
        self._stop = stop
        accept_callbacks(sc)
        self._hooks: Any = jvm(sc).org.apache.hadoop.util.ShutdownHookManager.get()
        unit = jvm(sc).java.util.concurrent.TimeUnit.MILLISECONDS
        self._hook = jvm(sc).java.lang.Thread(self)  # Hadoop compares hooks
        self._hooks.addShutdownHook(self._hook, _BEFORE_SPARK, int(seconds * 1000), unit)

    def run(self) -> None:
        logger.info("The driver is shutting down: stopping the StreamingContext gracefully")
        self._stop()

    def remove(self) -> None:
        if not is_stopped(self._sc) and not self._hooks.isShutdownInProgress():
            self._hooks.removeShutdownHook(self._hook)

    class Java:
        implements = ("java.lang.Runnable",)
