"""The Python of a job's file. Of a notebook it is what ``migrate rewrite`` reads there."""

from __future__ import annotations

import ast
import linecache
import os
import warnings
from dataclasses import dataclass
from typing import Any

from dstream_parity.verify.child.sites import Place
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.words import place
from migrator.text.documents import Document
from migrator.text.gaps import HIDDEN
from migrator.text.notebooks import UnreadableCell, is_notebook
from migrator.text.opening import open_document
from migrator.text.source import Span, Unreadable

NOT_PYTHON3 = "not Python 3"


@dataclass(frozen=True)
class JobSource:
    """What Python compiles of a file."""

    code: str | bytes
    places: tuple[Place, ...] = ()
    """For every line the place where a reader of the file finds it; empty: they are the same."""

    @property
    def length(self) -> int:
        """The number of lines, counted as Python counts them."""
        code = self.code
        return len((code.encode() if isinstance(code, str) else code).splitlines())


def read_source(file: str) -> JobSource:
    """The Python in a file; raises Refused if the file cannot be read."""
    try:
        with open(file, "rb") as opened:
            raw = opened.read()
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}") from None
    if not is_notebook(file, raw):
        return JobSource(raw)
    try:
        document = open_document(file, raw)
    except UnreadableCell:  # Python 2, perhaps
        raise not_python3(file, NOT_PYTHON3) from None
    except Unreadable as error:
        raise Refused(f"{os.path.basename(file)} {error}") from None
    for gap in document.source.gaps:
        if gap.reason != HIDDEN:  # `migrate rewrite` leaves such a cell as it is
            shown = document.place(gap.span)
            raise not_python3(file, NOT_PYTHON3, shown.line, shown.cell)
    return JobSource(document.source.text, places_of(document))


def places_of(document: Document) -> tuple[Place, ...]:
    """For every line that is analysed the place where a reader of the file finds it."""
    lines = JobSource(document.source.text).length
    starts = (document.source.offset(line, 0) for line in range(1, lines + 1))
    shown = (document.place(Span(start, start)) for start in starts)
    return tuple((place.cell, place.line) for place in shown)


def compiled(file: str, source: JobSource | None = None) -> Any:
    """The code of a job or notebook; raises Refused where it is not Python 3."""
    source = source or read_source(file)
    try:
        code = compile(source.code, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line, cell = getattr(error, "lineno", None), None
        if line and source.places:
            cell, line = source.places[min(line, len(source.places)) - 1]
        raise not_python3(file, NOT_PYTHON3, line, cell) from None
    if isinstance(source.code, str):  # where inspect looks for the source of a function
        lines = source.code.splitlines(keepends=True)
        linecache.cache[file] = (len(source.code), None, lines, file)
    return code


def is_moved(file: str) -> bool:
    """Whether a job takes its StreamingContext from this package; no if it cannot be read."""
    try:
        source = read_source(file)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about its strings; the job's own run says so
            tree = ast.parse(source.code)
    except (SyntaxError, ValueError, RecursionError, MemoryError, Refused):
        return False
    return any(
        (isinstance(node, ast.Import) and any(name.name == "dstream_compat" for name in node.names))
        or (
            isinstance(node, ast.ImportFrom)
            and node.module in ("dstream_compat", "dstream_compat.context")
            and any(name.name in ("StreamingContext", "*") for name in node.names)
        )
        for node in ast.walk(tree)
    )


class NotPython3(Refused):
    """A file that Python 3 cannot compile."""

    def __init__(self, text: str, line: int | None) -> None:
        super().__init__(text)
        self.line = line


def not_python3(
    file: str, what: str, line: int | None = None, cell: int | None = None
) -> NotPython3:
    """The refusal of a file that cannot be compiled; without its text, which may hold secrets."""
    where = place(file, line, cell) if line else os.path.basename(file)
    return NotPython3(f"{where} is {what}, and today's engines need Python 3", line)
