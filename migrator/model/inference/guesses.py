"""Values of unknown origin that are used as only a stream or a context can be."""

from __future__ import annotations

import ast

from migrator.model import api
from migrator.model.inference.values import UNKNOWN, Opaque, Thing, Value
from migrator.model.inference.walk import Walk, dotted_name
from migrator.model.jobmodel import Escaping, Kind

_SHARED = frozenset(api.DSTREAM) | api.RDD_TO_RDD


def guess(
    walk: Walk, node: ast.Call, function: ast.Attribute, receiver: Value, found: list[Thing]
) -> Value:
    """A method on something of which nothing says what it is."""
    if found:
        return UNKNOWN
    opaque = [atom for atom in receiver if type(atom) is Opaque]
    if receiver and not opaque:
        return UNKNOWN
    kind = _only(function.attr, node)
    if kind is None:
        if function.attr in _SHARED:
            for atom in opaque:
                atom.users.add(walk.unit)
            return frozenset(opaque)
        return UNKNOWN
    for atom in opaque:
        atom.users.add(walk.unit)
        walk.guess(atom, kind, node, function.attr)
    if not opaque:
        name = dotted_name(function.value)
        walk.escape(node, Escaping.UNKNOWN_ORIGIN, kind, name, function.attr)
    return UNKNOWN


def _only(name: str, node: ast.Call) -> Kind | None:
    """The kind of thing that alone has a method of this name."""
    if name in api.ONLY_STREAMS or (name == "pprint" and _prints_a_stream(node)):
        return Kind.STREAM
    return Kind.CONTEXT if name in api.ONLY_CONTEXTS else None


def _prints_a_stream(node: ast.Call) -> bool:
    """``x.pprint()``: a PrettyPrinter's wants an object."""
    return not node.args and all(keyword.arg == "num" for keyword in node.keywords)
