"""Files written all at once or not at all, and the originals that `migrate undo` brings back.

An original is kept beside its file as ``job.py.3f2a91c07d55.orig``: the digits are a digest of what
was written in its place, so that undo knows whether the file has changed since.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

_BACKUP = re.compile(r"(?P<name>.+)\.(?P<digest>[0-9a-f]{12})\.orig")


class CannotWrite(Exception):
    """A file was left as it was; the text says why, without the path."""


def write(path: str, before: bytes, after: bytes, *, backup: bool = False) -> str | None:
    """Replace what is in a file, through links to it; its mode stays. Returns the backup's path.

    Raises :class:`CannotWrite`, also where the file no longer holds ``before``.
    """
    target = os.path.realpath(path)
    try:
        with open(target, "rb") as file:
            now, status = file.read(), os.fstat(file.fileno())
        if now != before:
            raise CannotWrite("was changed by someone else in the meantime")
        if not os.access(target, os.W_OK):
            raise CannotWrite("is read-only")
        kept = None
        if backup:
            kept = backup_path(target, after)
            _replace(kept, before, status)
        try:
            _replace(target, after, status)
        except BaseException:
            if kept is not None:
                with contextlib.suppress(OSError):
                    os.unlink(kept)
            raise
    except OSError as error:
        raise CannotWrite(_reason(error, target)) from None
    return kept


def create(path: str, data: bytes, like: str | None = None) -> None:
    """Write a file that need not be there, with its directories; the mode is that of ``like``."""
    target = os.path.realpath(path)
    try:
        if _is_stdout(path):
            with open(1, "wb", closefd=False) as stdout:
                stdout.write(data)
            return
        if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe: not replaced
            with open(path, "wb") as file:
                file.write(data)
            return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        model = target if os.path.exists(target) else like
        _replace(target, data, os.stat(model) if model is not None else None)
    except OSError as error:
        raise CannotWrite(_reason(error, target)) from None


def _is_stdout(path: str) -> bool:
    """Whether it is /dev/stdout, or the file that it is redirected to."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(1))
    except OSError:
        return False


def _reason(error: OSError, target: str) -> str:
    directory = os.path.dirname(target)
    if isinstance(error, PermissionError) and not os.access(directory, os.W_OK):
        return f"cannot be written: its directory {directory} is read-only"
    return f"cannot be written: {error.strerror or error}"


def _replace(target: str, data: bytes, status: os.stat_result | None) -> None:
    """Through a temporary file in the same directory, which is gone whatever happens."""
    directory, name = os.path.split(target)
    handle, temporary = tempfile.mkstemp(dir=directory, prefix=f".{name[:100]}.", suffix=".new")
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if status is None:
            os.chmod(temporary, 0o666 & ~_umask())
        else:
            with contextlib.suppress(OSError, AttributeError):  # only root may give files away
                os.chown(temporary, status.st_uid, status.st_gid)
            os.chmod(temporary, stat.S_IMODE(status.st_mode))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_directory(directory)


def _sync_directory(directory: str) -> None:
    """So that the new name survives a crash; not every system lets one do that."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# -- originals ------------------------------------------------------------------------------------


def backup_path(target: str, written: bytes) -> str:
    return f"{target}.{_digest(written)}.orig"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


@dataclass(frozen=True)
class Backup:
    """A backup and the file it belongs to."""

    path: str
    backup: str
    digest: str

    def restore(self) -> None:
        """Bring it back and drop the backup; raises :class:`CannotWrite`."""
        try:
            with open(self.path, "rb") as file:
                now = file.read()
            with open(self.backup, "rb") as file:
                before = file.read()
        except OSError as error:
            raise CannotWrite(f"cannot be read: {error.strerror or error}") from None
        if _digest(now) != self.digest:
            raise CannotWrite(
                f"was changed after it was rewritten; its original is in {self.backup}"
            )
        write(self.path, now, before)
        try:
            os.unlink(self.backup)
        except OSError as error:
            raise CannotWrite(
                f"was restored, but {self.backup} cannot be removed: {error.strerror or error}"
            ) from None


def originals(path: str) -> Iterator[Backup]:
    """The backups of a file, or of all files below a directory, in order."""
    only: str | None = None
    if os.path.isdir(path):
        directories = sorted(root for root, _, _ in os.walk(path))
    else:
        directory, only = os.path.split(os.path.realpath(path))
        directories = [directory]
    for directory in directories:
        for entry in sorted(os.listdir(directory)):
            match = _BACKUP.fullmatch(entry)
            if match is not None and only in (None, match["name"]):
                file = os.path.normpath(os.path.join(directory, match["name"]))
                yield Backup(file, f"{file}.{match['digest']}.orig", match["digest"])


def is_current(original: Backup) -> bool:
    """Whether the file is as it was written when this original was kept."""
    try:
        with open(original.path, "rb") as file:
            return _digest(file.read()) == original.digest
    except OSError:
        return False
