"""Streams and contexts that leave what can be followed are noted."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrator.model.inference.values import Box, Value, elements, of_kind
from migrator.model.inference.walk import Walk, dotted_name
from migrator.model.jobmodel import Escaping, Kind

NAMESPACE = "globals()[…]"


def escape(
    walk: Walk, node: ast.AST, given: Iterable[Value], how: Escaping, name: str | None = None
) -> None:
    """Note it if a stream or context is given to something that cannot be followed."""
    for value in given:
        found = of_kind(value, Kind.STREAM, Kind.CONTEXT)
        if not found and any(type(atom) is Box for atom in value):
            found = of_kind(elements(value), Kind.STREAM, Kind.CONTEXT)
            if found and how is Escaping.UNKNOWN_CALL:
                how = Escaping.CONTAINER
        if found:
            if name is None:
                name = dotted_name(node.func) if isinstance(node, ast.Call) else "…"
            if not name.rpartition(".")[2].startswith(_HARMLESS):
                walk.escape(node, how, found[0].kind, name)
            return


_HARMLESS = ("assert", "info", "debug", "warn", "error", "critical", "log", "print")
"""Methods that only look at what they are given."""


def lose(walk: Walk, node: ast.AST, value: Value, how: Escaping, name: str) -> None:
    """Note a stream or context that is put where it is not followed."""
    found = of_kind(value | elements(value), Kind.STREAM, Kind.CONTEXT)
    if found:
        walk.escape(node, how, found[0].kind, name)
