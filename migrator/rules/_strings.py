"""Strings in code: what is in them, and edits inside them. Docstrings are left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrator.text.source import Edit, PythonSource, Span

String = ast.Constant | ast.JoinedStr


def strings(tree: ast.AST) -> Iterator[tuple[String, str]]:
    """Strings and their text; what is computed in an f-string is a NUL in it."""
    pending: list[ast.AST] = [tree]
    while pending:
        for child in ast.iter_child_nodes(pending.pop()):
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue  # a docstring, or a comment in disguise
            if isinstance(child, ast.Constant):
                if isinstance(child.value, str):
                    yield child, child.value
            elif isinstance(child, ast.JoinedStr):
                yield child, _joined(child)
                pending += [part for part in child.values if not isinstance(part, ast.Constant)]
            else:
                pending.append(child)


def _joined(node: ast.JoinedStr) -> str:
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values
    )


def edits(
    source: PythonSource, node: String, pattern: re.Pattern[str], new: str
) -> tuple[Edit, ...]:
    """What matches in the code of a string becomes ``new``."""
    span = source.span(node)
    return tuple(
        Edit(Span(match.start(), match.end()), new)
        for match in pattern.finditer(source.text, span.start, span.end)
    )
