"""From findings to new bytes: fixes are chosen, spliced in, and the outcome is checked. No I/O."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard

from migrator.core import Changed, Failed, Finding, Result, Safety, Unchanged, by_place
from migrator.run.locating import located
from migrator.text.documents import Document
from migrator.text.opening import open_document
from migrator.text.source import Edit, PythonSource, Span, Unreadable, exact_in_f_strings


def rewrite(document: Document, findings: Iterable[Finding], unsafe: bool = False) -> Result:
    """Apply the fixes of ``findings`` to a document.

    Of fixes that overlap the first one wins; the others stay findings. A result that Python cannot
    parse, or whose tree differs outside the edits, is a Failed and nothing else.
    """
    fixed, left, edits = _chosen(by_place(findings), unsafe)
    path, remaining = document.path, located(document, left)
    reason = None
    try:
        after = document.render(edits)
        if after == document.raw:
            return Unchanged(path, remaining)
        if not _same_but_for(document.source, edits, open_document(path, after).source):
            reason = "the edits would change more than they should"
    except Unreadable as error:
        reason = f"the rewritten file {error}"
    if reason is not None:
        everything = located(document, by_place([*fixed, *left]))
        return Failed(path, f"was left as it is: {reason}", everything)
    done = located(document, fixed)
    return Changed(path, document.raw, after, remaining, done)


def _chosen(
    findings: Iterable[Finding], unsafe: bool
) -> tuple[list[Finding], list[Finding], list[Edit]]:
    """What is fixed, what is left, and the edits: no two of them overlap."""
    fixed: list[Finding] = []
    left: list[Finding] = []
    taken: dict[Edit, None] = {}
    for finding in findings:
        fix = finding.fix
        wanted = fix is not None and (unsafe or fix.safety is Safety.SAFE)
        edits = fix.edits if fix is not None and wanted else ()
        if not wanted or any(_collide(new, old) for new in edits for old in taken if new != old):
            left.append(finding)
        else:
            fixed.append(finding)
            taken.update(dict.fromkeys(edits))
    return fixed, left, list(taken)


def _collide(one: Edit, other: Edit) -> bool:
    a, b = one.span, other.span
    if a.start == b.start:  # also two insertions at one place: their order would be chance
        return True
    return a.start < b.end and b.start < a.end


def _same_but_for(before: PythonSource, edits: Sequence[Edit], after: PythonSource) -> bool:
    """Whether both trees have the same nodes where nothing was edited.

    The text there is the same, so it is enough to compare where statements begin and, inside the
    edited ones, where expressions begin.
    """
    marks = _Marks(edits)
    opened: set[int] = set()
    old: set[tuple[int, str]] = set()
    for offset, statement, place in _statements(before):
        if marks.in_old(offset):
            continue
        at = marks.moved(offset)
        old.add((at, f"{type(statement).__name__} {place}"))
        if marks.touch(before.span(statement)):
            opened.add(at)
            old |= {
                (marks.moved(start), label)
                for start, label in _expressions(before, statement)
                if not marks.in_old(start)
            }
    new: set[tuple[int, str]] = set()
    for offset, statement, place in _statements(after):
        if marks.in_new(offset):
            continue
        new.add((offset, f"{type(statement).__name__} {place}"))
        if offset in opened:
            new |= {found for found in _expressions(after, statement) if not marks.in_new(found[0])}
    return old == new


def _statements(source: PythonSource) -> Iterator[tuple[int, ast.stmt, str]]:
    """Every statement, where it begins, and what kinds of blocks it is in."""
    pending: list[tuple[ast.AST, str]] = [(source.tree, "")]
    while pending:
        parent, place = pending.pop()
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.stmt):
                yield source.offset(child.lineno, child.col_offset), child, place
                pending.append((child, f"{place} {type(child).__name__}"))
            elif isinstance(child, ast.excepthandler | ast.match_case):
                pending.append((child, f"{place} {type(child).__name__}"))


def _expressions(source: PythonSource, statement: ast.stmt) -> Iterator[tuple[int, str]]:
    """Where the expressions of a statement begin and what they are, without its block."""
    pending: list[ast.AST] = [statement]
    while pending:
        for child in ast.iter_child_nodes(pending.pop()):
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                continue
            if isinstance(child, ast.JoinedStr):
                if exact_in_f_strings():  # but for tuples without brackets, before Python 3.12
                    inside = (at for at in ast.walk(child) if not isinstance(at, ast.Tuple))
                    yield from (_labelled(source, at) for at in inside if _is_placed(at))
                continue
            if _is_placed(child):
                yield _labelled(source, child)
            pending.append(child)


def _is_placed(node: ast.AST) -> TypeGuard[ast.expr | ast.keyword | ast.arg]:
    return isinstance(node, ast.expr | ast.keyword | ast.arg)


def _labelled(source: PythonSource, node: ast.expr | ast.keyword | ast.arg) -> tuple[int, str]:
    offset = source.offset(node.lineno, node.col_offset)
    return offset, f"{type(node).__name__} {_word(node)}"


def _word(node: ast.AST) -> object:
    """What tells a node without children from another of its type."""
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word):
            return word
        case ast.Constant(value=value):
            return type(value).__name__  # an edit may be inside a string
        case ast.keyword(arg=name):
            return name
    return None


class _Marks:
    """Where the edits are in the old text and in the new one."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._old: list[tuple[int, int]] = []
        self._new: list[tuple[int, int]] = []
        self._shifts = [0]
        for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
            start = edit.span.start + self._shifts[-1]
            self._old.append((edit.span.start, edit.span.end))
            self._new.append((start, start + len(edit.new)))
            self._shifts.append(start + len(edit.new) - edit.span.end)
        self._ends = [end for _, end in self._old]

    def moved(self, offset: int) -> int:
        """The place in the new text of a place in the old one that is not inside an edit."""
        return offset + self._shifts[bisect_right(self._ends, offset)]

    def in_old(self, offset: int) -> bool:
        return any(start <= offset < end for start, end in self._old)

    def in_new(self, offset: int) -> bool:
        return any(start <= offset < end for start, end in self._new)

    def touch(self, span: Span) -> bool:
        """Whether an edit reaches into a part of the old text."""
        return any(
            (start < span.end and span.start < end) or span.start < start == end < span.end
            for start, end in self._old
        )
