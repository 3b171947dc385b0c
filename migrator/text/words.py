"""The words in a text, and the word without which nothing can load a file."""

from __future__ import annotations

import os

_NO_WORD = bytes(c if c > 127 or chr(c).isalnum() or c == ord("_") else 32 for c in range(256))


def words(raw: bytes) -> set[bytes]:
    return set(raw.translate(_NO_WORD).split())


def stem(path: str) -> bytes:
    """The word without which nothing can mention a file; a package goes by its directory.

    >>> stem("jobs/common.py"), stem("jobs/sinks/__init__.py"), stem("jobs/my-helpers.py")
    (b'common', b'sinks', b'helpers')
    """
    directory, name = os.path.split(path)
    name = os.path.splitext(name)[0]
    if name == "__init__":
        name = os.path.basename(directory)
    return max(name.encode("utf-8", "replace").translate(_NO_WORD).split(), key=len, default=b"")
