"""What expressions are, calls apart."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrator.model.inference.functions import give
from migrator.model.inference.members import member, read_thing
from migrator.model.inference.units import FunctionUnit
from migrator.model.inference.values import (
    NONE,
    UNKNOWN,
    Box,
    Value,
    elements,
    item,
    things,
)
from migrator.model.inference.walk import EVALUATORS, Walk


def _name(walk: Walk, node: ast.Name) -> Value:
    value = walk.lookup(node, node)
    if value:
        walk.qualify(node, value)
    return value


def chain(walk: Walk, node: ast.expr, top: ast.expr) -> Value:
    """A dotted name, or an attribute of anything; ``top`` is the largest dotted name around it."""
    attributes: list[ast.Attribute] = []
    root = node
    while isinstance(root, ast.Attribute):
        attributes.append(root)
        root = root.value
    if isinstance(root, ast.Name):
        value = walk.lookup(root, top)
        if value:
            walk.qualify(root, value)
        key = root.id if walk.dotted else ""
    else:
        value = walk.eval(root)
        key = ""
    for attribute in reversed(attributes):
        if key:
            key = f"{key}.{attribute.attr}"
            if key in walk.env:
                value = walk.env[key]
                continue
        value = read(walk, value, attribute)
    return value


def read(walk: Walk, value: Value, node: ast.Attribute) -> Value:
    """One attribute of a value."""
    if not value:
        return UNKNOWN
    result = member(walk, value, node.attr)
    if things(value):
        result = read_thing(walk, value, node, result)
    if result:
        walk.qualify(node, result)
    return result


def _attribute(walk: Walk, node: ast.Attribute) -> Value:
    return chain(walk, node, node)


def _constant(walk: Walk, node: ast.Constant) -> Value:
    return NONE if node.value is None else UNKNOWN


def _lambda(walk: Walk, node: ast.Lambda) -> Value:
    unit = walk.analysis.function(node, walk.unit, None)
    defaults(walk, unit)
    return frozenset({walk.analysis.bound(unit, None)})


def defaults(walk: Walk, unit: FunctionUnit) -> None:
    """Default values count as given by a caller."""
    arguments = unit.node.args
    names = unit.positional[len(unit.positional) - len(arguments.defaults) :]
    pairs = [
        *zip(names, arguments.defaults, strict=True),
        *((a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)),
    ]
    for name, default in pairs:
        value = walk.eval(default)
        if value and value != NONE:
            give(walk, unit, name, value)


def _sequence(walk: Walk, node: ast.List | ast.Tuple | ast.Set) -> Value:
    box = walk.analysis.box(node)
    fixed = True
    for index, element in enumerate(node.elts):
        if isinstance(element, ast.Starred):
            fixed = False
            box.rest |= elements(walk.eval(element.value))
            continue
        value = walk.eval(element)
        if fixed:
            box.items[index] = box.items.get(index, UNKNOWN) | value
        else:
            box.rest |= value
    return frozenset({box})


def _dict(walk: Walk, node: ast.Dict) -> Value:
    box = walk.analysis.box(node)
    for key, expression in zip(node.keys, node.values, strict=True):
        value = walk.eval(expression)
        if key is None:
            box.rest |= elements(value)
        elif isinstance(key, ast.Constant):
            box.items[key.value] = box.items.get(key.value, UNKNOWN) | value
        else:
            walk.eval(key)
            box.rest |= value
    return frozenset({box})


def _subscript(walk: Walk, node: ast.Subscript) -> Value:
    value = walk.eval(node.value)
    walk.eval(node.slice)
    boxes = [atom for atom in value if type(atom) is Box]
    if not boxes:
        return UNKNOWN
    if isinstance(node.slice, ast.Slice):
        return value
    key = constant(node.slice)
    found = [box.get(key) if key in box.items else box.all() for box in boxes]
    return UNKNOWN.union(*found)


def constant(node: ast.expr) -> object:
    """The value of a constant key; None if it is not constant (or None)."""
    return node.value if isinstance(node, ast.Constant) else None


def _comprehension(walk: Walk, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Value:
    before = _generators(walk, node.generators)
    box = walk.analysis.box(node)
    box.rest |= walk.eval(node.elt)
    walk.env = before
    return frozenset({box})


def _dict_comprehension(walk: Walk, node: ast.DictComp) -> Value:
    before = _generators(walk, node.generators)
    walk.eval(node.key)
    box = walk.analysis.box(node)
    box.rest |= walk.eval(node.value)
    walk.env = before
    return frozenset({box})


def _generators(walk: Walk, generators: Sequence[ast.comprehension]) -> dict[str, Value]:
    """Bind the loop variables in a new environment; returns the outer one."""
    before = walk.env
    walk.env = dict(before)
    for generator in generators:
        _bind_locally(walk, generator.target, elements(walk.eval(generator.iter)))
        for condition in generator.ifs:
            walk.test(condition)
    return before


def _bind_locally(walk: Walk, target: ast.expr, value: Value) -> None:
    if isinstance(target, ast.Name):
        walk.env[target.id] = value
        # Lambdas inside see it by its name.
        walk.analysis.bind(walk.unit, target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        for index, element in enumerate(target.elts):
            _bind_locally(walk, element, item(value, index))


def _if_expression(walk: Walk, node: ast.IfExp) -> Value:
    walk.test(node.test)
    return walk.eval(node.body) | walk.eval(node.orelse)


def _bool_op(walk: Walk, node: ast.BoolOp) -> Value:
    value = UNKNOWN
    for operand in node.values[:-1]:
        value |= walk.test(operand)
    return value | walk.eval(node.values[-1])


def _unary(walk: Walk, node: ast.UnaryOp) -> Value:
    walk.test(node.operand) if isinstance(node.op, ast.Not) else walk.eval(node.operand)
    return UNKNOWN


def _binary(walk: Walk, node: ast.BinOp) -> Value:
    left, right = walk.eval(node.left), walk.eval(node.right)
    boxes = frozenset(atom for atom in left | right if type(atom) is Box)
    if not boxes:
        return UNKNOWN
    box = walk.analysis.box(node)
    box.rest |= elements(boxes)
    return frozenset({box})


def _walrus(walk: Walk, node: ast.NamedExpr) -> Value:
    value = walk.eval(node.value)
    walk.bind(node.target.id, value)
    return value


def _through(walk: Walk, node: ast.Await | ast.Starred) -> Value:
    return walk.eval(node.value)


def _yield(walk: Walk, node: ast.Yield) -> Value:
    value = walk.eval(node.value)
    if isinstance(walk.unit, FunctionUnit):
        walk.unit.generator = True
        walk.unit.yields |= value
    return UNKNOWN


def _yield_from(walk: Walk, node: ast.YieldFrom) -> Value:
    value = elements(walk.eval(node.value))
    if isinstance(walk.unit, FunctionUnit):
        walk.unit.generator = True
        walk.unit.yields |= value
    return UNKNOWN


EVALUATORS.update(
    {
        ast.Name: _name,
        ast.Attribute: _attribute,
        ast.Constant: _constant,
        ast.Lambda: _lambda,
        ast.List: _sequence,
        ast.Tuple: _sequence,
        ast.Set: _sequence,
        ast.Dict: _dict,
        ast.Subscript: _subscript,
        ast.ListComp: _comprehension,
        ast.SetComp: _comprehension,
        ast.GeneratorExp: _comprehension,
        ast.DictComp: _dict_comprehension,
        ast.IfExp: _if_expression,
        ast.BoolOp: _bool_op,
        ast.UnaryOp: _unary,
        ast.BinOp: _binary,
        ast.NamedExpr: _walrus,
        ast.Await: _through,
        ast.Starred: _through,
        ast.Yield: _yield,
        ast.YieldFrom: _yield_from,
    }
)
