"""The checkpoint directory: what is in it, and a context made from it again.

dstream.json   format, zero time, slots
graph          the pickled graph
input/         the input log
blocks/        received data
query/         the streaming query's own checkpoint
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import re
import shutil
import time
import traceback
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

from pyspark import SparkConf, SparkContext, cloudpickle

from dstream_compat.errors import StreamingError, spark_error

if TYPE_CHECKING:
    from dstream_compat.context import StreamingContext

logger = logging.getLogger(__name__)

_FORMAT = 1
_META = "dstream.json"
_GRAPH = "graph"
_OURS = (_META, _GRAPH, "input", "blocks", "query")
_PREVIOUS = "previous-"
_LEGACY = re.compile(r"checkpoint-\d+(\.bk)?")
_NOT_CARRIED_OVER = (
    "spark.app.id",
    "spark.driver.host",
    "spark.driver.port",
    "spark.app.startTime",
)


def qualified(directory: str) -> str:
    """The local path of a checkpoint directory, which is made if need be."""
    parsed = urlparse(directory)
    if parsed.scheme not in ("", "file"):
        raise ValueError(
            f"the checkpoint directory is on {parsed.scheme}:, and this version of dstream_compat "
            "keeps checkpoints on local or mounted file systems only; give a path or a file: URI"
        )
    path = os.path.abspath(unquote(parsed.path) if parsed.scheme else directory)
    os.makedirs(path, exist_ok=True)
    return path


def set_aside(directory: str) -> None:
    """Make room for a context that was not restored from ``directory``.

    legacy: only getOrCreate continues an earlier run; a new context starts from nothing. What the
    earlier run left is kept under ``previous-…`` until the next time.
    """
    if not os.path.exists(os.path.join(directory, _META)):
        return
    older = [name for name in _listing(directory) if name.startswith(_PREVIOUS)]
    target = os.path.join(directory, f"{_PREVIOUS}{time.time_ns()}")
    os.mkdir(target)
    for name in _OURS:  # first the file that makes it a checkpoint
        if os.path.exists(os.path.join(directory, name)):
            os.rename(os.path.join(directory, name), os.path.join(target, name))
    for name in older:
        shutil.rmtree(os.path.join(directory, name))
    logger.warning("An earlier run's checkpoint was set aside in %s", target)


class Checkpoint:
    """The files of a checkpoint directory that are ours."""

    is_local = True

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._meta: dict[str, Any] = {"format": _FORMAT}
        if os.path.exists(self._path(_META)):
            with open(self._path(_META), encoding="utf-8") as file:
                self._meta = json.load(file)

    @property
    def query(self) -> str:
        return self._path("query")

    def zero_time(self, default: int) -> int:
        """The time before the first batch ever; kept over restarts."""
        return self._kept("zero_time", default)

    def slots(self, default: int) -> int:
        """How many slots data is spread over; kept, because state lies in slots."""
        return self._kept("slots", max(1, default))

    def committed(self) -> int:
        """The last log entry of the last committed micro-batch, 0 if there is none."""
        commits, offsets = (os.path.join(self.query, name) for name in ("commits", "offsets"))
        done = [int(name) for name in _listing(commits) if name.isdigit()]
        if not done:
            return 0
        with open(os.path.join(offsets, str(max(done))), encoding="utf-8") as file:
            for line in file:
                if '"entry"' in line:
                    return int(json.loads(line)["entry"])
        return 0

    def save_graph(self, ssc: StreamingContext) -> None:
        """Pickle the graph. What cannot be pickled fails the start, as it always did."""
        graph = {
            "interval_ms": ssc._interval_ms,
            "remember_ms": ssc._remember_ms,
            "inputs": ssc._inputs,
            "outputs": ssc._outputs,
            "conf": ssc._sc._conf.getAll(),
        }
        try:
            pickled = cloudpickle.dumps(graph)  # type: ignore[no-untyped-call]
        except Exception:
            text = f"An exception was raised by Python:\n{traceback.format_exc()}"
            raise StreamingError("java.io.IOException", text, "start") from None
        _write(self._path(_GRAPH), pickled)

    def _kept(self, key: str, default: int) -> int:
        if key not in self._meta:
            self._meta[key] = default
            _write(self._path(_META), json.dumps(self._meta, indent=2).encode())
        return int(self._meta[key])

    def _path(self, name: str) -> str:
        return os.path.join(self._directory, name)


def recover(cls: type[StreamingContext], directory: str) -> StreamingContext | None:
    """The context saved in ``directory``; None if nothing was."""
    path = os.path.abspath(
        unquote(urlparse(directory).path)
        if "://" in directory or directory.startswith("file:")
        else directory
    )
    names = _listing(path)
    if any(_LEGACY.fullmatch(name) for name in names):
        raise _unreadable(
            directory,
            "it holds a checkpoint of the legacy engine, which only that engine can read; "
            "give a directory of its own",
        )
    if _META not in names or _GRAPH not in names:
        return None
    try:
        with open(os.path.join(path, _META), encoding="utf-8") as file:
            written = json.load(file)["format"]
        with open(os.path.join(path, _GRAPH), "rb") as file:
            graph = pickle.load(file)
    except Exception as error:
        raise _unreadable(directory, f"{type(error).__name__}: {error}") from None
    if written != _FORMAT:
        raise _unreadable(directory, f"it is of format {written}, this version reads {_FORMAT}")
    sc = SparkContext._active_spark_context
    if sc is None:
        conf = SparkConf()
        conf.setAll([(k, v) for k, v in graph["conf"] if k not in _NOT_CARRIED_OVER])
        sc = SparkContext(conf=conf)
    ssc = cls(sc, graph["interval_ms"] / 1000.0)
    ssc._interval_ms = graph["interval_ms"]
    ssc._inputs = graph["inputs"]
    ssc._outputs = graph["outputs"]
    ssc._remember_ms = graph["remember_ms"]
    ssc.checkpoint(directory)
    ssc._restored = True
    return ssc


def _unreadable(directory: str, why: str) -> StreamingError:
    return spark_error(
        f"Failed to read checkpoint from directory {directory}: {why}", "getOrCreate"
    )


def _listing(path: str) -> list[str]:
    return os.listdir(path) if os.path.isdir(path) else []


def _write(path: str, content: bytes) -> None:
    with open(path + ".tmp", "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tmp", path)
