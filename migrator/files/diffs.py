"""Differences between two versions of a file, as bytes that `git apply` and `patch` take."""

from __future__ import annotations

import difflib
import os
import re

_NO_NEWLINE = b"\n\\ No newline at end of file\n"
_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def unified(path: str, before: bytes, after: bytes) -> bytes:
    """The unified diff; empty if nothing differs.

    >>> print(unified("job.py", b"a\\nb", b"a\\nc\\n").decode(), end="")
    diff --git a/job.py b/job.py
    --- a/job.py
    +++ b/job.py
    @@ -1,2 +1,2 @@
     a
    -b
    \\ No newline at end of file
    +c
    """
    lines = difflib.diff_bytes(
        difflib.unified_diff, _LINE.findall(before), _LINE.findall(after), lineterm=b"\n"
    )
    body = list(lines)[2:]
    if not body:
        return b""
    name = named(path)
    old, new = _quoted(f"a/{name}"), _quoted(f"b/{name}")
    tab = b"\t" if b" " in old else b""  # else the name would end at the blank
    head = b"diff --git %b %b\n--- %b%b\n+++ %b%b\n" % (old, new, old, tab, new, tab)
    return head + b"".join(line if line.endswith(b"\n") else line + _NO_NEWLINE for line in body)


def named(path: str) -> str:
    """A path as a diff names it: seen from here, with slashes."""
    if path == "-":
        return "stdin"
    here = os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)
    if here.startswith(os.pardir):
        here = os.path.splitdrive(os.path.abspath(path))[1].lstrip(os.sep)
    return here.replace(os.sep, "/")


def _quoted(name: str) -> bytes:
    """As git writes names with characters that would end a line or a string."""
    raw = os.fsencode(name)
    if not any(byte < 32 or byte in (34, 92, 127) for byte in raw):
        return raw
    text = "".join(
        f"\\{_ESCAPES[byte]}"
        if byte in _ESCAPES
        else (f"\\{byte:03o}" if byte < 32 or byte >= 127 else chr(byte))
        for byte in raw
    )
    return f'"{text}"'.encode()
