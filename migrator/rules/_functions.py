"""Functions that a job hands to operations: what they take, and what they return."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

FunctionNode: TypeAlias = "ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef"
_SCOPES = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def positional(function: FunctionNode) -> list[str]:
    """The names that ``co_argcount`` counts."""
    arguments = function.args
    return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a function's (or any node's) own body, without those of nested functions."""
    if isinstance(node, ast.Lambda):
        waiting: list[ast.AST] = [node.body]
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        waiting = list(node.body)
    else:
        waiting = [node]
    while waiting:
        at = waiting.pop()
        yield at
        if not isinstance(at, _SCOPES):
            waiting.extend(ast.iter_child_nodes(at))


def results(function: FunctionNode) -> list[ast.expr | None]:
    """What a function may return: an expression per ``return``, None for a bare one."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    return [node.value for node in inside(function) if isinstance(node, ast.Return)]


def falls_through(body: list[ast.stmt]) -> bool:
    """Whether the end of a body can be reached, so that None is returned; False when in doubt."""
    last = body[-1]
    if isinstance(last, (ast.Return, ast.Raise, ast.While, ast.Match, ast.Try)):
        return False
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return falls_through(last.body)
    if isinstance(last, ast.If):
        return not last.orelse or falls_through(last.body) or falls_through(last.orelse)
    return True


def is_generator(function: FunctionNode) -> bool:
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in inside(function))


def names_read(node: ast.AST) -> set[str]:
    return {
        at.id for at in ast.walk(node) if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load)
    }
