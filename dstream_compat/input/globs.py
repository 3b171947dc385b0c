"""Hadoop's glob patterns on local paths."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator


def alternatives(pattern: str) -> Iterator[str]:
    """Expands braces that hold slashes: ``a{b/c,d}`` becomes ``ab/c`` and ``ad``."""
    depth, cuts = 0, list[int]()
    for match in re.finditer(r"\\.|[{},]", pattern):
        at = match.start()
        if match[0] == "{":
            depth += 1
            if depth == 1:
                cuts = [at]
        elif match[0] == "," and depth == 1:
            cuts.append(at)
        elif match[0] == "}" and depth:
            depth -= 1
            if not depth and "/" in pattern[cuts[0] : at]:
                for begin, end in itertools.pairwise([*cuts, at]):
                    inside = pattern[begin + 1 : end]
                    yield from alternatives(pattern[: cuts[0]] + inside + pattern[at + 1 :])
                return
    yield pattern


def glob_paths(components: list[str], root: str = "/") -> Iterator[str]:
    """The existing paths under ``root`` that match; ``*`` matches a leading dot, too."""
    if not components:
        yield root
        return
    head, *rest = components
    if not re.search(r"[*?\[{]", re.sub(r"\\.", "", head)):
        path = os.path.join(root, re.sub(r"\\(.)", r"\1", head))
        if os.path.exists(path):
            yield from glob_paths(rest, path)
        return
    matches = re.compile(_as_regex(head), re.DOTALL).fullmatch
    try:
        names = os.listdir(root)
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        if matches(name):
            yield from glob_paths(rest, os.path.join(root, name))


def _as_regex(glob: str) -> str:
    regex, depth = "", 0
    for token in re.findall(r"\\.|\[[^]]+\]|.", glob, re.DOTALL):
        if token == "{":
            depth += 1
            regex += "(?:"
        elif token == "}" and depth:
            depth -= 1
            regex += ")"
        elif token == "," and depth:
            regex += "|"
        elif token in ("*", "?"):
            regex += ".*" if token == "*" else "."
        elif token[0] == "[":
            regex += re.sub(r"^\[!", "[^", token)  # unclosed, it does not compile
        else:
            regex += re.escape(token[-1])
    return regex
