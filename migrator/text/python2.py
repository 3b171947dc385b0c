"""Python 2 files: modernised before anything else, with the way back to the original lines.

Only the fixers named here run. lib2to3's usual set (fissix is its successor) would wrap every
``.map(…)`` and ``.filter(…)`` on an RDD's result in ``list(…)`` and more.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from migrator.text.documents import Document, Place
from migrator.text.source import NotPython, PythonSource, Span, Unreadable

FIXERS = (
    "basestring",
    "except",
    "exec",
    "has_key",
    "imports",
    "long",
    "ne",
    "next",
    "numliterals",
    "print",
    "raise",
    "raw_input",
    "repr",
    "tuple_params",
    "unicode",
    "xrange",
)
"""Of fissix, ``imports`` with a correction and ``tuple_params`` replaced
(:mod:`migrator.text.tuples`); and ``dict``, for iter* and view* only."""

HINT = "it is Python 2, which --python2 modernises first"

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_STRINGS = re.compile(
    r"""\#[^\r\n]*|(?P<long>'{3}(?:[^\\]|\\.)*?'{3}|"{3}(?:[^\\]|\\.)*?"{3})"""
    r"""|'(?:[^\\'\r\n]|\\.)*'|"(?:[^\\"\r\n]|\\.)*\"""",
    re.DOTALL,
)
_UNPACKED_LINE = re.compile(r"[ \t]*\([\w, ()]+\) = \w+(?:\.args)?\s*$")
_LEADING = re.compile(r"[ \t\f]*")


class ModernisedSource(PythonSource):
    """A source that was Python 2: rules look closer at it."""


@dataclass(frozen=True)
class Modernised(Document):
    """A Python 2 file; its source is what it becomes in Python 3."""

    lines: Sequence[int] = field(default=(), repr=False)
    """The original line of every line of the source."""

    def place(self, span: Span) -> Place:
        shown = super().place(span)
        line, end = self._original(shown.line), self._original(shown.end_line)
        return replace(shown, line=line, end_line=max(line, end))

    def _original(self, line: int) -> int:
        return self.lines[min(line, len(self.lines)) - 1] if self.lines else line


def open_python2(source: PythonSource) -> Modernised | None:
    """The document of a source that is not Python 3; None if it is not Python 2 either."""
    new = modernise(source.text)
    if new is None:
        return None
    lines = original_lines(_LINES.findall(source.text), _LINES.findall(new))
    raw = source.raw[: len(source.raw) - len(source.text.encode(source.encoding))]  # a BOM
    raw += new.encode(source.encoding)
    modern = ModernisedSource(source.path, raw, source.encoding, new, source.notebook)
    return Modernised(source.path, source.raw, modern, lines)


def modernise(text: str) -> str | None:
    """The text as Python 3; None where that cannot be done."""
    for attempt in (text, _tabs_expanded(text)):
        new = _fixed(attempt)
        if new is not None and is_python3(new):
            return new
    return None


def left_over(source: PythonSource, before: Unreadable) -> Unreadable | None:
    """Where Python 3 stumbles over a source that is Python 2 even when it is modernised; None if
    modernising mends nothing."""
    text = _tabs_expanded(source.text)
    new = _fixed(text)
    if new is None or new == text:
        return None
    try:
        _ = PythonSource("", b"", "utf-8", new).tree
    except NotPython as error:
        lines = original_lines(_LINES.findall(text), _LINES.findall(new))
        line = lines[min(error.line, len(lines)) - 1] if error.line else None
        if str(NotPython(error.reason, line)) == str(before):
            return None
        where = f"line {line}: " if line else ""
        return Unreadable(f"is Python 2 that cannot be modernised: {where}{error.reason}")
    except Unreadable as error:
        return error
    return None


