"""Jobs of which only a part could be moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from migrator.core import Changed, Failed, Result
from migrator.files.discovery import File
from migrator.files.groups import bundles


def halves(results: Sequence[Result]) -> Iterator[tuple[str, list[str]]]:
    """Each failed file, with the files of its job that were rewritten."""
    failed = {result.path for result in results if isinstance(result, Failed)}
    if not failed:
        return
    files = [
        File(result.path, result.before if isinstance(result, Changed) else _bytes(result.path))
        for result in results
        if isinstance(result, Changed | Failed)
    ]
    for group in bundles(files):
        moved = [file.path for file in group if file.path not in failed]
        for file in group:
            if file.path in failed and moved:
                yield file.path, moved


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
