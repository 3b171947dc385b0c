"""Which outside names a function mentions and changes, read from its syntax.

``migrate scan`` asks a narrower question (DS410): does a function keep what an action returned? It
has no objects to look at and must not cry wolf. Here every change counts, because
:mod:`driver_state` knows which functions share the object.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_MUTATING = {
    *("add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "fit", "insert"),
    *("intersection_update", "partial_fit", "pop", "popitem", "popleft", "put", "put_nowait"),
    *("remove", "reverse", "set", "setdefault", "sort", "subtract"),
    *("symmetric_difference_update", "update"),
}


@dataclass(frozen=True)
class NameUse:
    """A name from outside, as ``a`` or ``a.b``."""

    name: str
    writes: bool
    rebinds: bool = False
    call: ast.Call | None = None
    """The call, where what is mentioned is called."""


def uses_in(function: ast.AST, method: bool, given: Collection[str]) -> Iterator[NameUse]:
    """The names that a function does not make itself; parameters in ``given`` are from outside.

    ``method``: so is its first parameter.
    """
    assert isinstance(function, (ast.FunctionDef, ast.Lambda))
    local = _parameters(function.args, method) - set(given)
    body = function.body if isinstance(function.body, list) else [function.body]
    nodes = [node for statement in body for node in ast.walk(statement)]
    outer = {
        name
        for node in nodes
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            if node.id in outer:
                yield NameUse(node.id, writes=True, rebinds=True)
            else:
                local.add(node.id)
    for node in nodes:
        for name, writes in _mentioned(node):
            if name.partition(".")[0] not in local:
                rebinds = writes and isinstance(node, ast.Attribute)
                yield NameUse(name, writes, rebinds)
        called = root_of(node.func) if isinstance(node, ast.Call) else None
        if called is not None and called.partition(".")[0] not in local:
            assert isinstance(node, ast.Call)
            yield NameUse(called, writes=False, call=node)
        key = _key_in_globals(node)
        if key is not None:
            yield NameUse(key, writes=True, rebinds=True)


def _parameters(arguments: ast.arguments, method: bool) -> set[str]:
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    extra = (arguments.vararg, arguments.kwarg)
    names = {argument.arg for argument in (*every, *extra) if argument is not None}
    return names - {every[0].arg} if method and every else names


def _mentioned(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """Names (``a`` or ``a.b``) that a node mentions, and whether it changes what they stand for."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id, False
    if isinstance(node, ast.Attribute):
        root = root_of(node)
        if root is not None:
            yield root, isinstance(node.ctx, (ast.Store, ast.Del))
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
        root = root_of(node.value)
        if root is not None:
            yield root, True
    if isinstance(node, ast.AugAssign):
        root = root_of(node.target)
        if root is not None and not isinstance(node.target, ast.Name):
            yield root, True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        root = root_of(node.func.value)
        if root is not None and node.func.attr in _MUTATING:
            yield root, True


def root_of(node: ast.AST) -> str | None:
    """``a`` for a, a[0] and a[0].x; ``a.b`` for a.b and a.b[0].c."""
    attributes: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Subscript):
            attributes.clear()
            node = node.value
        elif isinstance(node, ast.Name):
            return f"{node.id}.{attributes[-1]}" if attributes else node.id
        else:
            return None


def _key_in_globals(node: ast.AST) -> str | None:
    """``globals()["name"] = …``."""
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "globals"
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
    ):
        return node.slice.value
    return None
