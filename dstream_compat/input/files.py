"""Directories as input: which of their files belong to which tick, and how each is split."""

from __future__ import annotations

import itertools
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from dstream_compat.stages.partitions import (
    Batch,
    BrokenPartition,
    InputInfo,
    Partition,
    RecordSplit,
    TextSplit,
)

BLOCK_SIZE = 32 << 20  # of Hadoop's local file system
SLOP = 1.1  # the last split may be this much longer than the others
COMPRESSED = (".gz", ".bz2", ".deflate", ".zst", ".lz4", ".snappy")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Entry:
    """What a directory listing says of one file or directory."""

    path: str
    name: str
    modified: int
    is_dir: bool
    size: int


class FileSystem(Protocol):
    """Where files are. Paths going in and out are Hadoop's, such as ``file:/in/a.txt``."""

    def directories(self, pattern: str) -> list[str]:
        """The directories a Hadoop glob pattern matches, sorted; none if nothing is there."""

    def entries(self, directory: str, after: int) -> Iterable[Entry]:
        """What is directly in a directory and was modified after the time ``after``, in ms.

        The order is that in which the file system lists it.
        """

    def split(self, path: str, record_length: int | None = None) -> tuple[Partition, ...]:
        """How to read a file, or the files directly in a directory, as lines or as records.

        An empty file has no partitions. What cannot be read becomes ``BrokenPartition``; nothing is
        raised.
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
            for alternative in _alternatives(pattern)
            for path in _glob(local_path(alternative).split("/")[1:])
            if os.path.isdir(path)
        )
        return [f"file:{path}" for path in sorted(found, key=_in_uri)]

    def entries(self, directory: str, after: int) -> Iterable[Entry]:
        return [entry for entry in _scan(local_path(directory)) if entry.modified > after]

    def split(self, path: str, record_length: int | None = None) -> tuple[Partition, ...]:
        if scheme_of(path) not in ("", "file"):
            return self._foreign_split(path, record_length)
        plain = local_path(path)
        try:
            if not os.path.isdir(plain):
                return self._split_file(plain, os.stat(plain).st_size, record_length)
            # legacy: a sub-directory that is selected stands for the files in it at that moment.
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
            return (BrokenPartition(f"Reading {path} needs Hadoop, which is not at hand here."),)
        return self._foreign(path)


class FileSource:
    """The new files of a directory (or of all that match a glob pattern), tick by tick.

    A file is taken at the first tick that is not before its modification time, if that is after
    the stream was made (``created_ms``) and less than the remembered span ago, and if the same
    path was not taken within that span. ``min_remember_ms`` is that span, rounded up to whole
    intervals; ``remember_ms`` only lengthens how long taken paths are known.
    """

    on_demand = True

    def __init__(
        self,
        directory: str,
        *,
        interval_ms: int,
        created_ms: int,
        min_remember_ms: int = 60_000,
        remember_ms: int = 0,
        filesystem: FileSystem,
        record_length: int | None = None,
    ) -> None:
        self._directory = directory
        self._interval = interval_ms
        self._created = created_ms
        self._span = -(-min_remember_ms // interval_ms) * interval_ms
        self._remember = max(self._span, remember_ms)
        self._filesystem = filesystem
        self._record_length = record_length
        self._taken: dict[int, list[str]] = {}
        self._complaint = ""

    @property
    def remember_ms(self) -> int:
        """How long a logged batch matters to :meth:`recover`."""
        return self._remember + 2 * self._interval

    def start(self, zero_time: int) -> None:
        """Nothing to begin: a directory is looked at when a tick asks."""

    def stop(self) -> None:
        """Nothing to end."""

    def recover(self, history: Iterable[tuple[int, Batch]]) -> None:
        """Know again which files were taken."""
        for tick, batch in history:
            if batch.info is not None:
                self._taken[tick] = list(batch.info.metadata.get("files", ()))

    def take(self, tick: int) -> Batch:
        """The lines or records of the files that are new at ``tick``."""
        # legacy: taken files are forgotten when a batch completes, so that at a tick it is the
        # previous one that counts.
        forgotten = tick - self._interval - self._remember
        self._taken = {at: files for at, files in self._taken.items() if at >= forgotten}
        new = self._new_entries(tick)
        self._taken[tick] = [entry.path for entry in new]
        files = [entry.path for entry in new if not self._refused(entry)]
        partitions: list[Partition] = []
        for path in files:
            found = self._filesystem.split(path, self._record_length)
            if not found:
                logger.warning("%s has no data in it; what it gets later is not read.", path)
            partitions += found
        metadata = {"files": files, "Description": "\n".join(files)}
        return Batch(tuple(partitions), InputInfo(0, metadata))

    def _new_entries(self, tick: int) -> list[Entry]:
        known = set(itertools.chain.from_iterable(self._taken.values()))
        oldest = max(self._created, tick - self._span)
        try:
            directories = self._filesystem.directories(self._directory)
            new = [
                entry
                for directory in directories
                for entry in self._filesystem.entries(directory, after=oldest)
                if not entry.name.startswith(".")
                and entry.modified <= tick
                and entry.path not in known
            ]
        except Exception as error:  # legacy: whatever goes wrong here costs this batch its files
            self._complain(f"Error finding new files under {self._directory}: {error}")
            return []
        self._complain("" if directories else f"No directory to scan: {self._directory}")
        return new

    def _complain(self, complaint: str) -> None:
        """Warn once, not at every tick, for as long as nothing changes."""
        if complaint and complaint != self._complaint:
            logger.warning("%s", complaint)
        self._complaint = complaint

    @staticmethod
    def _refused(entry: Entry) -> bool:
        if not entry.name.startswith("_"):
            return False
        logger.warning("%s is left out: Hadoop hides names that start with '_'.", entry.path)
        return True


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


def _scan(directory: str) -> Iterator[Entry]:
    with os.scandir(directory) as found:
        for item in found:
            try:
                item.name.encode()  # legacy: names that are not text are not seen
                stat = item.stat()
            except (FileNotFoundError, UnicodeEncodeError):
                continue
            modified = stat.st_mtime_ns // 1_000_000
            yield Entry(f"file:{item.path}", item.name, modified, item.is_dir(), stat.st_size)


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


def _alternatives(pattern: str) -> Iterator[str]:
    """A glob pattern without braces that hold slashes: ``a{b/c,d}`` is ``ab/c`` and ``ad``."""
    depth, cuts = 0, list[int]()
    for match in re.finditer(r"\\.|[{},]", pattern):
        at = match.start()
        if match[0] == "{":
            depth += 1
            if depth == 1:
                cuts = [at]
        elif match[0] == "," and depth == 1:
            cuts.append(at)
        elif match[0] == "}" and depth:
            depth -= 1
            if not depth and "/" in pattern[cuts[0] : at]:
                for begin, end in itertools.pairwise([*cuts, at]):
                    inside = pattern[begin + 1 : end]
                    yield from _alternatives(pattern[: cuts[0]] + inside + pattern[at + 1 :])
                return
    yield pattern


def _glob(components: list[str], root: str = "/") -> Iterator[str]:
    """The existing paths under ``root`` that match, where ``*`` matches names with dots too."""
    if not components:
        yield root
        return
    head, *rest = components
    if not re.search(r"[*?\[{]", re.sub(r"\\.", "", head)):
        path = os.path.join(root, re.sub(r"\\(.)", r"\1", head))
        if os.path.exists(path):
            yield from _glob(rest, path)
        return
    matches = re.compile(_as_regex(head), re.DOTALL).fullmatch
    try:
        names = os.listdir(root)
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        if matches(name):
            yield from _glob(rest, os.path.join(root, name))


def _as_regex(glob: str) -> str:
    regex, depth = "", 0
    for token in re.findall(r"\\.|\[[^]]+\]|.", glob, re.DOTALL):
        if token == "{":
            depth += 1
            regex += "(?:"
        elif token == "}" and depth:
            depth -= 1
            regex += ")"
        elif token == "," and depth:
            regex += "|"
        elif token in ("*", "?"):
            regex += ".*" if token == "*" else "."
        elif token[0] == "[":
            regex += re.sub(r"^\[!", "[^", token)  # unclosed, it does not compile
        else:
            regex += re.escape(token[-1])
    return regex
