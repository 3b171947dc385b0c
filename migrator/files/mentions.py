"""What a file's bytes say about other files of a run: imports in any form.

Nothing is parsed, and it errs on the side of too much: an import in a comment counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrator.files.discovery import File
from migrator.text.notebooks import code
from migrator.text.source import Unreadable

_LOADED = re.compile(
    rb"""\bfrom[ \t]*(?P<module>(?:\.[ \t]*)*[\w.\x80-\xff]*)[ \t]+import\b[ \t]*
            (?P<names>\([^)]*|[^\r\n;#]*)
      | \bimport[ \t]+(?P<plain>[^\r\n;#]+)
      | \b(?:import_module|__import__|run_module)[ \t]*\(\s*[rRuU]?["'](?P<called>[\w.\x80-\xff]+)
      | %run[ \t]+(?:-\w+[ \t]+)*["']?(?P<run>[^\s"'\\]+)
    """,
    re.VERBOSE,
)
_RELATIVE = re.compile(rb"from[ \t\\\r\n]*\.")
_CONTINUED = re.compile(rb"\\(?:\r\n|\r|\n)")
_FIRST_WORD = re.compile(rb"[^\s()\\]+")


def code_of(file: File) -> bytes:
    """The bytes that may load other files: of a notebook, what is in its code cells."""
    if not file.path.endswith(".ipynb"):
        return file.raw
    try:
        return code(file.raw).encode("utf-8", "replace")
    except Unreadable:
        return file.raw


def is_relative(raw: bytes) -> bool:
    """Whether it imports from its own package, which it need not name."""
    return _RELATIVE.search(raw) is not None


def loaded(raw: bytes) -> Iterator[str]:
    """Names of modules as imports spell them, and the paths that ``%run`` is given, each after a
    slash.

    >>> list(loaded(b"init(); from a.b import c\\nimport d.e; import_module('f')\\n%run ../g.py"))
    ['a.b', 'a.b.c', 'd', 'd.e', 'f', '/../g.py']
    """
    if b"\\\n" in raw or b"\\\r" in raw:
        raw = _CONTINUED.sub(b" ", raw)
    for match in _LOADED.finditer(raw):
        if match["plain"] is not None:
            for part in match["plain"].split(b","):
                yield from _with_packages(_first_word(part))
        elif match["module"] is not None:
            module = _text(match["module"].replace(b" ", b"").replace(b"\t", b""))
            yield module
            dot = "" if module.endswith(".") else "."
            names = (_first_word(part) for part in match["names"].split(b","))
            yield from (f"{module}{dot}{name}" for name in names if name)
        elif match["called"] is not None:
            yield _text(match["called"])
        else:
            yield "/" + _text(match["run"])


def _with_packages(module: str) -> Iterator[str]:
    """``import a.b`` also binds ``a``."""
    parts = module.split(".")
    yield from (".".join(parts[:n]) for n in range(1, len(parts) + 1))


def _first_word(part: bytes) -> str:
    word = _FIRST_WORD.search(part)
    return _text(word[0]) if word else ""


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
