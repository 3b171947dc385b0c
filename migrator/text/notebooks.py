"""Jupyter notebooks: the code cells as one source, and edits back into the JSON they stand in.

Only the JSON strings of lines that change are rewritten; outputs, metadata, ids and the layout of
the JSON stay as they are.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any

from migrator.text.documents import Document, Place
from migrator.text.gaps import gap, hidden_gap, objection
from migrator.text.magics import hidden, masked
from migrator.text.python2 import HINT, ModernisedSource, modernise, original_lines
from migrator.text.source import Edit, Gap, PythonSource, Span, Unreadable

_TOKEN = re.compile(r'[ \t\r\n]*("(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+)', re.DOTALL)
_ESCAPED_LINE = re.compile(r"(?:[^\\]|\\[^n])*(?:\\n|\Z)", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_PYTHON = re.compile(r"|(i?python|pyspark)[23]?")


class UnreadableCell(Unreadable):
    """Not the file, but a cell of it, cannot be read as Python 3."""


@dataclass(frozen=True)
class Cell:
    """A code cell."""

    number: int
    """From 1, all kinds of cells counted."""
    literals: tuple[Span, ...]
    """Its JSON strings in the file: one, or one per line."""
    single: bool
    """One string for all lines."""
    start: int
    """Where it begins in the source that is analysed."""
    lines: tuple[int, ...]
    """For each of its lines, the line of the cell in the file: others only where modernised."""
    text: str
    """Its text as far as edits are concerned: of the same length as what is analysed."""


@dataclass(frozen=True)
class Notebook(Document):
    """A notebook; its source is that of all code cells, one below the other."""

    json: str = field(default="", repr=False)
    cells: tuple[Cell, ...] = field(default=(), repr=False)

    def render(self, edits: Sequence[Edit]) -> bytes:
        pieces, at = [], 0
        mine: dict[Cell, list[Edit]] = {}
        for edit in edits:
            mine.setdefault(self._cell(edit.span), []).append(edit)
        for cell in self.cells:
            text = _spliced(cell, mine.get(cell, []))
            start, stop = cell.literals[0].start, cell.literals[-1].end
            pieces += [self.json[at:start], self._written(cell, text)]
            at = stop
        pieces.append(self.json[at:])
        bom = codecs.BOM_UTF8 if self.raw.startswith(codecs.BOM_UTF8) else b""
        return bom + "".join(pieces).encode()

    def place(self, span: Span) -> Place:
        shown = super().place(span)
        cell = self._cell(span)
        before = self.source.position(cell.start)[0]
        first, last = (
            cell.lines[min(line - before, len(cell.lines) - 1)]
            for line in (shown.line, shown.end_line)
        )
        return replace(shown, cell=cell.number, line=first, end_line=max(first, last))

    def _cell(self, span: Span) -> Cell:
        return next(cell for cell in reversed(self.cells) if cell.start <= span.start)

    def _written(self, cell: Cell, text: str) -> str:
        """The cell's strings in JSON, of which only those of changed lines are new."""
        old = [self.json[span.start : span.end] for span in cell.literals]
        bodies = _ESCAPED_LINE.findall(old[0][1:-1])[:-1] if cell.single else [o[1:-1] for o in old]
        before = [_decoded(body) for body in bodies]
        after = _LINE.findall(text)
        if before == after or "".join(before) == text:
            return self.json[cell.literals[0].start : cell.literals[-1].end]
        plain = self.json.isascii()
        new: list[tuple[str, int | None]] = []  # with the string of the file whose place it takes
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        for what, i, j, k, m in matcher.get_opcodes():
            if what == "equal":
                new += [(bodies[n], n) for n in range(i, j)]
            else:
                same = j - i == m - k
                new += [
                    (_encoded(line, plain), i + n if same else None)
                    for n, line in enumerate(after[k:m])
                ]
        if cell.single:
            return f'"{"".join(body for body, _ in new)}"'
        return self._joined(cell, new or [("", None)])

    def _joined(self, cell: Cell, strings: list[tuple[str, int | None]]) -> str:
        """Strings of a list, with what stood between them."""
        pieces: list[str] = []
        previous: int | None = None
        for body, place in strings:
            if pieces and previous is not None and place == previous + 1:
                pieces.append(self.json[cell.literals[previous].end : cell.literals[place].start])
            elif pieces:
                pieces.append(self._separator(cell))
            pieces.append(f'"{body}"')
            previous = place
        return "".join(pieces)

    def _separator(self, cell: Cell) -> str:
        """What stands between two strings of a list."""
        if len(cell.literals) > 1:
            return self.json[cell.literals[0].end : cell.literals[1].start]
        start = cell.literals[0].start
        indent = self.json[self.json.rfind("\n", 0, start) + 1 : start]
        return ", " if indent.strip() else f",\n{indent}"


def _spliced(cell: Cell, edits: Sequence[Edit]) -> str:
    pieces, at = [], 0
    for edit in sorted(set(edits), key=lambda edit: (edit.span.start, edit.span.end)):
        start, end = edit.span.start - cell.start, edit.span.end - cell.start
        if start < at:
            raise ValueError(f"edits overlap at offset {edit.span.start}")
        # The line end after a cell's last line is ours, not the cell's.
        pieces += [cell.text[at:start], edit.new]
        at = end
    return "".join([*pieces, cell.text[at:]])


def _decoded(body: str) -> str:
    text = json.loads(f'"{body}"', strict=False)
    assert isinstance(text, str)
    return text


def _encoded(line: str, plain: bool) -> str:
    return json.dumps(line, ensure_ascii=plain)[1:-1]


def is_notebook(path: str, raw: bytes) -> bool:
    """By its name; standard input, which has none, by its beginning."""
    if path == "-":
        return raw.lstrip()[:1] == b"{" and b'"cells"' in raw
    return path.endswith(".ipynb")


