"""What the driver tells the tasks of a micro-batch, and how a worker opens it.

The message travels in a local property of the job. Functions are pickled inside it, or in a file
that it names, so that a worker can open them again for every partition.
"""

from __future__ import annotations

import base64
import contextlib
import os
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark import SparkFiles, TaskContext, cloudpickle

from dstream_compat.base.pyspark_internals import broadcast_from
from dstream_compat.stages.frames import Tick
from dstream_compat.stages.tasks import Setting

PROPERTY = "dstream_compat.batch"
PREFIX = "dstream_compat-"  # of the names of published files
_OLD = 60.0  # seconds a file is left alone: a late task must not delete a file that is new to it

Span = tuple[str, int, Sequence[tuple[int, int, int, int]]]  # topic, partition, slices of offsets


@dataclass(frozen=True)
class KafkaOrders:
    """What Kafka's tasks read in this micro-batch, and what Kafka has deleted meanwhile.

    ``reads`` gives, by source, the number of its first task and what each of its tasks reads.
    """

    reads: Mapping[int, tuple[int, Sequence[Span]]] = field(default_factory=dict)
    ticks: Sequence[tuple[int, Tick]] = ()
    lost: Sequence[tuple[int, int, int, str]] = ()  # source, tick, partition, why


@dataclass(frozen=True)
class TaskOrders:
    """``functions`` is the pickled table, or None where ``file`` names the file that holds it.

    ``kept`` are the published files that executors still need; None if they read the driver's own.
    See :class:`Setting` for the rest.
    """

    functions: bytes | None
    file: str | None = None
    kept: Sequence[str] | None = None
    inline: int = 0
    drops: bool = False
    poisoned: Mapping[int, str] = field(default_factory=dict)
    kafka: KafkaOrders = KafkaOrders()

    def encoded(self) -> str:
        return base64.b64encode(pickle.dumps(self, protocol=5)).decode()

    def setting(self, slots: int) -> Setting:
        """With the functions opened, or the reason why they could not be."""
        _tidy(self.kept)
        functions: Sequence[Callable[..., Any]] = ()
        error, reopen = None, None
        try:
            pickled = self._pickled()
            functions = _open(pickled)
            reopen = lambda: cloudpickle.loads(pickled)  # noqa: E731
        except Exception as raised:  # a module that the executor lacks, most often
            error = f"{type(raised).__name__}: {raised}"
        return Setting(
            functions,
            slots,
            self.inline,
            self.drops,
            self.poisoned,
            error,
            self.kafka.lost,
            reopen,
        )

    def _pickled(self) -> bytes:
        if self.file is None:
            assert self.functions is not None
            return self.functions
        with open(fetch(self.file), "rb") as file:
            return file.read()


def received() -> TaskOrders | None:
    """The orders of the task that runs here; None if it has none."""
    context = TaskContext.get()
    text = context.getLocalProperty(PROPERTY) if context is not None else None
    return None if text is None else decoded(text)


def decoded(text: str) -> TaskOrders:
    orders: TaskOrders = pickle.loads(base64.b64decode(text))
    return orders


_Named = tuple[int, str]
# Of this worker process: a broadcast's value is read once, and dropped when a table of functions
# is opened that does not use it.
_broadcasts: dict[_Named, Any] = {}
_asked: set[_Named] = set()


def open_broadcast(number: int, file: str) -> Any:
    """A broadcast on the worker; its value is read when it is first used."""
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
