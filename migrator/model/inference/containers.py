"""Methods of lists, tuples and dictionaries that hold streams."""

from __future__ import annotations

import ast

from migrator.model.inference.arguments import Arguments
from migrator.model.inference.values import UNKNOWN, Box, Value, elements
from migrator.model.inference.walk import Walk


def call_method(
    walk: Walk, node: ast.Call, name: str, boxes: list[Box], arguments: Arguments
) -> Value:
    """``streams.append(s)``, ``streams.values()``, ``streams.get("a")`` …"""
    first = arguments.get(0, "")
    if name in ("append", "add", "appendleft", "put"):
        _add(boxes, first)
    elif name in ("insert", "setdefault"):
        _add(boxes, arguments.get(1, "default"))
        return _everything(boxes) if name == "setdefault" else UNKNOWN
    elif name in ("extend", "update"):
        _add(boxes, elements(first).union(*arguments.keywords.values()))
    elif name in ("pop", "popleft", "popitem", "get", "get_nowait", "__getitem__", "next"):
        key = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if key is not None and any(key in box.items for box in boxes):
            return UNKNOWN.union(*(box.get(key) for box in boxes))
        return _everything(boxes) | arguments.get(1, "default")
    elif name in ("values", "copy", "elements"):
        return made(walk, node, _everything(boxes))
    elif name == "items":
        pair = walk.analysis.box(node, "pair")
        pair.items[0] = UNKNOWN
        pair.items[1] = pair.items.get(1, UNKNOWN) | _everything(boxes)
        return made(walk, node, frozenset({pair}))
    return UNKNOWN


def _everything(boxes: list[Box]) -> Value:
    return UNKNOWN.union(*(box.all() for box in boxes))


def _add(boxes: list[Box], value: Value) -> None:
    for box in boxes:
        box.rest |= value


def made(walk: Walk, node: ast.AST, inside: Value) -> Value:
    """A new container with these elements."""
    box = walk.analysis.box(node)
    box.rest |= inside
    return frozenset({box})