def is_python3(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _fixed(text: str) -> str | None:
    """The text after the fixers; lines they do not touch keep their line ends and all else."""
    old = _LINES.findall(text)
    ends = [line[len(line.rstrip("\r\n")) :] for line in old]
    plain = "".join(line.rstrip("\r\n") + "\n" for line in old)
    try:
        new = str(_tool().refactor_string(plain, "source"))
    except Exception:  # its parser may raise anything on text that is not Python
        return None
    end = next((end for end in ends if end), "\n")
    before, after = _LINES.findall(plain), _LINES.findall(new)
    result: list[str] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        if what == "equal":
            result += old[i:j]
        elif j - i == m - k:
            result += [after[k + n].rstrip("\n") + ends[i + n] for n in range(m - k)]
        else:
            result += [line.rstrip("\n") + end for line in after[k:m]]
    if ends and not ends[-1] and result:
        result[-1] = result[-1].rstrip("\r\n")
    return "".join(result)


def _tabs_expanded(text: str) -> str:
    """Leading tabs as Python 2 read them: up to the next multiple of eight; not inside strings."""
    inside: set[int] = set()
    for match in _STRINGS.finditer(text):
        if match["long"]:
            inside.update(range(match.start() + 1, match.end()))
    pieces, at = [], 0
    for line in _LINES.findall(text):
        leading = _LEADING.match(line)
        assert leading is not None
        head = leading.group()
        pieces.append(line if at in inside else head.expandtabs(8) + line[len(head) :])
        at += len(line)
    return "".join(pieces)


def original_lines(old: list[str], new: list[str]) -> list[int]:
    """The original line of every new one. Only unpacked parameters add lines."""
    lines: list[int] = []
    added = [_UNPACKED_LINE.match(line) is not None and line not in old for line in new]
    if len(new) - sum(added) == len(old):
        for extra in added:
            lines.append(lines[-1] if extra and lines else (lines[-1] + 1 if lines else 1))
        return lines
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for _, i, j, k, m in matcher.get_opcodes():
        lines += [max(1, min(i + n, j - 1) + 1) for n in range(m - k)]
    return lines


@lru_cache(maxsize=1)
def _tool() -> Any:
    import logging

    from fissix.fixes.fix_dict import FixDict
    from fissix.fixes.fix_imports import FixImports
    from fissix.pytree import Leaf
    from fissix.refactor import RefactoringTool

    from migrator.text.tuples import replace_tuples

    class FixIterators(FixDict):  # type: ignore[misc]
        """Only ``iteritems()`` and the like: ``x.items()`` need not be a dict's."""

        PATTERN = FixDict.PATTERN.replace("'keys'|'items'|'values'|", "")

    class FixModules(FixImports):  # type: ignore[misc]
        """``queue = Queue.Queue()`` must not become ``queue = queue.Queue()``: where the new name
        of a module is taken, it keeps the old one."""

        def start_tree(self, tree: Any, filename: Any) -> None:
            super().start_tree(tree, filename)
            self.taken = {leaf.value for leaf in tree.leaves()}

        def transform(self, node: Any, results: Any) -> None:
            name = results.get("module_name")
            if name is not None and "name_import" in results:
                old, new = name.value, self.mapping[name.value]
                if new.partition(".")[0] in self.taken:
                    name.replace(Leaf(name.type, f"{new} as {old}", prefix=name.prefix))
                    if "multiple_imports" in results and (more := self.match(node)):
                        self.transform(node, more)
                    return
            super().transform(node, results)

    class Tool(RefactoringTool):  # type: ignore[misc]
        def get_fixers(self) -> Any:
            before, after = super().get_fixers()
            own = (FixModules, FixIterators)
            return before, [*after, *(fixer(self.options, self.fixer_log) for fixer in own)]

        def refactor_tree(self, tree: Any, name: Any) -> Any:
            replace_tuples(tree)  # first: what it leaves is of no interest to other fixers
            return super().refactor_tree(tree, name)

        def log_message(self, msg: str, *args: Any) -> None:
            pass

        log_debug = log_message

    logging.getLogger("fissix").setLevel(logging.CRITICAL)
    others = [name for name in FIXERS if name not in ("imports", "tuple_params")]
    return Tool([f"fissix.fixes.fix_{name}" for name in others])
