"""Driver files that every executor can read for as long as a batch may need them."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

from pyspark import SparkFiles

from dstream_compat.base.pyspark_internals import forget_file, is_local
from dstream_compat.stages.orders import PREFIX

if TYPE_CHECKING:
    from pyspark import SparkContext

_KEPT = 3  # batches; a retried task belongs to the latest one


class Published:
    """Publishes each key once, however often it is requested.

    On a cluster files travel by ``addFile``: an executor fetches all of them before its next task.
    Files that are no longer requested are removed from that list and from the disk.
    """

    def __init__(self, sc: SparkContext, directory: str) -> None:
        self._sc = sc
        self._directory = directory
        self._local = is_local(sc)
        self._names: dict[str, str] = {}
        self._asked: dict[str, int] = {}  # the batch of the latest request
        self._batch = 0
        self._serial = count()

    def next_batch(self) -> None:
        """Drop what the last few batches did not request."""
        self._batch += 1
        for key in [key for key, batch in self._asked.items() if batch <= self._batch - _KEPT]:
            del self._asked[key]
            self._drop(self._names.pop(key))

    def content(self, key: str, content: bytes) -> str:
        """Publish bytes; returns what :func:`stages.orders.fetch` takes."""

        def write(path: str) -> None:
            with open(path, "wb") as file:
                file.write(content)

        return self._publish(key, write)

    def file(self, key: str, path: str) -> str:
        """Publish a file; its owner may delete it at any time."""
        return path if self._local else self._publish(key, lambda ours: _copy(path, ours))

    @property
    def names(self) -> list[str] | None:
        """The files that executors have to keep; None if they read the driver's own."""
        return None if self._local else list(self._names.values())

    def _publish(self, key: str, write: Callable[[str], None]) -> str:
        if key not in self._names:
            # never the same name twice: executors would use the old file they still have
            name = f"{PREFIX}{next(self._serial)}-{key}"
            path = os.path.join(self._directory, name)
            write(path)
            if not self._local:
                self._sc.addFile(path)
            self._names[key] = name
        self._asked[key] = self._batch
        name = self._names[key]
        return os.path.join(self._directory, name) if self._local else name

    def _drop(self, name: str) -> None:
        path = os.path.join(self._directory, name)
        with contextlib.suppress(OSError):
            os.unlink(path)
            if self._local:
                return
            # a job in another thread may still have a new executor fetch it
            with open(path, "wb"):
                pass
            os.unlink(SparkFiles.get(name))  # the copy that addFile makes for the driver
        with contextlib.suppress(Exception):  # private: if Spark changes it, files are just kept
            forget_file(self._sc, name)


def _copy(path: str, to: str) -> None:
    try:
        os.link(path, to)
    except OSError:  # another file system
        shutil.copyfile(path, to)
