"""A StreamingContext and DStreams that a run watches; the job calls them as always."""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, cast

from dstream_parity.verify.child import capture, sites
from dstream_parity.verify.child.engines import DrivenEngine
from dstream_parity.verify.child.run import Run
from dstream_parity.verify.errors import Refused

_FUNCTIONS = (
    *("map", "flatMap", "filter", "mapPartitions", "mapPartitionsWithIndex", "mapValues"),
    *("flatMapValues", "reduce", "reduceByKey", "combineByKey", "partitionBy", "transform"),
    *("transformWith", "reduceByWindow", "reduceByKeyAndWindow", "updateStateByKey"),
)


def install(engine: DrivenEngine, current: Callable[[], Run]) -> None:
    """Patch the classes of an engine, once per process; ``current`` gives the current run."""
    _patch_context(engine.context, current)
    _patch_outputs(engine.stream, current)
    for name in _FUNCTIONS:
        original = getattr(engine.stream, name)
        setattr(engine.stream, name, _noting(name, original, current))
    _patch_sleep(current)


def _patch_context(kind: Any, current: Callable[[], Run]) -> None:
    for function in (*_sources(kind, current), *_life_cycle(kind, current)):
        name = function.__name__
        if hasattr(kind, name):  # receivers are not for Python on the legacy engine
            original: Any = getattr(kind, name)
            setattr(kind, name, functools.update_wrapper(cast(Any, function), original))

    def getOrCreate(
        cls: Any, checkpointPath: str, setupFunc: Callable[[], Any], rebuild: Any = False
    ) -> Any:
        ssc = setupFunc()
        ssc.checkpoint(checkpointPath)
        return ssc

    kind.getOrCreate = classmethod(getOrCreate)


def _sources(kind: Any, current: Callable[[], Run]) -> tuple[Callable[..., Any], ...]:
    queue = kind.queueStream

    def socketTextStream(self: Any, hostname: str, port: int, storageLevel: Any = None) -> Any:
        return current().feed(self, "socketTextStream", [f"{hostname}:{port}"])

    def textFileStream(self: Any, directory: str) -> Any:
        return current().feed(self, "textFileStream", [directory])

    def binaryRecordsStream(self: Any, directory: str, recordLength: int) -> Any:
        return current().feed(
            self,
            "binaryRecordsStream",
            [directory],
            lambda line: line.encode("utf-8"),
            record_length=recordLength,
        )

    def queueStream(self: Any, rdds: Any, oneAtATime: bool = True, default: Any = None) -> Any:
        length = len(rdds) if oneAtATime else min(1, len(rdds))
        if current().sources.own("queueStream", length) is None:
            return current().feed(self, "queueStream", [], partitions=1)
        return queue(self, rdds, oneAtATime, default)

    def receiverStream(self: Any, receiver: Any) -> Any:
        return current().feed(self, "receiverStream", [type(receiver).__name__])

    return socketTextStream, textFileStream, binaryRecordsStream, queueStream, receiverStream


def _life_cycle(kind: Any, current: Callable[[], Run]) -> tuple[Callable[..., Any], ...]:
    def start(self: Any) -> None:
        current().start(self)

    def stop(self: Any, stopSparkContext: bool = True, stopGraceFully: bool = False) -> None:
        current().stop(self)

    def awaitTermination(self: Any, timeout: float | None = None) -> None:
        current().drive(self)

    def awaitTerminationOrTimeout(self: Any, timeout: float) -> bool:
        current().drive(self)
        return True

    checkpoint_for_real = kind.checkpoint

    def checkpoint(self: Any, directory: str | None) -> None:
        if directory is not None:
            directory = current().checkpoint_directory()
        checkpoint_for_real(self, directory)

    return start, stop, awaitTermination, awaitTerminationOrTimeout, checkpoint


def _patch_outputs(kind: Any, current: Callable[[], Run]) -> None:
    foreach = kind.foreachRDD

    def register(stream: Any, operation: str, body: Any = None, arguments: Any = ()) -> None:
        run = current()
        number = run.register(operation, sites.caller(), stream, body, arguments)
        foreach(stream, capture.captured(number, body and capture.with_time(body)))

    def foreachRDD(self: Any, func: Any) -> None:
        func.__code__.co_argcount  # noqa: B018  # legacy: without it the call fails
        register(self, "foreachRDD", func)

    def pprint(self: Any, num: int = 10) -> None:
        register(self, "pprint", arguments=(num,))

    def saveAsTextFiles(self: Any, prefix: str, suffix: str | None = None) -> None:
        register(self, "saveAsTextFiles", arguments=(prefix, suffix))

    def saveAsPickleFiles(self: Any, prefix: str, suffix: str | None = None) -> None:
        register(self, "saveAsPickleFiles", arguments=(prefix, suffix))

    kind.foreachRDD, kind.pprint = foreachRDD, pprint
    kind.saveAsTextFiles = saveAsTextFiles
    if hasattr(kind, "saveAsPickleFiles"):
        kind.saveAsPickleFiles = saveAsPickleFiles


def _may_see_the_driver(filename: str) -> bool:
    """Whether a function belongs to the job, or to a model that the job trains."""
    return not sites.is_library(filename) or f"{os.sep}mllib{os.sep}" in filename


def _noting(name: str, original: Any, current: Callable[[], Run]) -> Any:
    """Note the functions passed to operators, for :mod:`driver_state`."""

    @functools.wraps(original)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        for function in (*args, *named.values()):
            code = getattr(function, "__code__", None)
            seen = callable(function) if code is None else _may_see_the_driver(code.co_filename)
            if seen:
                current().functions.append((f"{name} at {sites.place(*sites.caller())}", function))
        return original(self, *args, **named)

    return call


def _patch_sleep(current: Callable[[], Run]) -> None:
    sleep = time.sleep

    def in_job(seconds: float) -> None:
        """A job that waits for its batches by sleeping gets them at once."""
        run = current()
        called_by = sys._getframe(1).f_code.co_filename
        if (
            threading.current_thread() is not run.thread
            or sites.is_library(called_by)
            or not run.waits_for_batches()
        ):
            sleep(seconds)
            return
        try:
            run.sleep()
        except Refused:
            raise SystemExit from None

    time.sleep = in_job  # type: ignore[assignment]
