"""Lines of the job: where a call came from, where an exception passed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from types import FrameType, ModuleType, TracebackType

import pyspark

import dstream_compat
import dstream_parity
import migrator
from dstream_parity.verify import words

Place = tuple[int | None, int]
"""A line, within a cell if that is not None."""


def _folder(package: ModuleType) -> str:
    assert package.__file__ is not None
    return os.path.dirname(os.path.abspath(package.__file__)) + os.sep


OURS = (_folder(dstream_compat), _folder(dstream_parity), _folder(migrator))
_LIBRARIES = (*OURS, _folder(pyspark))


def is_library(filename: str) -> bool:
    """Whether a file belongs to Spark or to us, and not to the job."""
    return filename.startswith(_LIBRARIES) or filename.startswith("<")


def caller() -> tuple[str, int]:
    """File name and line of the innermost caller outside Spark and our packages."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return "?", 0
    return frame.f_code.co_filename, frame.f_lineno


def know_places(filename: str, places: Sequence[Place]) -> None:
    """``places``: for every line of a file that Python runs, where its reader finds it."""
    _PLACES[filename] = places


_PLACES: dict[str, Sequence[Place]] = {}


def place_of(filename: str, line: int) -> Place:
    """The cell and the line that the user knows a line by."""
    places = _PLACES.get(filename)
    return places[min(line, len(places)) - 1] if places and line > 0 else (None, line)


def place(filename: str, line: int) -> str:
    """``job.py:12``, or ``job.ipynb:cell 3:12``."""
    cell, line = place_of(filename, line)
    return words.place(filename, line, cell)


def raised_at(error: BaseException, directories: tuple[str, ...]) -> str | None:
    """The innermost line under ``directories`` that an exception passed through."""
    found = None
    traceback: TracebackType | None = error.__traceback__
    while traceback is not None:
        filename = os.path.abspath(traceback.tb_frame.f_code.co_filename)
        if filename.startswith(directories) and not is_library(filename):
            found = place(filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found
