"""Settings: ``[tool.migrate]`` in pyproject.toml, and ``# migrate: ignore[CODE]`` in the code."""

from __future__ import annotations

import difflib
import io
import os
import re
import sys
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from migrator import rules
from migrator.core import Finding
from migrator.files.discovery import excluded
from migrator.text.source import PythonSource

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class BadConfig(Exception):
    """A setting that cannot be meant; the text is a sentence that names the file and the key."""


@dataclass(frozen=True)
class Config:
    """What a run is told: which rules, which files.

    Rules are named by code or by the beginning of one: ``DS310``, ``DS3``, ``DS``.
    """

    select: tuple[str, ...] = ("DS",)
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    root: str = "."
    """The directory that patterns for paths start from: that of the pyproject.toml."""

    def wants(self, code: str) -> bool:
        """Whether a rule is asked for at all. The longer of two beginnings that match decides."""
        chosen = max((len(p) for p in self.select if code.startswith(p)), default=0)
        return chosen > max((len(p) for p in self.ignore if code.startswith(p)), default=0)

    def keeps(self, finding: Finding) -> bool:
        """Whether a finding is wanted in its file."""
        return self.wants(finding.code) and not any(
            finding.code.startswith(codes) and excluded(self.relative(finding.path), [pattern])
            for pattern, codes in self.per_file_ignores.items()
        )

    def excludes(self, path: str) -> bool:
        return excluded(self.relative(path), self.exclude)

    def relative(self, path: str) -> str:
        """A path seen from the root, if it is below it."""
        if self.root == ".":
            return path
        there = os.path.relpath(os.path.abspath(path), self.root)
        return path if there.startswith("..") else there

    def overridden(self, **changes: Sequence[str] | None) -> Config:
        """With options of the command line: ``exclude`` and ``ignore`` add, ``select`` replaces."""
        given = {key: tuple(value) for key, value in changes.items() if value}
        for key in ("ignore", "exclude"):
            if key in given:
                given[key] = getattr(self, key) + given[key]
        for key in ("select", "ignore"):
            _check_codes(given.get(key, ()), f"--{key}")
        return replace(self, **given)  # type: ignore[arg-type]


def find(paths: Iterable[str]) -> Config:
    """The settings in the nearest pyproject.toml, upward from what the paths have in common."""
    places = [os.path.abspath(path) for path in paths if path != "-"] or [os.getcwd()]
    directory = os.path.commonpath(places)
    while True:
        path = os.path.join(directory, "pyproject.toml")
        if os.path.isfile(path):
            table = _table(path)
            if table is not None:
                return _config(table, path)
        above = os.path.dirname(directory)
        if above == directory:
            return Config()
        directory = above


def read(path: str) -> Config:
    """The settings in one file; it has to have some."""
    table = _table(path)
    if table is None:
        raise BadConfig(f"{path}: has no table [tool.migrate]")
    return _config(table, path)


def _table(path: str) -> dict[str, Any] | None:
    try:
        with open(path, "rb") as file:
            whole = tomllib.load(file)
    except OSError as error:
        raise BadConfig(f"{path}: cannot be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadConfig(f"{path}: is not TOML: {error}") from None
    tool = whole.get("tool")
    table = tool.get("migrate") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise BadConfig(f"{path}: tool.migrate must be a table")
    return table


_LISTS = ("select", "ignore", "exclude")
_KEYS = (*_LISTS, "per-file-ignores")


def _config(table: dict[str, Any], path: str) -> Config:
    for key in table:
        if key not in _KEYS:
            near = difflib.get_close_matches(key, _KEYS, 1)
            meant = (
                f"; did you mean {near[0]}?" if near else f"; the settings are {', '.join(_KEYS)}"
            )
            raise BadConfig(f"{path}: [tool.migrate] has no setting {key}{meant}")
    lists = {key: _strings(table[key], key, path) for key in _LISTS if key in table}
    per_file = table.get("per-file-ignores", {})
    if not isinstance(per_file, dict):
        raise BadConfig(f"{path}: per-file-ignores must be a table of patterns and codes")
    ignores = {
        pattern: _strings(codes, f'per-file-ignores."{pattern}"', path)
        for pattern, codes in per_file.items()
    }
    for key in ("select", "ignore"):
        _check_codes(lists.get(key, ()), f"{path}: {key}")
    for pattern, codes in ignores.items():
        _check_codes(codes, f'{path}: per-file-ignores."{pattern}"')
    root = os.path.dirname(os.path.abspath(path))
    return Config(**lists, per_file_ignores=ignores, root=root)


def _strings(value: object, key: str, path: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadConfig(f"{path}: {key} must be a list of strings")
    return tuple(value)


def _check_codes(codes: Iterable[str], where: str) -> None:
    for code in codes:
        if not code or not any(known.startswith(code) for known in rules.modules()):
            raise BadConfig(
                f"{where}: no rule's code begins with {code!r}; `migrate rules` lists them"
            )


_COMMENT = re.compile(r"#\s*migrate:\s*ignore(?:\[(?P<codes>[^\]\n]*)\])?(?![\w-])")


def unwanted(source: PythonSource, *, python: bool = True) -> dict[int, tuple[str, ...]]:
    """The lines with ``# migrate: ignore`` comments and the codes they name; ``("",)`` means all.

    >>> unwanted(PythonSource.read("job.py", b"x = 1  # migrate: ignore[DS310, DS4]\\n"))
    {1: ('DS310', 'DS4')}
    """
    if "migrate:" not in source.text:
        return {}
    found: dict[int, tuple[str, ...]] = {}
    for line, comment in _comments(source) if python else enumerate(_lines(source), 1):
        match = _COMMENT.search(comment)
        if match:
            codes = match["codes"]
            named = () if codes is None else tuple(c.strip() for c in codes.split(",") if c.strip())
            found[line] = named or ("",)
    return found


def ignored(finding: Finding, lines: Mapping[int, tuple[str, ...]]) -> bool:
    """Whether a comment on its first or last line asks not to be told."""
    return any(
        finding.code.startswith(lines.get(line, ())) for line in (finding.line, finding.end_line)
    )


def _comments(source: PythonSource) -> Iterable[tuple[int, str]]:
    """Comments with their lines; never what is in a string."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text, newline="").readline):
            if token.type == tokenize.COMMENT:
                found.append((token.start[0], token.string))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        pass
    return found


def _lines(source: PythonSource) -> list[str]:
    return re.split(r"\r\n|\r|\n", source.text)
