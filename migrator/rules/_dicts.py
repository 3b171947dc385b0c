"""What can be seen of a dictionary that is passed to a call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from migrator.rules._literals import text
from migrator.text.source import PythonSource

_READERS = frozenset(
    {"createStream", "createDirectStream", "createRDD", "dict", "len", "print", "sorted", "str"}
)
"""Functions that leave a dictionary as it is."""


@dataclass(frozen=True)
class KnownDict:
    """A dictionary, as far as it can be read."""

    literal: ast.Dict | None = None
    items: tuple[tuple[ast.expr, str, ast.expr], ...] = ()
    """Key, the key's text, and value: those of the literal and those put in later."""
    complete: bool = False
    """Nothing else is in it."""

    @property
    def keys(self) -> set[str]:
        return {name for _, name, _ in self.items}


def known_dict(source: PythonSource, node: ast.expr) -> KnownDict:
    """A literal, or a name that is bound once, to a literal."""
    if isinstance(node, ast.Dict):
        return _read(node)
    literal = _bound_to(source, node.id) if isinstance(node, ast.Name) else None
    if literal is None or not isinstance(node, ast.Name):
        return KnownDict()
    first = _read(literal)
    later = list(_put_in(source, node.id))
    known = tuple(item for item in later if item is not None)
    complete = first.complete and len(known) == len(later) and not _is_lent(source, node.id)
    return KnownDict(literal, (*first.items, *known), complete)


def _read(node: ast.Dict) -> KnownDict:
    pairs = zip(node.keys, node.values, strict=True)
    items = [(k, name, v) for k, v in pairs if k is not None and (name := text(k)) is not None]
    return KnownDict(node, tuple(items), len(items) == len(node.keys))


def _bound_to(source: PythonSource, name: str) -> ast.Dict | None:
    """The literal that a name is always bound to."""
    stores = [n for n in source.of(ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)]
    others = {a.arg for a in source.of(ast.arg)} | {
        a.asname or a.name for a in source.of(ast.alias)
    }
    if len(stores) != 1 or name in others:
        return None
    bound = [node.value for node in source.of(ast.Assign) if stores[0] in node.targets]
    bound += [n.value for n in source.of(ast.AnnAssign) if n.target is stores[0] and n.value]
    return bound[0] if bound and isinstance(bound[0], ast.Dict) else None


def _put_in(source: PythonSource, name: str) -> Iterator[tuple[ast.expr, str, ast.expr] | None]:
    """What is put into it after its literal; None for what cannot be read."""
    for assign in source.of(ast.Assign):
        for target in assign.targets:
            if _is_item_of(target, name):
                key = target.slice  # type: ignore[attr-defined]
                word = text(key)
                yield None if word is None else (key, word, assign.value)
    for call in source.of(ast.Call):
        match call.func:
            case ast.Attribute(value=ast.Name(id=owner), attr="update" | "setdefault" | "pop"):
                if owner == name:
                    given = call.args[0] if len(call.args) == 1 and not call.keywords else None
                    part = _read(given) if isinstance(given, ast.Dict) else KnownDict()
                    yield from part.items
                    if not part.complete:
                        yield None


def _is_item_of(node: ast.expr, name: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=owner)):
            return owner == name
    return False


def _is_lent(source: PythonSource, name: str) -> bool:
    """Whether it is passed to a function that may change it."""
    for call in source.of(ast.Call):
        called = getattr(call.func, "attr", None) or getattr(call.func, "id", None)
        if called not in _READERS and any(
            isinstance(value, ast.Name) and value.id == name
            for value in (*call.args, *(keyword.value for keyword in call.keywords))
        ):
            return True
    return False
