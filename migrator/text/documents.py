"""A file the user gave: the Python source in it that is analysed, and how edits get back.

For a plain Python file the two are the same. Notebooks and Python 2 files differ from the source
that is analysed; their documents know the way back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from migrator.core import Finding
from migrator.text.source import Edit, Source, Unreadable


@dataclass(frozen=True)
class Document:
    """One file.

    >>> document = open_document("job.py", b"import os\\n")
    >>> document.render([])
    b'import os\\n'
    """

    path: str
    raw: bytes = field(repr=False)
    """What is in the file."""
    source: Source = field(repr=False)
    """What is analysed; edits and findings refer to it."""

    def render(self, edits: Sequence[Edit]) -> bytes:
        """The new file; raises ValueError if two edits overlap."""
        return self.source.splice(edits)

    def place(self, line: int) -> tuple[int | None, int]:
        """Where a reader of the file finds a line of the source: the cell, if any, and the line."""
        return None, line

    def locate(self, finding: Finding) -> Finding:
        """The finding with the lines (and the cell) a reader of the file sees."""
        return finding


def open_document(path: str, raw: bytes, python2: bool = False) -> Document:
    """The document in the bytes of a file; ``python2`` modernises what is not Python 3.

    Raises :class:`~migrator.text.source.Unreadable` where Python 3 (or 2, if asked for)
    cannot parse it.
    """
    from migrator.text.gaps import DATABRICKS, magic_gaps, open_commands
    from migrator.text.notebooks import is_notebook, open_notebook
    from migrator.text.python2 import HINT, left_over, open_python2

    if is_notebook(path, raw):
        return open_notebook(path, raw, python2)
    source = Source.read(path, raw)
    if source.text.startswith(DATABRICKS):
        source = replace(source, notebook=True, gaps=magic_gaps(source.text))
    try:
        _ = source.tree
    except Unreadable as error:
        modernised = open_python2(source)
        if modernised is None:
            commands = open_commands(source)
            if commands is None:
                raise left_over(source, error) or error from None
            return commands
        if not python2:
            raise Unreadable(f"{error}; {HINT}") from None
        return modernised
    return Document(path, raw, source)
