"""Annotations count: ``stream: DStream``, ``"Optional[DStream]"``, ``tuple[int, DStream]``."""

from __future__ import annotations

import ast

from migrator.core import Confidence
from migrator.model.inference.kinds import kind_of_class
from migrator.model.inference.values import UNKNOWN, Cls, Named, Value
from migrator.model.inference.walk import Walk

_SEQUENCES = ("List", "list", "Sequence", "Iterable", "Iterator", "Set", "set", "Generator")
_MAPPINGS = ("Dict", "dict", "Mapping")


def annotated(walk: Walk, node: ast.expr | None, place: ast.AST, name: str) -> Value:
    """What an annotation says of the thing at ``place``, which is called ``name``."""
    match node:
        case None:
            return UNKNOWN
        case ast.Constant(value=str(text)):
            return _in_string(walk, node, text, place, name)
        case ast.Subscript(value=head, slice=inside):
            walk.eval(head)
            return _generic(walk, _last(head), inside, place, name)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return annotated(walk, left, place, name) | annotated(walk, right, place, name)
        case ast.Tuple(elts=parts):
            found = UNKNOWN
            for part in parts:
                found |= annotated(walk, part, place, name)
            return found
        case ast.Name() | ast.Attribute():
            return _plain(walk, node, place, name)
        case _:
            walk.eval(node)
            return UNKNOWN


def _plain(walk: Walk, node: ast.expr, place: ast.AST, name: str) -> Value:
    for atom in walk.eval(node):
        if type(atom) is Named:
            kind = kind_of_class(atom.dotted)
            if kind is not None:
                sure = (
                    Confidence.GUESS if atom.confidence is Confidence.GUESS else Confidence.LIKELY
                )
                return frozenset({walk.analysis.handed(kind, place, name, walk.module, sure)})
        elif type(atom) is Cls:
            return frozenset({atom.info.instance})
    return UNKNOWN


def _in_string(walk: Walk, node: ast.Constant, text: str, place: ast.AST, name: str) -> Value:
    try:
        inner = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return UNKNOWN
    outer, walk.string = walk.string, node
    value = annotated(walk, inner, place, name)
    walk.string = outer
    return value


def _generic(walk: Walk, head: str, inside: ast.expr, place: ast.AST, name: str) -> Value:
    parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
    if head in ("Tuple", "tuple"):
        box = walk.analysis.box(place, "annotation")
        for index, part in enumerate(parts):
            if isinstance(part, ast.Constant) and part.value is Ellipsis:
                box.rest |= box.items.get(0, UNKNOWN)
            else:
                box.items[index] = annotated(walk, part, part, name)
        return frozenset({box})
    found = [annotated(walk, part, place, name) for part in parts]
    if head in _SEQUENCES or head in _MAPPINGS:
        value = found[-1] if head in _MAPPINGS else found[0]
        if not value:
            return UNKNOWN
        box = walk.analysis.box(place, "annotation")
        box.rest |= value
        return frozenset({box})
    if head in ("Optional", "Union", "Annotated", "Final", "ClassVar"):
        return UNKNOWN.union(*found)
    if head in ("DStream", "TransformedDStream", "RDD"):
        return _plain(walk, ast.Name(head, ast.Load()), place, name)
    return UNKNOWN


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
