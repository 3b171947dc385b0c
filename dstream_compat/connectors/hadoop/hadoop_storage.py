"""A checkpoint directory on any file system that Hadoop knows: ``hdfs:``, ``s3a:``, ``abfss:`` …

Files are written through the same manager as the checkpoint of a streaming query, so that they
appear whole or not at all wherever Spark knows how to do that.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import unquote, urlparse

from dstream_compat.base.pyspark_internals import (
    Py4JError,
    checkpoint_file_manager,
    default_hadoop_conf,
    java_cause,
    launch_jvm,
    running_jvm,
)
from dstream_compat.input.storage import LocalStorage, Storage

T = TypeVar("T")

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")


def storage_for(directory: str, durable: bool = True) -> Storage:
    """What keeps a checkpoint in ``directory``: a path, a ``file:`` URI, or any URI of Hadoop's.

    legacy: a path without a scheme is on Hadoop's default file system. It is local where no JVM
    runs yet that says otherwise.
    """
    scheme = _SCHEME.match(directory)
    if scheme is None and (running_jvm() is None or _default_scheme() == "file"):
        return LocalStorage(directory, durable)
    if scheme is not None and scheme[1].lower() == "file":
        return LocalStorage(unquote(urlparse(directory).path), durable)
    return HadoopStorage(directory)


class HadoopStorage:
    """A directory that the driver's JVM reads and writes."""

    is_local = False

    def __init__(self, directory: str) -> None:
        launch_jvm()
        path = _hadoop().fs.Path(directory)
        self._conf = default_hadoop_conf()
        self._files = _asked(lambda: path.getFileSystem(self._conf))
        self._root: str = self._files.makeQualified(path).toString().rstrip("/")
        module = checkpoint_file_manager()
        self._manager = _asked(lambda: module.create(_hadoop().fs.Path(self._root), self._conf))

    def path(self, name: str = "") -> str:
        return f"{self._root}/{name}" if name else self._root

    def name_of(self, path: str) -> str:
        return path.removeprefix(self._root + "/")

    def within(self, name: str) -> HadoopStorage:
        return HadoopStorage(self.path(name))

    def make(self) -> None:
        _asked(lambda: self._manager.mkdirs(self._path()))

    def sizes(self, name: str = "") -> dict[str, int]:
        found = {status.getPath().getName(): status.getLen() for status in self._listed(name)}
        return {name: size for name, size in found.items() if not name.startswith(".")}

    def read(self, name: str) -> bytes:
        def content() -> bytes:
            stream = self._manager.open(self._path(name))
            try:
                return bytes(stream.readAllBytes())
            finally:
                stream.close()

        return _asked(content)

    def write(self, name: str, content: bytes) -> None:
        def written() -> None:
            path = self._path(name)
            self._manager.mkdirs(path.getParent())
            stream = self._manager.createAtomic(path, True)
            try:
                stream.write(bytearray(content))
                stream.close()
            except BaseException:
                stream.cancel()
                raise

        _asked(written)

    def rename(self, name: str, new: str) -> None:
        def renamed() -> None:
            target = self._path(new)
            self._manager.mkdirs(target.getParent())
            if not self._files.rename(self._path(name), target):
                raise OSError(f"{self.path(name)} could not be renamed to {self.path(new)}")

        _asked(renamed)

    def delete(self, name: str) -> None:
        _asked(lambda: self._manager.delete(self._path(name)))

    def sweep(self) -> None:
        """A write that was cut off leaves a file that begins with a dot, or nothing."""
        here = self._listed("")
        folders = [status.getPath().getName() for status in here if status.isDirectory()]
        for status in [*here, *(inner for folder in folders for inner in self._listed(folder))]:
            name = status.getPath().getName()
            if name.startswith(".") and name.endswith(".tmp"):
                self.delete(self.name_of(status.getPath().toString()))

    def _listed(self, name: str) -> list[Any]:
        path = self._path(name)
        if not _asked(lambda: self._manager.exists(path)):
            return []
        return list(_asked(lambda: self._files.listStatus(path)))

    def _path(self, name: str = "") -> Any:
        return _hadoop().fs.Path(self.path(name))


def _asked(question: Callable[[], T]) -> T:
    """What the JVM answers; its errors as OSError with one line of what is wrong."""
    try:
        return question()
    except OSError:
        raise
    except Exception as error:
        java = java_cause(error)
        if java is None and not isinstance(error, Py4JError):
            raise
        text = str(error) if java is None else java.toString()
        raise OSError((text.splitlines() or [type(error).__name__])[0][:300]) from None


def _default_scheme() -> str:
    scheme: str = _hadoop().fs.FileSystem.getDefaultUri(default_hadoop_conf()).getScheme()
    return scheme


def _hadoop() -> Any:
    jvm: Any = running_jvm()
    return jvm.org.apache.hadoop
