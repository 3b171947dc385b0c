"""Definitions: functions with their decorators, and classes."""

from __future__ import annotations

import ast

from migrator.model.inference.arguments import Arguments
from migrator.model.inference.dispatch import apply
from migrator.model.inference.expressions import defaults
from migrator.model.inference.units import Class, FunctionUnit
from migrator.model.inference.values import Cls, Named, Value
from migrator.model.inference.walk import EXECUTORS, Walk


def _function(walk: Walk, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    unit = walk.analysis.function(node, walk.unit, walk.inside)
    defaults(walk, unit)
    value: Value = frozenset({walk.analysis.bound(unit, None)})
    for decorator in reversed(node.decorator_list):
        value = _decorated(walk, unit, decorator, value)
    walk.bind(node.name, value)
    return False


def _decorated(walk: Walk, unit: FunctionUnit, decorator: ast.expr, value: Value) -> Value:
    found = walk.eval(decorator)
    for atom in found:
        if type(atom) is Named:
            last = atom.dotted.rpartition(".")[2]
            if last in ("staticmethod", "classmethod"):
                unit.kind = last
                return value
            if last in ("property", "cached_property", "abstractproperty", "lazy_property"):
                unit.kind = "property"
                return value
            if last in ("contextmanager", "asynccontextmanager"):
                unit.kind = "contextmanager"
                return value
    if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter"):
        return value
    if any(hasattr(atom, "unit") or type(atom) is Cls for atom in found):
        wrapped = apply(walk, found, decorator, Arguments([value]))
        return wrapped or value
    return value


def _class(walk: Walk, node: ast.ClassDef) -> bool:
    info = walk.module.classes.get(node)
    if info is None:
        info = walk.module.classes[node] = Class(node.name, node, walk.module)
    for base in node.bases:
        for atom in walk.eval(base):
            if type(atom) is Cls and atom.info not in info.lineage():
                info.bases.append(atom.info)
                atom.info.children.append(info)
            elif type(atom) is Named and atom.dotted not in info.outside:
                info.outside.append(atom.dotted)
    for keyword in node.keywords:
        walk.eval(keyword.value)
    for decorator in node.decorator_list:
        walk.eval(decorator)
    outer, env = walk.inside, walk.env
    walk.inside, walk.env = info, dict(env)
    walk.run(node.body)
    walk.inside, walk.env = outer, env
    walk.bind(node.name, frozenset({walk.analysis.class_(info)}))
    return False


EXECUTORS.update(
    {
        ast.FunctionDef: _function,
        ast.AsyncFunctionDef: _function,
        ast.ClassDef: _class,
    }
)
