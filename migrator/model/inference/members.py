"""Attributes: of modules, classes and instances of the run, of names outside it, of API things."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrator.model import api
from migrator.model.inference.arguments import Arguments
from migrator.model.inference.functions import call_function
from migrator.model.inference.units import Class, FunctionUnit
from migrator.model.inference.values import (
    UNKNOWN,
    Atom,
    BoundMethod,
    Cls,
    Dynamic,
    Func,
    Inst,
    Mod,
    Named,
    Opaque,
    Thing,
    Value,
    confidence,
    things,
)
from migrator.model.inference.walk import Walk
from migrator.model.jobmodel import Attribute, Kind

METHODS = {
    Kind.STREAM: api.DSTREAM,
    Kind.CONTEXT: api.STREAMING_CONTEXT,
    Kind.STATE_SPEC: api.STATE_SPEC,
}

_DEEPEST = 8
"""Parts of a dotted name that are followed: `at = at.next` in a loop makes ever longer ones."""


def member(walk: Walk, value: Value, name: str) -> Value:
    """What an attribute of everything but API things may be."""
    found: Value = UNKNOWN
    for atom in value:
        if type(atom) is Named:
            dotted = f"{atom.dotted}.{name}"
            if dotted in walk.analysis.submodules:
                found |= walk.analysis.submodules[dotted]
            elif atom.dotted.count(".") < _DEEPEST:
                found |= {walk.analysis.named(dotted, atom.confidence)}
        elif type(atom) is Mod:
            found |= _of_module(walk, atom, name)
        elif type(atom) is Inst:
            found |= of_instance(walk, atom.info, name)
        elif type(atom) is Cls:
            found |= _of_class(walk, atom, name)
        elif type(atom) is Dynamic:
            found |= {atom}
        elif type(atom) is Opaque and atom.thing is None:
            atom.users.add(walk.unit)
    return found


def _of_module(walk: Walk, atom: Mod, name: str) -> Value:
    module = atom.module
    module.readers.setdefault(name, set()).add(walk.unit)
    if name in module.imports:
        for record in module.imports[name]:
            record.exported = True
    if name in module.joined:
        return module.joined[name]
    path = walk.analysis.names.find(f"{module.name}.{name}", module.path)
    if path is not None and path in walk.analysis.modules:
        return frozenset({walk.analysis.module_atom(walk.analysis.modules[path])})
    below = f"{module.name}.{name}."
    if any(dotted.startswith(below) for dotted in walk.analysis.submodules):
        return frozenset({walk.analysis.named(below[:-1])})  # a directory without __init__.py
    return UNKNOWN


def of_instance(walk: Walk, info: Class, name: str) -> Value:
    """An attribute of an instance: its own, inherited, or what a subclass makes of it."""
    found: Value = UNKNOWN
    for ancestor in info.lineage():
        ancestor.readers.setdefault(name, set()).add(walk.unit)
        if name in ancestor.attributes:
            found = _bind(walk, ancestor.attributes[name], info.instance)
            break
    for heir in info.descendants()[1:]:
        if name in heir.attributes:
            heir.readers.setdefault(name, set()).add(walk.unit)
            found |= _bind(walk, heir.attributes[name], heir.instance)
    return found


def _bind(walk: Walk, value: Value, instance: Inst) -> Value:
    """Methods get their instance, properties are called, data is a little less sure."""
    found: list[Atom] = []
    for atom in value:
        if (
            type(atom) is not Func
            or atom.unit.owner is None
            or atom.bound is not None
            or atom.unit.kind == "staticmethod"
        ):
            found.append(atom)
        elif atom.unit.kind == "property":
            found += _property(walk, atom.unit, instance)
        elif atom.unit.kind == "classmethod":
            found.append(walk.analysis.bound(atom.unit, walk.analysis.class_(instance.info)))
        else:
            found.append(walk.analysis.bound(atom.unit, instance))
    return walk.analysis.weaker(frozenset(found))


def _property(walk: Walk, unit: FunctionUnit, instance: Inst) -> Value:
    return call_function(walk, walk.analysis.bound(unit, instance), unit.node, Arguments())


def _of_class(walk: Walk, atom: Cls, name: str) -> Value:
    for ancestor in atom.info.lineage():
        ancestor.readers.setdefault(name, set()).add(walk.unit)
        if name in ancestor.attributes:
            return frozenset(
                walk.analysis.bound(part.unit, atom)
                if type(part) is Func and part.unit.kind == "classmethod"
                else part
                for part in ancestor.attributes[name]
            )
    return frozenset(
        walk.analysis.named(f"{base}.{name}")
        for ancestor in atom.info.lineage()
        for base in ancestor.outside
        if api.submodule(base) is not None
    )


def read_thing(walk: Walk, value: Value, node: ast.Attribute, known: Value) -> Value:
    """An attribute of API things, not called; ``known`` is what it is on everything else."""
    found = things(value)
    if known and any(type(atom) is Inst for atom in value):
        return known  # of a class of the run that inherits from the API
    result = known
    for kind in {thing.kind for thing in found}:
        these = [thing for thing in found if thing.kind is kind]
        walk.module.attributes[node] = Attribute(node, kind, node.attr, confidence(these))
        walk.module.unit_of[node] = walk.unit
        result |= _of_thing(walk, these, node)
    return result


def _of_thing(walk: Walk, found: list[Thing], node: ast.Attribute) -> Value:
    kind, name = found[0].kind, node.attr
    sure = confidence(found)
    if name in ("sparkContext", "_sc", "ctx", "context") and (kind, name) != (
        Kind.STREAM,
        "context",
    ):
        return frozenset({walk.analysis.thing(Kind.SPARK_CONTEXT, None, sure)})
    if kind is Kind.STREAM and name == "_ssc":
        return contexts_of(walk, found)
    if name in METHODS.get(kind, {}) or name in walk.analysis.patched:
        return frozenset({BoundMethod(frozenset(found), name, node.value)})
    return UNKNOWN


def contexts_of(walk: Walk, found: Sequence[Thing]) -> Value:
    """The contexts that streams belong to."""
    wanted: set[int] = set()
    seen: set[int] = set()
    todo = [thing.number for thing in found if thing.number is not None]
    while todo:
        number = todo.pop()
        if number not in seen:
            seen.add(number)
            record = walk.analysis.streams[number]
            wanted |= record.contexts
            todo += record.parents
    sure = confidence(found)
    numbers: list[int | None] = [*sorted(wanted)] or [None]
    return frozenset(walk.analysis.thing(Kind.CONTEXT, number, sure) for number in numbers)
