"""What an argument is, where it is written out."""

from __future__ import annotations

import ast


def number(node: ast.AST | None) -> float | None:
    """The value of a literal number, with or without a sign; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = number(node.operand)
        return None if value is None else -value
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return None
    return float(node.value) if isinstance(node.value, (int, float)) else None


def milliseconds(node: ast.AST | None) -> int | None:
    """The value of a literal duration in seconds, cut off as the API does it."""
    seconds = number(node)
    return None if seconds is None else int(seconds * 1000)


def text(node: ast.AST | None) -> str | None:
    """The value of a literal string, or the beginning of an f-string or of a sum of strings."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr) and node.values:
        return text(node.values[0])
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        return text(node.left)
    return None


def scheme(node: ast.AST | None) -> str | None:
    """The scheme of a literal URI, in lower case; "" for a plain path, None if not known."""
    path = text(node)
    if path is None:
        return None
    head, colon, _ = path.partition(":")
    plain = not colon or not head.isalnum() or len(head) == 1  # C:\ is a drive
    return "" if plain else head.lower()


def is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def is_true(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
