"""The user's functions on their way to the workers: pickled anew for every micro-batch.

legacy: functions are pickled when a batch is generated, so a ``map`` sees what the driver changed
since the last one. The plan of a query is fixed, so the functions travel beside it, in a local
property of the job (a file, where they are large).
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import os
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pyspark import Broadcast, SparkContext, SparkFiles, cloudpickle

from dstream_compat.base.pyspark_internals import (
    broadcast_file,
    broadcast_from,
    broadcast_id,
    encrypts_files,
    setting,
)
from dstream_compat.stages.operators.wide import MEMORY

PROPERTY = "dstream_compat.batch"
PREFIX = "dstream_compat-"  # of the names of published files
_LARGE = 256 * 1024
_OLD = 60.0  # seconds that a file is left alone: a late task must not delete what is new to it
_NO_KAFKA: Mapping[str, Any] = {"reads": {}, "ticks": (), "lost": ()}


class Table:
    """Pickles functions for the tasks of the next job of this thread."""

    def __init__(self, sc: SparkContext, directory: str) -> None:
        from dstream_compat.base.settings import size
        from dstream_compat.engine.executor_files import Published  # the driver's side

        self._sc = sc
        memory = size(partial(setting, sc), "spark.python.worker.memory", 512 << 20)
        self._memory_mb = max(1, memory >> 20)
        self.published = Published(sc, directory)

    def pickle(self, functions: Sequence[Callable[..., Any]]) -> bytes:
        """May raise what cloudpickle raises for a function that cannot be sent."""
        self.published.next_batch()
        buffer = io.BytesIO()
        _Pickler(buffer, self).dump(tuple(functions))  # type: ignore[no-untyped-call]
        return buffer.getvalue()

    def send(
        self,
        pickled: bytes,
        inline: int,
        poisoned: Mapping[int, str],
        drops: bool = False,
        kafka: Mapping[str, Any] | None = None,
    ) -> None:
        """Tell the tasks that this thread starts from now on.

        ``kafka``: what Kafka's tasks are to read, and what Kafka has deleted meanwhile.
        """
        file = None
        if len(pickled) > _LARGE:
            key = f"functions-{hashlib.sha256(pickled).hexdigest()[:32]}"
            file = self.published.content(key, pickled)
        content = {
            "functions": None if file else pickled,
            "file": file,
            "kept": self.published.names,
            "inline": inline,
            "drops": drops,
            "poisoned": dict(poisoned),
            **(kafka or _NO_KAFKA),
        }
        text = base64.b64encode(pickle.dumps(content, protocol=5)).decode()
        self._sc.setLocalProperty(PROPERTY, text)
        self._sc.setLocalProperty(MEMORY, str(self._memory_mb))


class _Pickler(cloudpickle.CloudPickler):
    """cloudpickle, but a broadcast is sent as the name of the file that holds its value.

    PySpark attaches broadcasts to the function that a plan was made with; ours are pickled later.
    """

    def __init__(self, buffer: io.BytesIO, table: Table) -> None:
        super().__init__(buffer)  # type: ignore[no-untyped-call]
        self._table = table

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Broadcast):
            number = broadcast_id(obj)
            path = broadcast_file(obj)
            if encrypts_files(self._table._sc) or not path or not os.path.exists(path):
                value = pickle.dumps(obj.value, protocol=5)
                file = self._table.published.content(f"broadcast-{number}", value)
            else:
                file = self._table.published.file(f"broadcast-{number}", path)
            return open_broadcast, (number, file)
        return super().reducer_override(obj)  # type: ignore[no-untyped-call]


_Named = tuple[int, str]
# of this worker process: a broadcast's value is read once, and let go of by the first table that
# does not ask for it
_broadcasts: dict[_Named, Any] = {}
_asked: set[_Named] = set()


def open_broadcast(number: int, file: str) -> Any:
    """The worker's side of a broadcast; its value is read when it is first asked for."""
    named = number, file
    _asked.add(named)
    if named not in _broadcasts:
        _broadcasts[named] = broadcast_from(fetch(file))
    return _broadcasts[named]


def fetch(file: str) -> str:
    """The path, on this machine, of a file the driver published."""
    return file if os.path.isabs(file) else SparkFiles.get(file)


def _open(pickled: bytes) -> Any:
    _asked.clear()
    functions = cloudpickle.loads(pickled)
    for named in _broadcasts.keys() - _asked:
        del _broadcasts[named]
    return functions


def _tidy(kept: Sequence[str] | None) -> None:
    """Delete what this executor fetched for batches that are over."""
    if kept is None:
        return
    folder = SparkFiles.getRootDirectory()
    for name in os.listdir(folder):
        if name.startswith(PREFIX) and name not in kept:
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):  # other workers do the same
                if time.time() - os.stat(path).st_mtime > _OLD:
                    os.unlink(path)


def received(text: str | None) -> dict[str, Any]:
    """What :meth:`Table.send` sent, on the worker: functions opened, or why they could not be.

    ``reopen`` opens them again.
    """
    if text is None:
        return {
            "functions": (),
            "inline": 0,
            "drops": False,
            "poisoned": {},
            **_NO_KAFKA,
            "error": "no functions were sent",
            "reopen": None,
        }
    content: dict[str, Any] = pickle.loads(base64.b64decode(text))
    content["error"] = content["reopen"] = None
    _tidy(content["kept"])
    try:
        pickled = content["functions"]
        if content["file"]:
            with open(fetch(content["file"]), "rb") as file:
                pickled = file.read()
        content["functions"] = _open(pickled)
        content["reopen"] = lambda: cloudpickle.loads(pickled)
    except Exception as error:  # a module that the executor lacks, most often
        content["functions"] = ()
        content["error"] = f"{type(error).__name__}: {error}"
    return content
