"""File systems: what a directory holds, and how a file is cut into partitions."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from dstream_compat.input.globs import alternatives, glob_paths
from dstream_compat.stages.partitions import BrokenPartition, Partition, RecordSplit, TextSplit

BLOCK_SIZE = 32 << 20  # of Hadoop's local file system
SLOP = 1.1  # the last split may be this much longer than the others
COMPRESSED = (".gz", ".bz2", ".deflate", ".zst", ".lz4", ".snappy")


@dataclass(frozen=True)
class ListedFile:
    """What a directory listing says of one file or directory."""

    path: str
    name: str
    modified: int
    is_dir: bool
    size: int


class FileSystem(Protocol):
    """Where files are. Paths going in and out are Hadoop's, such as ``file:/in/a.txt``."""

    def directories(self, pattern: str) -> list[str]:
        """The directories that a Hadoop glob pattern matches, sorted."""

    def entries(self, directory: str, after: int) -> Iterable[ListedFile]:
        """What is directly in a directory and was modified after the time ``after``, in ms.

        In the order in which the file system lists it.
        """

    def split(self, path: str, record_length: int | None = None) -> tuple[Partition, ...]:
        """How to read a file, or the files directly in a directory, as lines or as records.

        An empty file has no partitions. What cannot be read becomes ``BrokenPartition``;
        nothing is raised.
        """


class LocalFileSystem:
    """Files that this process and the executors open by plain paths or ``file:`` URIs.

    Compressed files are given to ``foreign``, which must answer with partitions of their lines.
    """

    def __init__(
        self,
        foreign: Callable[[str], tuple[Partition, ...]] | None = None,
        *,
        split_size: int = BLOCK_SIZE,
        compressed: Iterable[str] = COMPRESSED,
    ) -> None:
        self._foreign = foreign
        self._split_size = split_size
        self._compressed = tuple(compressed)

    def directories(self, pattern: str) -> list[str]:
        found = (
            path
            for alternative in alternatives(pattern)
            for path in glob_paths(local_path(alternative).split("/")[1:])
            if os.path.isdir(path)
        )
        return [f"file:{path}" for path in sorted(found, key=_in_uri)]

    def entries(self, directory: str, after: int) -> Iterable[ListedFile]:
        return [entry for entry in _scan(local_path(directory)) if entry.modified > after]

    def split(self, path: str, record_length: int | None = None) -> tuple[Partition, ...]:
        if scheme_of(path) not in ("", "file"):
            return self._foreign_split(path, record_length)
        plain = local_path(path)
        try:
            if not os.path.isdir(plain):
                return self._split_file(plain, os.stat(plain).st_size, record_length)
            # legacy: a selected subdirectory stands for the files in it at that moment
            inside = [e for e in _scan(plain) if not (e.is_dir or e.name.startswith((".", "_")))]
        except FileNotFoundError:
            return (BrokenPartition(f"Input path does not exist: file:{plain}"),)
        except OSError as error:
            return (BrokenPartition(f"Cannot read file:{plain}: {error.strerror}."),)
        return tuple(
            itertools.chain.from_iterable(
                self._split_file(local_path(entry.path), entry.size, record_length)
                for entry in inside
            )
        )

    def _split_file(
        self, plain: str, size: int, record_length: int | None
    ) -> tuple[Partition, ...]:
        if not size:
            return ()
        if plain.endswith(self._compressed):
            return self._foreign_split(f"file:{plain}", record_length)
        if record_length is None:
            spans = _spans(size, self._split_size)
            return tuple(TextSplit(plain, start, length) for start, length in spans)
        if record_length <= 0:
            return (BrokenPartition(f"The record length must be positive, not {record_length}."),)
        spans = _spans(size, max(1, self._split_size // record_length) * record_length)
        return tuple(RecordSplit(plain, start, length, record_length) for start, length in spans)

    def _foreign_split(self, path: str, record_length: int | None) -> tuple[Partition, ...]:
        if record_length is not None:
            return (BrokenPartition(f"Fixed-length records cannot be read from {path}."),)
        if self._foreign is None:
            return (BrokenPartition(f"Reading {path} needs Hadoop, which is not available here."),)
        return self._foreign(path)


def scheme_of(path: str) -> str:
    """The scheme of a Hadoop path, or an empty string.

    >>> scheme_of("hdfs://host/in"), scheme_of("/in/a:b")
    ('hdfs', '')
    """
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", path)
    return match[1].lower() if match else ""


def local_path(path: str) -> str:
    """The absolute plain path of a plain path or ``file:`` URI, whose ``%`` are taken literally."""
    if not path:
        raise ValueError("Can not create a Path from an empty string")
    if scheme_of(path) == "file":
        path = re.sub(r"^[^:]*:(//[^/]*)?", "", path)
        if not path.startswith("/"):
            raise ValueError(f"Relative path in absolute URI: file:{path}")
    return "/" + os.path.normpath(os.path.join(os.getcwd(), path)).lstrip("/")


def _scan(directory: str) -> Iterator[ListedFile]:
    with os.scandir(directory) as found:
        for item in found:
            try:
                item.name.encode()  # legacy: names that are not valid text are ignored
                stat = item.stat()
            except (FileNotFoundError, UnicodeEncodeError):
                continue
            modified = stat.st_mtime_ns // 1_000_000
            yield ListedFile(f"file:{item.path}", item.name, modified, item.is_dir(), stat.st_size)


def _spans(size: int, split_size: int) -> Iterator[tuple[int, int]]:
    start = 0
    while (size - start) / split_size > SLOP:
        yield start, split_size
        start += split_size
    if start < size:
        yield start, size - start


def _in_uri(path: str) -> str:
    """``path`` as it stands in a URI, which is what Hadoop sorts by."""
    escape = r"[^A-Za-z0-9_\-!.~'()*;/:@&=+$,\x80-\U0010ffff]"
    return re.sub(escape, lambda match: f"%{ord(match[0]):02X}", path)
