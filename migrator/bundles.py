"""Modules that have to be looked at together: imports between files, by their bytes alone.

A stream may be made in one module and used in another, so modules that import each other go to the
same process; others can go to different ones.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from migrator.discovery import STDIN, File

_IMPORT = re.compile(
    rb"""^[ \t]*"?(?:  # a quote: a line of a notebook
        from[ \t]+(?P<module>\.*[ \t]*[\w.]*)[ \t]+import[ \t]*(?P<names>\([^)]*|[^\n;#]*)
      | import[ \t]+(?P<plain>[^\n;#]+)
    )""",
    re.MULTILINE | re.VERBOSE,
)
_FIRST_WORD = re.compile(rb"[^\s(\\]+")


def bundles(files: Sequence[File]) -> list[list[File]]:
    """The files that have to be analysed, in groups that know nothing of each other.

    A file is there if its bytes speak of DStreams, if it imports such a file, or if one of these
    imports it: a stream may be handed to it. A module of the last kind leads to no DStream code of
    its own, so it does not tie the groups together that import it: it is in each of them.
    """
    hinted = [file for file in files if file.hinted]
    if not hinted:
        return []
    by_path, imports = _imports(files)
    importers: dict[str, list[str]] = {}
    for path, targets in imports.items():
        for target in targets:
            importers.setdefault(target, []).append(path)
    core = _reach((_normal(file.path) for file in hinted), importers)
    everything = _reach(core, imports)
    groups = [sorted(_reach(group, imports)) for group in _connected(core, imports)]
    if sum(map(len, groups)) > 2 * len(everything):  # too much work would be done again and again
        groups = _connected(everything, imports)
    return [[by_path[path] for path in group] for group in groups]


def needed(paths: Iterable[str], files: Sequence[File]) -> set[str]:
    """The paths of all files that these import, directly or not, and their own."""
    by_path, imports = _imports(files)
    return {by_path[path].path for path in _reach(map(_normal, paths), imports) if path in by_path}


def _imports(files: Sequence[File]) -> tuple[dict[str, File], dict[str, set[str]]]:
    by_path = {_normal(file.path): file for file in files}
    words = {word for path in by_path for word in path.removesuffix(".py").split(os.sep)}
    return by_path, {path: _imported(path, f, by_path, words) for path, f in by_path.items()}


def batches(groups: Sequence[list[File]], count: int) -> list[list[list[File]]]:
    """The groups dealt out to about ``count`` batches of about the same size, large ones first."""
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


def _imported(path: str, file: File, known: Mapping[str, File], words: set[str]) -> set[str]:
    """The files of the run that a file imports, as far as lines that look like imports say."""
    if path == STDIN or b"import" not in file.raw:
        return set()
    found = {
        _resolved(path, module, known)
        for module in set(_modules(file.raw))
        if module.startswith(".") or module.partition(".")[0] in words
    }
    return {target for target in found if target is not None and target != path}


def _modules(raw: bytes) -> Iterator[str]:
    for match in _IMPORT.finditer(raw):
        if match["plain"] is not None:
            words = [_FIRST_WORD.search(part) for part in match["plain"].split(b",")]
            yield from (word[0].decode("utf-8", "replace") for word in words if word)
            continue
        module = match["module"].replace(b" ", b"").replace(b"\t", b"").decode("utf-8", "replace")
        yield module
        dot = "" if module.endswith(".") else "."
        for part in match["names"].split(b","):
            word = _FIRST_WORD.search(part)
            if word:
                yield f"{module}{dot}{word[0].decode('utf-8', 'replace')}"


def _resolved(importer: str, module: str, known: Mapping[str, File]) -> str | None:
    """The file of a module: relative to the importer, beside it, or beside a directory above it."""
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
