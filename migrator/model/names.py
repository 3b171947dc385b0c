"""Names of modules: what a path is called in imports, what an import in it means. No I/O.

>>> modules = Modules(["jobs/wordcount.py", "jobs/helpers/__init__.py", "jobs/helpers/streams.py"])
>>> modules.name("jobs/helpers/streams.py")
'helpers.streams'
>>> modules.find("helpers.streams", "jobs/wordcount.py")
'jobs/helpers/streams.py'
>>> modules.absolute("streams", 1, "jobs/helpers/__init__.py")
'helpers.streams'
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import PurePath

_Parts = tuple[str, ...]


def _parts(path: str) -> _Parts:
    """Directories and the name without its ending; a package is its directory."""
    pure = PurePath(path)
    parts = (*pure.parts[:-1], pure.name.partition(".")[0])
    return parts[:-1] if parts[-1] == "__init__" else parts


class Modules:
    """The modules of one run, found by the names they are imported by."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._parts = {path: _parts(path) for path in paths}
        self._packages = {
            parts for path, parts in self._parts.items() if PurePath(path).stem == "__init__"
        }
        self._by_last: dict[str, list[str]] = {}
        for path, parts in self._parts.items():
            if parts:
                self._by_last.setdefault(parts[-1], []).append(path)

    def name(self, path: str) -> str:
        """The dotted name: from the outermost directory that is a package on."""
        parts = self._parts[path]
        start = len(parts) - 1
        while start > 0 and parts[:start] in self._packages:
            start -= 1
        return ".".join(parts[max(start, 0) :])

    def absolute(self, module: str | None, level: int, importer: str) -> str:
        """The absolute name of the module after ``from`` in a module of the run."""
        if not level:
            return module or ""
        parts = self.name(importer).split(".")
        is_package = PurePath(importer).stem == "__init__"
        base = parts[: len(parts) - level + is_package] if level <= len(parts) else []
        return ".".join([*base, *([module] if module else [])])

    def find(self, dotted: str, importer: str) -> str | None:
        """The path of a module of the run, as seen from another one; None if it is not in the run.

        Looked for from the importer's directory upwards; then anywhere, if only one fits.
        """
        wanted = tuple(dotted.split("."))
        if not dotted or wanted[0] in ("pyspark", "dstream_compat"):
            return None
        here = self._parts[importer]
        fitting = [
            path
            for path in self._by_last.get(wanted[-1], ())
            if self._parts[path][-len(wanted) :] == wanted and path != importer
        ]
        above = [p for p in fitting if _is_above(self._parts[p][: -len(wanted)], here)]
        if above:
            return max(above, key=lambda path: len(self._parts[path]))
        if len(fitting) == 1 and not is_standard(dotted):
            return fitting[0]
        return None

    def find_relative(self, module: str | None, level: int, importer: str) -> str | None:
        """The path of ``from ..module import``, by directories."""
        here = self._parts[importer]
        up = level - (PurePath(importer).stem == "__init__")
        if up > len(here):
            return None
        wanted = (*here[: len(here) - up], *(module.split(".") if module else ()))
        for path in self._by_last.get(wanted[-1], ()) if wanted else ():
            if self._parts[path] == wanted:
                return path
        return None

    def of(self, module: str | None, level: int, importer: str) -> str | None:
        """The path of the module after ``from`` in a module of the run."""
        if level:
            return self.find_relative(module, level, importer)
        return self.find(module or "", importer)

    def find_file(self, path: str, importer: str) -> str | None:
        """The module of the run that ``%run path`` runs."""
        here = os.path.normpath(os.path.join(os.path.dirname(importer), path))
        return next((p for p in (here, f"{here}.py", f"{here}.ipynb") if p in self._parts), None)


def _is_above(directory: _Parts, module: _Parts) -> bool:
    return module[: len(directory)] == directory


def is_standard(dotted: str) -> bool:
    """Whether a name belongs to Python's own library."""
    return dotted.partition(".")[0] in sys.stdlib_module_names or dotted.startswith("builtins")
