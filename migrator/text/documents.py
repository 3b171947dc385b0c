"""A file the user gave: the Python source in it that is analysed, and how edits get back.

For a plain Python file the two are the same. Notebooks and Python 2 files differ from the source
that is analysed; their documents know the way back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from migrator.text.source import Edit, PythonSource, Span


@dataclass(frozen=True)
class Place:
    """Where a reader of a file finds something: lines and columns from 1, in characters."""

    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None
    """The number of the notebook's cell, from 1; lines and columns are within it."""


@dataclass(frozen=True)
class Document:
    """One file.

    >>> document = Document("job.py", b"import os\\n", PythonSource.read("job.py", b"import os\\n"))
    >>> document.render([Edit(Span(7, 9), "sys")])
    b'import sys\\n'
    """

    path: str
    raw: bytes = field(repr=False)
    """What is in the file."""
    source: PythonSource = field(repr=False)
    """What is analysed; edits and findings refer to it."""

    def render(self, edits: Sequence[Edit]) -> bytes:
        """The new file; raises ValueError if two edits overlap."""
        return self.source.splice(edits)

    def place(self, span: Span) -> Place:
        """Where a reader of the file finds a part of the source."""
        return Place(*self.source.position(span.start), *self.source.position(span.end))
