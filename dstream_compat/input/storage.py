"""A directory of whole files: where a checkpoint's log, blocks and graph lie.

On a local disk here; on what only Hadoop can reach in
:mod:`dstream_compat.connectors.hadoop.hadoop_storage`. A file appears whole or not at all. Names
are relative, with ``/`` between their parts; those that
begin with a dot are files still being written.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Protocol

_TORN = ".tmp"


class Storage(Protocol):
    """Safe for use by many threads; every call that cannot be carried out raises OSError."""

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
        """Make the directory itself, if need be."""

    def sizes(self, name: str = "") -> dict[str, int]:
        """What a directory holds, with sizes; empty if there is no such directory."""

    def read(self, name: str) -> bytes: ...

    def write(self, name: str, content: bytes) -> None:
        """Make or replace a file; it is safe when this returns. Makes its directory."""

    def rename(self, name: str, new: str) -> None:
        """Give a file or directory another name; its new parent is made."""

    def delete(self, name: str) -> None:
        """Remove a file, or a directory with all that is in it; nothing there is no error."""

    def sweep(self) -> None:
        """Remove what writes that were cut off have left, one level deep."""


class LocalStorage:
    """Plain files. Not ``durable``: fast, and gone after a power cut.

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
