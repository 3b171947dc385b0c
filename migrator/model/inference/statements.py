"""Control flow: what branches, loops and the like do to names."""

from __future__ import annotations

import ast

from migrator.model.inference.annotations import annotated
from migrator.model.inference.arguments import Arguments
from migrator.model.inference.assignments import assign
from migrator.model.inference.dispatch import apply
from migrator.model.inference.importing import import_from, import_modules
from migrator.model.inference.units import FunctionUnit
from migrator.model.inference.values import (
    NONE,
    UNKNOWN,
    Box,
    Inst,
    Named,
    Value,
    elements,
    things,
    widened,
)
from migrator.model.inference.walk import EXECUTORS, Walk


def _expression(walk: Walk, node: ast.Expr) -> bool:
    value = walk.eval(node.value)
    return any(type(atom) is Named and atom.dotted == "builtins.exit()" for atom in value)


def _if(walk: Walk, node: ast.If) -> bool:
    walk.test(node.test)
    before = walk.state()
    _narrow(walk, node.test)
    ended = walk.run(node.body)
    then = walk.state()
    walk.restore(before)
    other_ended = walk.run(node.orelse)
    if ended and not other_ended:
        return False
    if other_ended and not ended:
        walk.restore(then)
        return False
    walk.restore(walk.merge(then, walk.state()))
    return ended and other_ended


def _narrow(walk: Walk, test: ast.expr) -> None:
    """``if isinstance(x, DStream)``: in there it is one."""
    match test:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name) as node, kind]):
            value = walk.env.get(name, UNKNOWN)
            declared = annotated(walk, kind, node, name)
            if declared and not things(value):
                walk.env[name] = declared


def _loop(walk: Walk, node: ast.For | ast.AsyncFor | ast.While) -> bool:
    if not isinstance(node, ast.While):
        source = walk.eval(node.iter)
    before = walk.state()
    for _ in range(2):
        if isinstance(node, ast.While):
            walk.test(node.test)
        else:
            assign(walk, node.target, elements(source))
        walk.run(node.body)
        after = walk.merge(before, walk.state())
        if after == before or (_nothing_new(before[0], after[0]) and after[1] == before[1]):
            break
        walk.restore(after)
        before = after
    walk.restore(after)
    walk.run(node.orelse)
    return False


def _nothing_new(before: dict[str, Value], after: dict[str, Value]) -> bool:
    return all(value == before.get(name, UNKNOWN) for name, value in after.items())


def _try(walk: Walk, node: ast.Try) -> bool:
    before = walk.state()
    ended = walk.run(node.body)
    after = walk.state()
    ended |= walk.run(node.orelse)
    ways = [] if ended else [walk.state()]
    for handler in node.handlers:
        walk.restore(walk.merge(before, after))
        walk.eval(handler.type)
        if handler.name:
            walk.bind(handler.name, UNKNOWN)
        if not walk.run(handler.body):
            ways.append(walk.state())
    if ways:
        merged = ways[0]
        for way in ways[1:]:
            merged = walk.merge(merged, way)
        walk.restore(merged)
    return walk.run(node.finalbody) or not ways


def _with(walk: Walk, node: ast.With | ast.AsyncWith) -> bool:
    for with_item in node.items:
        value = walk.eval(with_item.context_expr)
        if with_item.optional_vars is not None:
            entered = value
            for atom in value:
                if type(atom) is Inst and "__enter__" in atom.info.attributes:
                    entered = apply(
                        walk,
                        frozenset(
                            walk.analysis.bound(f.unit, atom)
                            for f in atom.info.attributes["__enter__"]
                            if hasattr(f, "unit")
                        ),
                        with_item.context_expr,
                        Arguments(),
                    )
                elif type(atom) is Box:
                    entered = elements(value)
            assign(walk, with_item.optional_vars, entered)
    return walk.run(node.body)


def _return(walk: Walk, node: ast.Return) -> bool:
    value = walk.eval(node.value) if node.value is not None else NONE
    if isinstance(walk.unit, FunctionUnit):
        returned(walk, walk.unit, value)
    return True


def returned(walk: Walk, unit: FunctionUnit, value: Value) -> None:
    new = widened(unit.result | value)
    if new != unit.result:
        unit.result = new
        walk.analysis.again(unit.callers)


def _raise(walk: Walk, node: ast.Raise) -> bool:
    walk.look_into(node)
    return True


def _leave(walk: Walk, node: ast.Continue | ast.Break) -> bool:
    return False  # what was bound before still counts after the loop


def _global(walk: Walk, node: ast.Global) -> bool:
    walk.elsewhere.update(dict.fromkeys(node.names, walk.module))
    return False


def _nonlocal(walk: Walk, node: ast.Nonlocal) -> bool:
    for name in node.names:
        scope = walk.unit.parent
        while scope is not None and name not in scope.joined and scope.parent is not None:
            scope = scope.parent
        if scope is not None:
            walk.elsewhere[name] = scope
    return False


def _match(walk: Walk, node: ast.Match) -> bool:
    walk.eval(node.subject)
    before = walk.state()
    ways = [before]
    for case in node.cases:
        walk.restore(before)
        for part in ast.walk(case.pattern):
            bound = getattr(part, "name", None) or getattr(part, "rest", None)
            if isinstance(part, ast.MatchAs | ast.MatchStar | ast.MatchMapping) and bound:
                walk.bind(bound, UNKNOWN)
            elif isinstance(part, ast.expr):
                walk.eval(part)
        if case.guard is not None:
            walk.test(case.guard)
        if not walk.run(case.body):
            ways.append(walk.state())
    merged = ways[0]
    for way in ways[1:]:
        merged = walk.merge(merged, way)
    walk.restore(merged)
    return False


def _assert(walk: Walk, node: ast.Assert) -> bool:
    walk.test(node.test)
    walk.eval(node.msg)
    return False


EXECUTORS.update(
    {
        ast.Expr: _expression,
        ast.If: _if,
        ast.For: _loop,
        ast.AsyncFor: _loop,
        ast.While: _loop,
        ast.Try: _try,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Return: _return,
        ast.Raise: _raise,
        ast.Continue: _leave,
        ast.Break: _leave,
        ast.Global: _global,
        ast.Nonlocal: _nonlocal,
        ast.Match: _match,
        ast.Assert: _assert,
        ast.Import: import_modules,
        ast.ImportFrom: import_from,
    }
)
if hasattr(ast, "TryStar"):
    EXECUTORS[ast.TryStar] = _try
