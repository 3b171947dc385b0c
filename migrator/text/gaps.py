"""Cells that cannot be read: each is left as it is and reported; the other cells are handled.

In the source that is analysed such a cell is all comments, of the same length. So is the
code after magics and in shell lines, which is reported if it mentions DStreams.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from migrator.text.documents import Document
from migrator.text.magics import masked
from migrator.text.maven import OLD_KAFKA
from migrator.text.source import Edit, Gap, NotPython, PythonSource, Span, Unreadable

DATABRICKS = "# Databricks notebook source"
_COMMAND = re.compile(r"^# COMMAND -{5,}[ \t\r]*$", re.MULTILINE)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_STREAMS = re.compile(
    r"pyspark\.streaming|StreamingContext|\bDStream\b|foreachRDD|updateStateByKey|ByKeyAndWindow"
    r"|createDirectStream|\b(?:Kafka|Kinesis|MQTT|Flume)Utils\b|socketTextStream|textFileStream"
    r"|queueStream|\bssc\b|spark-streaming-|" + OLD_KAFKA.pattern
)
# Magics whose cells hold text, not code of the job.
_PROSE = re.compile(r"[ \t]*%{1,2}(?:md|markdown|html|latex|svg|javascript|js|sql)\b")
_MAGIC_LINES = re.compile(r"^# MAGIC\b[^\r\n]*(?:\r?\n# MAGIC\b[^\r\n]*)*", re.MULTILINE)
HIDDEN = "has DStream code or an old connector in lines that are not read as Python"


def objection(cell: str) -> Unreadable | None:
    """Why Python 3 cannot parse a cell, if so."""
    try:
        cell.encode()
        _ = PythonSource("", b"", "utf-8", cell).tree
    except UnicodeEncodeError:  # JSON can hold one half of a surrogate pair
        return NotPython("it holds half a character")
    except Unreadable as error:
        return error
    return None


def gap(trouble: Unreadable, code: str, start: int) -> Gap:
    """The gap that a cell leaves which begins at ``start``; it is found at the line in question."""
    lines = _LINE.findall(code)
    index = min(getattr(trouble, "line", None) or 1, len(lines)) - 1
    at = start + sum(map(len, lines[:index]))
    return Gap(Span(at, at + len(lines[index].rstrip())), trouble.brief, code)


def hidden_gap(code: str, shown: str, start: int) -> Gap | None:
    """The gap for hidden lines of a cell that mention DStreams, if there are any."""
    if code == shown or _PROSE.match(code):
        return None
    at = start
    for line, visible in zip(_LINE.findall(code), _LINE.findall(shown), strict=True):
        if line != visible and _STREAMS.search(line):
            return Gap(Span(at, at + len(line.rstrip())), HIDDEN, code)
        at += len(line)
    return None


def magic_gaps(text: str) -> tuple[Gap, ...]:
    """Those of a Databricks source file: one per run of ``# MAGIC`` lines."""
    found = []
    for block in _MAGIC_LINES.finditer(text):
        code = block[0].replace("# MAGIC ", "")
        match = None if _PROSE.match(code) else _STREAMS.search(text, block.start(), block.end())
        if match is not None:
            line = _LINE.match(text, text.rfind("\n", 0, match.start()) + 1)
            assert line is not None
            at = line.start()
            found.append(Gap(Span(at, at + len(line[0].rstrip())), HIDDEN, code))
    return tuple(found)


@dataclass(frozen=True)
class Commands(Document):
    """A Databricks source file, some commands of which cannot be read."""

    original: PythonSource | None = field(default=None, repr=False)

    def render(self, edits: Sequence[Edit]) -> bytes:
        assert self.original is not None
        return self.original.splice(edits)


def open_commands(source: PythonSource) -> Commands | None:
    """The document of a Databricks source file that is not Python as a whole; None if it is
    something else, or none of its commands is Python."""
    if not source.text.startswith(DATABRICKS):
        return None
    borders = [0, *(match.start() for match in _COMMAND.finditer(source.text)), len(source.text)]
    pieces, gaps = [], []
    for start, end in pairwise(borders):
        code = source.text[start:end]
        trouble = objection(code)
        if trouble is not None:
            gaps.append(gap(trouble, code, start))
            code = masked(code)
        pieces.append(code)
    shown = PythonSource(
        source.path, source.raw, source.encoding, "".join(pieces), True, (*gaps, *source.gaps)
    )
    try:
        readable = bool(gaps and shown.tree.body)
    except Unreadable:
        return None
    return Commands(source.path, source.raw, shown, source) if readable else None
