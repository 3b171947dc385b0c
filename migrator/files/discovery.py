"""Which files a run is about: paths and directories in, files with their bytes out.

A quick look at a file's bytes decides, before anything is parsed, whether it may use DStreams: most
files of a tree do not.
"""

from __future__ import annotations

import enum
import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

STDIN = "-"

PYTHON_SUFFIXES = (".py", ".ipynb")
SKIPPED_DIRECTORIES = frozenset(
    {
        *("__pycache__", "__pypackages__", "node_modules", "site-packages", "venv"),
        *(".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pytest_cache"),
        *(".ruff_cache", ".svn", ".tox", ".venv"),
    }
)

_AROUND_SUFFIXES = (
    *(".sh", ".bash", ".zsh", ".bat", ".cmd", ".ps1", ".mk", ".service", ".dockerfile"),
    *(".yaml", ".yml", ".conf", ".cfg", ".ini", ".toml", ".properties", ".env"),
)
_AROUND_NAMES = re.compile(
    r"dockerfile([.-].*)?|containerfile|makefile|jenkinsfile|pipfile|procfile|crontab|\.env"
    r"|(.*[-_.])?(requirements|constraints)([-_.].*)?\.(txt|in)|requirements.*\.txt"
)

# A file that uses DStreams has one of these strings, apart from `pyspark` and `streaming`, which
# an import has in whatever way it is written. One by one they are found faster than by a pattern.
_HINTS = (
    *(b"StreamingContext", b"DStream", b"dstream_compat", b"foreachRDD", b"updateStateByKey"),
    *(b"ByKeyAndWindow", b"KafkaUtils", b"KinesisUtils", b"MQTTUtils", b"FlumeUtils"),
    *(b"TwitterUtils", b"ZeroMQUtils", b"AMQPUtils", b"createDirectStream", b"socketTextStream"),
    *(b"textFileStream", b"queueStream", b"binaryRecordsStream", b"receiverStream"),
    b"spark-streaming-",
)
_CONTEXT = re.compile(rb"\bssc\b")
# Only code that uses DStreams has one of these: such a file counts as a job even if it cannot be
# parsed.
_SURE = re.compile(
    rb"pyspark\.streaming|dstream_compat|StreamingContext|foreachRDD|updateStateByKey|createDirectStream"
)
_AROUND_HINTS = re.compile(rb"(?i)spark|kafka|python")


class NotFound(Exception):
    """A path that was asked for and is not there; the text is a sentence."""


class FileRole(enum.Enum):
    JOB = "a Python file or notebook"
    AROUND = "what lies around jobs: scripts, images, requirements, settings"


@dataclass(frozen=True)
class File:
    """A file of a run with its bytes, or with the reason why they could not be read."""

    path: str
    """As the user would write it; ``-`` for standard input."""
    raw: bytes = field(repr=False)
    role: FileRole = FileRole.JOB
    error: str | None = None
    named_elsewhere: bool = False
    """Whether the word it goes by is in a file that is not analysed together with it."""

    @property
    def hinted(self) -> bool:
        """Whether its bytes mention DStreams (or, around jobs, Spark) at all."""
        if self.role is FileRole.AROUND:
            return _AROUND_HINTS.search(self.raw) is not None
        if b"streaming" in self.raw and b"pyspark" in self.raw:
            return True
        if any(hint in self.raw for hint in _HINTS):
            return True
        return b"ssc" in self.raw and _CONTEXT.search(self.raw) is not None

    @property
    def surely_a_job(self) -> bool:
        return _SURE.search(self.raw) is not None


def discover(
    paths: Iterable[str],
    excludes: Callable[[str], bool] = lambda path: False,
    *,
    stdin: bytes | None = None,
) -> Iterator[File]:
    """All files below the paths, each once, in order.

    Files named outright are taken whatever they are called; directories give Python files,
    notebooks, Python scripts without a suffix, and what lies around jobs. ``excludes`` says which
    files and directories to leave out. Raises :class:`NotFound`.
    """
    seen: set[str] = set()
    for path in paths:
        if path == STDIN:
            yield File(STDIN, stdin or b"")
        elif os.path.isdir(path):
            locked: list[File] = []
            for found in _below(path, excludes, locked):
                if _first_time(found, seen):
                    yield from _opened(found, named=False)
            yield from locked
        elif os.path.exists(path):
            if _first_time(path, seen) and not excludes(path):
                yield from _opened(path, named=True)
        else:
            raise NotFound(f"{path}: no such file or directory")


def excluded(path: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern matches the path, a part of it, or a directory above it.

    >>> [excluded("etl/old/job.py", [p]) for p in ("old", "etl/old", "*.py", "etl/*", "ob", "d")]
    [True, True, True, True, False, False]
    """
    if not patterns:
        return False
    parts = os.path.normpath(path).replace(os.sep, "/").split("/")
    heads = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    for pattern in patterns:
        pattern = pattern.removeprefix("./").rstrip("/")
        if "/" not in pattern:
            if any(fnmatch.fnmatchcase(part, pattern) for part in parts):
                return True
        elif any(
            fnmatch.fnmatchcase(head, pattern) or fnmatch.fnmatchcase(head, f"*/{pattern}")
            for head in heads
        ):
            return True
    return False


def role_of(path: str) -> FileRole | None:
    """What a file in a directory is, by its name; None if it takes a look inside to tell."""
    name = os.path.basename(path).lower()
    if name.endswith(PYTHON_SUFFIXES):
        return FileRole.JOB
    if name.endswith(_AROUND_SUFFIXES) or _AROUND_NAMES.fullmatch(name):
        return FileRole.AROUND
    return None


def _below(directory: str, excludes: Callable[[str], bool], locked: list[File]) -> Iterator[str]:
    """The regular files below a directory; adds the directories that cannot be read."""

    def note(error: OSError) -> None:
        locked.append(File(os.path.normpath(error.filename), b"", error=_unread(error)))

    for root, directories, names in os.walk(directory, onerror=note):
        directories[:] = sorted(
            name
            for name in directories
            if name not in SKIPPED_DIRECTORIES
            and not excludes(os.path.join(root, name))
            and not os.path.exists(os.path.join(root, name, "pyvenv.cfg"))
        )
        for name in sorted(names):
            path = os.path.normpath(os.path.join(root, name))
            if not excludes(path) and not _is_no_file(path):
                yield path


def _is_no_file(path: str) -> bool:
    """A pipe, which would be read for ever, a device, or the lock that Emacs leaves on a file."""
    lock = os.path.basename(path).startswith(".#") and os.path.islink(path)
    return lock or (os.path.exists(path) and not os.path.isfile(path))


def _first_time(path: str, seen: set[str]) -> bool:
    real = os.path.realpath(path)
    if real in seen:
        return False
    seen.add(real)
    return True


def _opened(path: str, *, named: bool) -> Iterator[File]:
    role = role_of(path) or _role_of_script(path)
    if role is None and not named:
        return
    path = os.path.normpath(path)
    try:
        with open(path, "rb") as file:
            yield File(path, file.read(), role or FileRole.JOB)
    except OSError as error:
        yield File(path, b"", role or FileRole.JOB, _unread(error))


def _unread(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"


def _role_of_script(path: str) -> FileRole | None:
    """What a file without a suffix is, by the first line of a script."""
    if os.path.splitext(path)[1] or not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            begin = file.read(80)
    except OSError:
        return None
    if re.match(rb"#![^\n]*python", begin):
        return FileRole.JOB
    return FileRole.AROUND if re.match(rb"#![^\n]*\b(?:ba|da|k|z)?sh\b", begin) else None
