"""A directory of whole files: it holds a checkpoint's log, blocks and graph.

This module stores on a local disk; :mod:`dstream_compat.connectors.hadoop.hadoop_storage` stores on
file systems that only Hadoop can reach. A file appears whole or not at all. Names are relative,
with ``/`` between their parts; names that begin with a dot are files still being written.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Protocol

_TORN = ".tmp"


class Storage(Protocol):
    """Safe for use by many threads; every call that fails raises OSError."""

    @property
    def is_local(self) -> bool:
        """Whether paths can be opened by every process of this machine."""

    def path(self, name: str = "") -> str:
        """The full path or URI of a name, as Spark takes it."""

    def name_of(self, path: str) -> str:
        """The inverse of :meth:`path`."""

    def within(self, name: str) -> Storage:
        """The storage of a directory in this one."""

    def make(self) -> None:
        """Create the directory itself, if needed."""

    def sizes(self, name: str = "") -> dict[str, int]:
        """The content of a directory, with sizes; empty if the directory does not exist."""

    def read(self, name: str) -> bytes: ...

    def write(self, name: str, content: bytes) -> None:
        """Create or replace a file; it is stored when this returns. Creates its directory."""

    def rename(self, name: str, new: str) -> None:
        """Rename a file or directory; creates its new parent."""

    def delete(self, name: str) -> None:
        """Remove a file, or a directory with its content; no error if it does not exist."""

    def sweep(self) -> None:
        """Remove the remains of interrupted writes, one level deep."""


class LocalStorage:
    """Plain files. If not ``durable``: faster, and lost after a power cut.

    >>> import tempfile
    >>> storage = LocalStorage(tempfile.mkdtemp())
    >>> storage.write("a/b", b"content")
    >>> storage.sizes("a"), storage.read("a/b")
    ({'b': 7}, b'content')
    """

    is_local = True

    def __init__(self, directory: str | os.PathLike[str], durable: bool = True) -> None:
        self._root = Path(os.path.abspath(directory))
        self._durable = durable

    def path(self, name: str = "") -> str:
        return str(self._root / name)

    def name_of(self, path: str) -> str:
        return Path(path).relative_to(self._root).as_posix()

    def within(self, name: str) -> LocalStorage:
        return LocalStorage(self._root / name, self._durable)

    def make(self) -> None:
        self._root.mkdir(parents=True, exist_ok=True)

    def sizes(self, name: str = "") -> dict[str, int]:
        try:
            with os.scandir(self._root / name) as found:
                return {e.name: e.stat().st_size for e in found if not e.name.startswith(".")}
        except (FileNotFoundError, NotADirectoryError):
            return {}

    def read(self, name: str) -> bytes:
        return (self._root / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        path = self._root / name
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._sync(path.parent.parent)
        torn = path.with_name(f".{path.name}{_TORN}")
        try:
            with open(torn, "wb") as file:
                file.write(content)
                file.flush()
                if self._durable:
                    os.fsync(file.fileno())
            os.replace(torn, path)
        except BaseException:
            torn.unlink(missing_ok=True)
            raise
        self._sync(path.parent)

    def rename(self, name: str, new: str) -> None:
        (self._root / new).parent.mkdir(parents=True, exist_ok=True)
        os.rename(self._root / name, self._root / new)

    def delete(self, name: str) -> None:
        path = self._root / name
        try:
            path.unlink()
        except FileNotFoundError:
            pass
        except (IsADirectoryError, PermissionError):  # a directory, on Linux and on macOS
            shutil.rmtree(path)

    def sweep(self) -> None:
        for pattern in (f".*{_TORN}", f"*/.*{_TORN}"):
            for torn in self._root.glob(pattern):
                torn.unlink(missing_ok=True)

    def _sync(self, directory: Path) -> None:
        """Make names created in a directory survive a power cut."""
        if self._durable:
            descriptor = os.open(directory, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
