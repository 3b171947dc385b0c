"""Assignments: names, attributes, items, tuples."""

from __future__ import annotations

import ast

from migrator.model.inference.annotations import annotated
from migrator.model.inference.escapes import NAMESPACE, lose
from migrator.model.inference.expressions import constant
from migrator.model.inference.values import (
    UNKNOWN,
    Box,
    Cls,
    Dynamic,
    Inst,
    Mod,
    Named,
    Value,
    elements,
    item,
    numbers,
    things,
)
from migrator.model.inference.values import confidence as best
from migrator.model.inference.walk import EXECUTORS, Walk, dotted_name
from migrator.model.jobmodel import Attribute, Escaping, Kind


def assign(walk: Walk, target: ast.expr, value: Value) -> None:
    """``target = value`` for any kind of target."""
    if isinstance(target, ast.Name):
        _name_streams(walk, value, target.id)
        walk.bind(target.id, value)
    elif isinstance(target, ast.Attribute):
        assign_attribute(walk, target, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(walk, target, value)
    elif isinstance(target, ast.Starred):
        assign(walk, target.value, value)
    elif isinstance(target, ast.Subscript):
        _assign_item(walk, target, value)
    else:
        walk.eval(target)


def _unpack(walk: Walk, target: ast.Tuple | ast.List, value: Value) -> None:
    starred = False
    for index, element in enumerate(target.elts):
        if isinstance(element, ast.Starred):
            starred = True
            box = walk.analysis.box(element)
            box.rest |= elements(value)
            assign(walk, element.value, frozenset({box}))
            continue
        part = elements(value) if starred else item(value, index)
        if not part and value and isinstance(element, ast.Name) and not _boxed(value):
            part = frozenset({walk.analysis.opaque(walk.unit, element.id, element)})
        assign(walk, element, part)


def _boxed(value: Value) -> bool:
    return any(type(atom) is Box for atom in value)


def assign_attribute(
    walk: Walk, target: ast.Attribute, value: Value, place: ast.AST | None = None
) -> None:
    """``x.name = value``; ``place`` is where it is written, if not at the target."""
    receiver = walk.eval(target.value)
    name = target.attr
    followed = False
    walk.module.escapes.pop(place or target, None)
    for atom in receiver:
        if isinstance(atom, Inst | Cls):
            walk.analysis.bind_attribute(atom.info, name, value)
            followed = True
        elif type(atom) is Mod:
            walk.analysis.bind(atom.module, name, walk.analysis.weaker(value))
            followed = True
        elif type(atom) is Named and atom.dotted.endswith("DStream"):
            walk.analysis.patched[name] = walk.analysis.patched.get(name, UNKNOWN) | value
            walk.module.attributes[target] = Attribute(
                target, Kind.STREAM, name, atom.confidence, stored=True
            )
            walk.module.unit_of[target] = walk.unit
            followed = True
    if value and not followed:
        lose(walk, place or target, value, Escaping.CONTAINER, dotted_name(target))
    found = things(receiver)
    if found:
        walk.module.attributes[target] = Attribute(
            target, found[0].kind, name, best(found), stored=True
        )
        walk.module.unit_of[target] = walk.unit
    walk.unit.writes.add("." + name)
    key = dotted_name(target)
    if "…" not in key and "(" not in key:
        _name_streams(walk, value, key)
        walk.forget(key + ".")
        walk.env[key] = value
        walk.dotted = True


def _assign_item(walk: Walk, target: ast.Subscript, value: Value) -> None:
    receiver = walk.eval(target.value)
    walk.eval(target.slice)
    key = constant(target.slice)
    walk.module.escapes.pop(target, None)
    boxes = [atom for atom in receiver if type(atom) is Box]
    for box in boxes:
        if key is None:
            box.rest |= value
        else:
            box.items[key] = box.items.get(key, UNKNOWN) | value
    if not value:
        return
    if any(type(atom) is Dynamic for box in boxes for atom in box.rest):
        if isinstance(key, str) and dotted_name(target.value) == "globals()":
            walk.analysis.bind(walk.module, key, value)
            walk.unit.writes.add(key)
            if walk.unit is walk.module:
                walk.env[key] = value
        else:
            lose(walk, target, value, Escaping.DYNAMIC_NAME, NAMESPACE)
    elif not boxes:
        lose(walk, target, value, Escaping.CONTAINER, dotted_name(target.value))


def _name_streams(walk: Walk, value: Value, name: str) -> None:
    """A stream is called by the first variable it is bound to."""
    if not value:
        return
    found = [thing for thing in things(value) if thing.kind is Kind.STREAM]
    for number in numbers(found):
        record = walk.analysis.streams[number]
        if record.name is None:
            record.name = name


def _assign(walk: Walk, node: ast.Assign) -> bool:
    value = _result(walk, node.value)
    for target in node.targets:
        assign(walk, target, value)
    return False


def _result(walk: Walk, node: ast.expr) -> Value:
    """A value that gets a name; an unknown one may turn out later to be a stream."""
    value = walk.eval(node)
    if not value and isinstance(node, ast.Call):
        name = dotted_name(node.func) + "()"
        key = f"{name} {node.lineno}:{node.col_offset}"
        opaque = walk.analysis.opaque(walk.unit, key, node)
        opaque.name = name
        return frozenset({opaque})
    return value


def _annotated_assign(walk: Walk, node: ast.AnnAssign) -> bool:
    value = _result(walk, node.value) if node.value is not None else UNKNOWN
    declared = annotated(walk, node.annotation, node.target, dotted_name(node.target))
    if declared and not things(value):
        value = declared
    if value or node.value is not None:
        assign(walk, node.target, value)
    return False


def _augmented_assign(walk: Walk, node: ast.AugAssign) -> bool:
    value = walk.eval(node.value)
    old = walk.eval(node.target)
    for atom in old:
        if type(atom) is Box:
            atom.rest |= elements(value)
    if not old:
        assign(walk, node.target, UNKNOWN)
    return False


def _delete(walk: Walk, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            walk.lookup(target, target)
            walk.env.pop(target.id, None)
        else:
            walk.eval(target)
    return False


EXECUTORS.update(
    {
        ast.Assign: _assign,
        ast.AnnAssign: _annotated_assign,
        ast.AugAssign: _augmented_assign,
        ast.Delete: _delete,
    }
)
