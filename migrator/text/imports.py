"""Import statements edited where they stand: every byte that need not change stays."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator

from migrator.text.source import Edit, PythonSource, Span

# What may stand between the tokens of a statement outside brackets.
_BLANK = r"(?:[ \t\f]|\\(?:\r\n|\r|\n))"
_FROM = re.compile(rf"from{_BLANK}*(?P<module>\w+(?:{_BLANK}*\.{_BLANK}*\w+)*)")
_COMMA = re.compile(r"[ \t\f]*,(?:[ \t]+(?=[^ \t\r\n]))?")
_LINE_END_AFTER_BLANKS = re.compile(r"[ \t]*(?:\r\n|\r|\n)")
_REST_OF_LINE = re.compile(r"[ \t\f]*;?[ \t\f]*(?:#[^\r\n]*)?(?P<end>\r\n|\r|\n|\Z)")
_LINE_END = re.compile(r"\r\n|\r|\n")

Statement = ast.Import | ast.ImportFrom


def module_span(source: PythonSource, node: ast.ImportFrom) -> Span | None:
    """Where the module's name stands in ``from module import …``."""
    start = source.span(node).start
    match = _FROM.match(source.text, start)
    if match is None or re.sub(rf"{_BLANK}+", "", match["module"]) != node.module:
        return None
    return Span(match.start("module"), match.end("module"))


def name_span(source: PythonSource, alias: ast.alias) -> Span:
    """Where the imported name stands, without ``as …``."""
    span = source.span(alias)
    if alias.asname is None:
        return span
    code = source.text[span.start : span.end]
    name = re.match(rf"\w+(?:{_BLANK}*\.{_BLANK}*\w+)*|\*", code)
    assert name is not None
    return Span(span.start, span.start + name.end())


def newline(source: PythonSource) -> str:
    """The first line end of the text; a line feed if it has none."""
    match = _LINE_END.search(source.text)
    return match.group() if match else "\n"


def indentation(source: PythonSource, offset: int) -> str | None:
    """What precedes a place on its line if that is only blanks, else None."""
    start = max(source.text.rfind("\n", 0, offset), source.text.rfind("\r", 0, offset)) + 1
    before = source.text[start:offset]
    return None if before.strip(" \t\f") else before


def in_front(source: PythonSource, node: ast.stmt, statements: Iterable[str]) -> Edit | None:
    """Put statements before another one, on separate lines if it begins a line."""
    start = _start(source, node)
    indent = indentation(source, start)
    after = "; " if indent is None else newline(source) + indent.replace("\f", "")
    new = "".join(statement + after for statement in statements)
    return Edit(Span(start, start), new) if new else None


def _start(source: PythonSource, node: ast.stmt) -> int:
    """Where a statement begins: with its decorators, which ``ast`` does not count."""
    decorators = getattr(node, "decorator_list", None)
    if not decorators:
        return source.span(node).start
    return source.text.rindex("@", 0, source.span(decorators[0]).start)


def without(source: PythonSource, node: Statement, gone: Collection[ast.alias]) -> list[Edit]:
    """Take some, not all, of the names out of an import; comments between them stay."""
    spans = {alias: source.span(alias) for alias in node.names}
    kept = [alias for alias in node.names if alias not in gone]
    assert kept
    end = source.span(node).end
    if source.text[end - 1] != ")":
        new = ", ".join(source.code(alias) for alias in kept)
        return [Edit(Span(spans[node.names[0]].start, spans[node.names[-1]].end), new)]
    edits, previous = [], None
    for alias, span in spans.items():
        if alias not in gone:
            previous = span
            continue
        comma = _COMMA.match(source.text, span.end)
        last = previous is not None and comma is None  # (a, gone)
        if previous and last and "#" not in source.text[previous.end : span.start]:
            edits.append(Edit(Span(previous.end, span.end), ""))
        else:
            edits.append(_whole_line(source, span.start, comma.end() if comma else span.end))
    return edits


def _whole_line(source: PythonSource, start: int, end: int) -> Edit:
    """The removal of a part of the text, of its line too if nothing else is on it."""
    indent = indentation(source, start)
    rest = _LINE_END_AFTER_BLANKS.match(source.text, end)
    if indent is None or rest is None:
        return Edit(Span(start, end), "")
    return Edit(Span(start - len(indent), rest.end()), "")


def blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Every block of statements that must not be empty, and that of the module."""
    yield tree.body
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if block and isinstance(block, list):
                    yield block


def deletions(source: PythonSource, nodes: Collection[ast.stmt]) -> dict[ast.stmt, Edit]:
    """Take statements away, with their lines and the comments on them; a block never gets empty."""
    edits: dict[ast.stmt, Edit] = {}
    for block in blocks(source.tree):
        doomed = [node for node in block if node in nodes]
        if not doomed:
            continue
        if len(doomed) == len(block) and block is not source.tree.body:
            last = doomed.pop()
            edits[last] = Edit(source.span(last), "pass")
        for node in doomed:
            edits[node] = _deletion(source, node)
    return edits


def _deletion(source: PythonSource, node: ast.stmt) -> Edit:
    span = source.span(node)
    indent = indentation(source, span.start)
    rest = _REST_OF_LINE.match(source.text, span.end)
    if indent is not None and rest is not None:
        start = span.start - len(indent.lstrip("\f"))
        return Edit(Span(start, rest.end()), "")
    after = re.compile(rf"{_BLANK}*;{_BLANK}*").match(source.text, span.end)
    if after is not None and source.text[after.end() : after.end() + 1] not in (
        "",
        "\r",
        "\n",
        "#",
    ):
        return Edit(Span(span.start, after.end()), "")
    before = re.compile(rf";{_BLANK}*\Z").search(source.text[: span.start])
    if before is not None:
        return Edit(Span(before.start(), span.end), "")
    return Edit(span, "pass")