def code(raw: bytes) -> str:
    """The text of all code cells; raises :class:`Unreadable`."""
    try:
        data = json.loads(raw.decode("utf-8-sig"), strict=False)
    except (ValueError, RecursionError):
        raise Unreadable("is not a notebook") from None
    return "\n".join(text for _, _, text in _code_cells(data))


def open_notebook(path: str, raw: bytes, python2: bool = False) -> Notebook:
    """The notebook in the bytes of a file; ``python2`` modernises cells that are not Python 3.

    A cell that is not Python at all is a gap; raises :class:`Unreadable` if there are no others.
    """
    try:
        text = raw.decode("utf-8-sig")
        data = json.loads(text, strict=False)
        literals = dict(_literals(text))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"is not a notebook: {error}") from None
    kind: type[PythonSource] = PythonSource
    cells: list[Cell] = []
    shown: list[str] = []
    gaps: list[Gap] = []
    first = ""
    at = 0
    for number, key, code in _code_cells(data):
        spans = literals.get(key, [])
        if not spans:  # an empty cell
            continue
        visible = hidden(code)
        hidden_part = hidden_gap(code, visible, at)
        lines = list(range(1, code.count("\n") + 2))
        trouble = objection(visible)
        if trouble is not None:
            first = first or f"cell {number} {trouble}"
            new = modernise(visible)
            if new is None:
                gaps.append(gap(trouble, code, at))
                visible, hidden_part = masked(code), None
            elif not python2:
                raise UnreadableCell(f"cell {number} {trouble}; {HINT}")
            else:
                lines = original_lines(_LINE.findall(visible), _LINE.findall(new))
                kind = ModernisedSource
                hidden_part = hidden_part and replace(hidden_part, span=Span(at, at))
                code, visible = _shown_again(code, visible, new), new
        if hidden_part is not None:
            gaps.append(hidden_part)
        single = isinstance(_at(data, key), str)
        cells.append(Cell(number, tuple(spans), single, at, tuple(lines), code))
        shown.append(visible if visible.endswith("\n") else visible + "\n")
        at += len(shown[-1])
    everything = "".join(shown)
    source = kind(path, everything.encode(), "utf-8", everything, True, tuple(gaps))
    if first and gaps and not source.tree.body:
        raise UnreadableCell(first)
    return Notebook(path, raw, source, text, tuple(cells))


def _shown_again(code: str, visible: str, new: str) -> str:
    """The modernised cell with the lines that were hidden in it."""
    lines, at = _LINE.findall(new), 0
    for shown, hidden_line in zip(_LINE.findall(code), _LINE.findall(visible), strict=True):
        if shown != hidden_line:
            at = lines.index(hidden_line, at)
            lines[at] = shown
    return "".join(lines)


def _code_cells(data: Any) -> Iterator[tuple[int, tuple[str | int, ...], str]]:
    """Number, place in the JSON and text of every code cell; nothing where it is not Python."""
    if not isinstance(data, dict):
        raise Unreadable("is not a notebook: it has no cells")
    if not _PYTHON.fullmatch(_language(data) or ""):
        return
    sheets: list[tuple[tuple[str | int, ...], Any]] = [(("cells",), data.get("cells"))]
    worksheets = data.get("worksheets")  # before version 4
    if isinstance(worksheets, list):
        sheets += [
            (("worksheets", i, "cells"), sheet.get("cells"))
            for i, sheet in enumerate(worksheets)
            if isinstance(sheet, dict)
        ]
    if all(cells is None for _, cells in sheets):
        raise Unreadable("is not a notebook: it has no cells")
    number = 0
    for place, cells in sheets:
        for index, cell in enumerate(cells if isinstance(cells, list) else ()):
            number += 1
            if not isinstance(cell, dict) or cell.get("cell_type") != "code":
                continue
            name = "source" if "source" in cell else "input"
            lines = cell.get(name)
            if isinstance(lines, list) and all(isinstance(line, str) for line in lines):
                yield number, (*place, index, name), "".join(lines)
            elif isinstance(lines, str):
                yield number, (*place, index, name), lines


def _language(data: dict[str, Any]) -> str | None:
    metadata = data.get("metadata")
    if not isinstance(metadata, dict):
        return None
    for name, key in (("language_info", "name"), ("kernelspec", "language")):
        info = metadata.get(name)
        if isinstance(info, dict) and isinstance(info.get(key), str):
            return str(info[key]).lower()
    return None


def _at(data: Any, place: tuple[str | int, ...]) -> Any:
    for step in place:
        data = data[step]
    return data


def _literals(text: str) -> Iterator[tuple[tuple[str | int, ...], list[Span]]]:
    """Where the strings of every ``source`` and ``input`` of a cell stand."""
    found: dict[tuple[str | int, ...], list[Span]] = {}
    place: list[str | int] = []  # keys and indexes that lead here
    expects_key = [False]
    for match in _TOKEN.finditer(text):
        token, start = match[1], match.start(1)
        if token == "{" or token == "[":
            place.append("" if token == "{" else 0)
            expects_key.append(token == "{")
        elif token in ("}", "]"):
            place.pop()
            expects_key.pop()
        elif token == ",":
            last = place[-1]
            if isinstance(last, int):
                place[-1] = last + 1
            else:
                expects_key[-1] = True
        elif token == ":":
            expects_key[-1] = False
        elif token[0] == '"':
            if expects_key[-1]:
                place[-1] = _decoded(token[1:-1])
                continue
            here = place[:-1] if place and isinstance(place[-1], int) else place
            if here and here[-1] in ("source", "input"):
                found.setdefault(tuple(here), []).append(Span(start, match.end(1)))
    yield from found.items()
