"""Modules that must be analysed together: imports between files, found in their bytes alone.

A stream may be made in one module and used in another, so modules that import each other go to the
same process; others can go to different ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from migrator.files.discovery import STDIN, File
from migrator.files.mentions import code_of, is_relative, loaded
from migrator.text.words import stem, words


@dataclass(frozen=True)
class _Run:
    """What the files of a run say about each other."""

    files: Mapping[str, File]
    imports: dict[str, set[str]] = field(default_factory=dict)
    namers: dict[bytes, list[str]] = field(default_factory=dict)
    """By the word a file goes by, those that have this word."""


def bundles(files: Sequence[File]) -> list[list[File]]:
    """The files to analyse, in independent groups.

    A file is included if its bytes mention DStreams, if it imports such a file, or if one of these
    imports it: it may be passed a stream. A module of the last kind leads to no other DStream code,
    so it does not join the groups that import it: it is in each of them.
    """
    hinted = [file for file in files if file.hinted]
    if not hinted:
        return []
    run = _read(files)
    imports = run.imports
    importers: dict[str, list[str]] = {}
    for path, targets in imports.items():
        for target in targets:
            importers.setdefault(target, []).append(path)
    core = _reach((_normal(file.path) for file in hinted), importers)
    everything = _reach(core, imports)
    groups = [sorted(_reach(group, imports)) for group in _connected(core, imports)]
    if sum(map(len, groups)) > 2 * len(everything):  # too much work would be repeated
        groups = _connected(everything, imports)
    return [_marked(group, run) for group in groups]


def needed(paths: Iterable[str], files: Sequence[File]) -> set[str]:
    """The paths of all files that these import, directly or not, and their own."""
    run = _read(files)
    found = _reach(map(_normal, paths), run.imports)
    return {run.files[path].path for path in found if path in run.files}


def _read(files: Sequence[File]) -> _Run:
    run = _Run({_normal(file.path): file for file in files})
    stems = {stem(path) for path in run.files}
    for path, file in run.files.items():
        code = code_of(file)
        named = stems & words(code)
        for word in named:
            run.namers.setdefault(word, []).append(path)
        load = path != STDIN and (named or is_relative(code))
        run.imports[path] = _imported(path, code, run.files) if load else set()
    return run


def _marked(group: Sequence[str], run: _Run) -> list[File]:
    """The files of a group; those that a file outside it may load are marked."""
    members = set(group)
    return [
        replace(run.files[path], named_elsewhere=True)
        if any(namer not in members for namer in run.namers.get(stem(path), ()))
        else run.files[path]
        for path in group
    ]


def batches(groups: Sequence[list[File]], count: int) -> list[list[list[File]]]:
    """The groups in about ``count`` batches of about the same size, large groups first."""
    dealt: list[list[list[File]]] = [[] for _ in range(max(1, min(count, len(groups))))]
    sizes = [0] * len(dealt)
    for group in sorted(groups, key=_size, reverse=True):
        smallest = sizes.index(min(sizes))
        dealt[smallest].append(group)
        sizes[smallest] += _size(group)
    return dealt


def _size(group: list[File]) -> int:
    return sum(len(file.raw) for file in group)


def _normal(path: str) -> str:
    return path if path == STDIN else os.path.normpath(os.path.abspath(path))


def _reach(starts: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    found = set(starts)
    waiting = list(found)
    while waiting:
        for target in edges.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _connected(nodes: set[str], edges: Mapping[str, Iterable[str]]) -> list[list[str]]:
    both: dict[str, set[str]] = {node: set() for node in nodes}
    for node in nodes:
        for target in edges[node]:
            if target in nodes:
                both[node].add(target)
                both[target].add(node)
    groups, left = [], dict.fromkeys(sorted(nodes))
    while left:
        group = _reach([next(iter(left))], both)
        groups.append(sorted(group))
        for node in group:
            del left[node]
    return groups


def _imported(path: str, code: bytes, known: Mapping[str, File]) -> set[str]:
    """The files of the run that a file imports, as far as what looks like imports says."""
    found = {_resolved(path, module, known) for module in set(loaded(code))}
    return {target for target in found if target is not None and target != path}


def _resolved(importer: str, module: str, known: Mapping[str, File]) -> str | None:
    """The file of a module: relative to the importer, beside it, or beside a directory above it."""
    if module.startswith("/"):
        return _run_file(os.path.join(os.path.dirname(importer), module[1:]), known)
    name = module.lstrip(".")
    tail = name.replace(".", os.sep)
    directory = os.path.dirname(importer)
    level = len(module) - len(name)
    if level:
        for _ in range(level - 1):
            directory = os.path.dirname(directory)
        return _module_file(directory, tail, known)
    while tail:
        for base in (directory, os.path.join(directory, "src")):
            found = _module_file(base, tail, known)
            if found is not None:
                return found
        above = os.path.dirname(directory)
        if above == directory:
            return None
        directory = above
    return None


def _module_file(directory: str, tail: str, known: Mapping[str, File]) -> str | None:
    path = os.path.join(directory, tail) if tail else directory
    for candidate in (f"{path}.py", os.path.join(path, "__init__.py")):
        if candidate in known:
            return candidate
    return None


def _run_file(path: str, known: Mapping[str, File]) -> str | None:
    path = os.path.normpath(path)
    return next((c for c in (path, f"{path}.py", f"{path}.ipynb") if c in known), None)
