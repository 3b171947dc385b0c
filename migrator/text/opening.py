"""From the bytes of a file to the document that fits: Python, Python 2, a notebook, Databricks."""

from __future__ import annotations

from dataclasses import replace

from migrator.text.documents import Document
from migrator.text.gaps import DATABRICKS, magic_gaps, open_commands
from migrator.text.notebooks import is_notebook, open_notebook
from migrator.text.python2 import HINT, left_over, open_python2
from migrator.text.source import PythonSource, Unreadable


def open_document(path: str, raw: bytes, python2: bool = False) -> Document:
    """The document in the bytes of a file; ``python2`` modernises what is not Python 3.

    Raises :class:`~migrator.text.source.Unreadable` where Python 3 (or 2, if asked for)
    cannot parse it.
    """
    if is_notebook(path, raw):
        return open_notebook(path, raw, python2)
    source = PythonSource.read(path, raw)
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
