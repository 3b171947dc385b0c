"""Lines of the job: where a call came from, where an exception passed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from types import FrameType, ModuleType, TracebackType

import pyspark

import dstream_compat
import dstream_parity


def _folder(package: ModuleType) -> str:
    assert package.__file__ is not None
    return os.path.dirname(os.path.abspath(package.__file__)) + os.sep


OURS = (_folder(dstream_compat), _folder(dstream_parity))
_LIBRARIES = (*OURS, _folder(pyspark))


def is_library(filename: str) -> bool:
    """Whether a file belongs to Spark or to us; the job is neither."""
    return filename.startswith(_LIBRARIES) or filename.startswith("<")


def caller() -> tuple[str, int]:
    """File name and line of the innermost caller outside Spark and this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return "?", 0
    return frame.f_code.co_filename, frame.f_lineno


def renumber(filename: str, lines: Sequence[int]) -> None:
    """``lines``: for every line of a file, the one that the user knows it by."""
    _RENUMBERED[filename] = lines


_RENUMBERED: dict[str, Sequence[int]] = {}


def line_of(filename: str, line: int) -> int:
    """The line as the user knows it."""
    lines = _RENUMBERED.get(filename)
    return lines[min(line, len(lines)) - 1] if lines and line > 0 else line


def place(filename: str, line: int) -> str:
    """``job.py:12``."""
    return f"{os.path.basename(filename)}:{line_of(filename, line)}"


def raised_at(error: BaseException, directories: tuple[str, ...]) -> str | None:
    """The innermost line under ``directories`` that an exception passed."""
    found = None
    traceback: TracebackType | None = error.__traceback__
    while traceback is not None:
        filename = os.path.abspath(traceback.tb_frame.f_code.co_filename)
        if filename.startswith(directories) and not is_library(filename):
            found = place(filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found
