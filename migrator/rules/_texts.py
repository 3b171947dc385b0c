"""For rules about files that are not Python: matches outside comments, logical lines, versions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrator.text.source import PythonSource, Span

NEEDED = (4, 2)
"""The oldest Spark that a moved job runs on."""

_COMMENT_LINE = re.compile(r"[ \t]*(?:#(?!!)|//|;|(?i:rem)\b)")
_CONTINUED = re.compile(r"(?:[^\n\\]|\\\r?\n|\\[^\n])*(?:\n[ \t]*-[ \t][^\n]*)*")


def matches(pattern: re.Pattern[str], source: PythonSource) -> Iterator[re.Match[str]]:
    """What matches, but not in lines that are comments."""
    for match in pattern.finditer(source.text):
        start = source.text.rfind("\n", 0, match.start()) + 1
        if not _COMMENT_LINE.match(source.text, start):
            yield match


def span(match: re.Match[str], group: str | int = 0) -> Span:
    return Span(match.start(group), match.end(group))


def logical_line(source: PythonSource, at: int) -> str:
    """The text from a place to the end of its line, of those it is continued on, and of the items
    of a list in YAML that follow."""
    match = _CONTINUED.match(source.text, at)
    return match[0] if match else ""


def too_old(version: str) -> bool:
    """Whether a version of Spark, as far as it is given, is below the needed one.

    >>> [too_old(v) for v in ("2.4.5", "3", "4.1.1", "4", "4.2", "10.0", "x")]
    [True, True, True, False, False, False, False]
    """
    numbers = [int(part) for part in re.findall(r"\d+", version)[:2]]
    return bool(numbers) and tuple(numbers) < NEEDED[: len(numbers)]
