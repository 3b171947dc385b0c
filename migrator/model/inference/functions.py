"""Calls of functions of the run: their parameters get values, and they are walked."""

from __future__ import annotations

import ast

from migrator.model.inference.arguments import Arguments
from migrator.model.inference.units import Edge, FunctionUnit, Later
from migrator.model.inference.values import UNKNOWN, Func, Value, widened
from migrator.model.inference.walk import Walk

_AT_ONCE = 4
"""How often a function is walked right where it is called."""


def give(walk: Walk, unit: FunctionUnit, name: str, value: Value) -> None:
    """A caller passes this for a parameter."""
    old = unit.given.get(name, UNKNOWN)
    new = widened(old | value)
    if new != old:
        unit.given[name] = new
        walk.analysis.again([unit])


def call_function(
    walk: Walk,
    function: Func,
    node: ast.AST,
    arguments: Arguments,
    *,
    batch: str | None = None,
    later: Later | None = None,
) -> Value:
    """A call of a function of the run: its parameters may now be these values as well."""
    unit, analysis = function.unit, walk.analysis
    _bind(walk, function, unit, arguments)
    analysis.edges[node, unit] = Edge(walk.unit, unit, walk.started, batch, later)
    unit.callers.add(walk.unit)
    if analysis.is_stale(unit):
        if unit.walks < _AT_ONCE:
            analysis.walk(unit, walk.depth + 1)
        else:  # called from many places: better once, with all that they pass
            analysis.again([unit])
    walk.unit.writes |= unit.writes
    if later is None and batch is None:
        if not unit.generator:  # a generator runs as it is iterated over
            walk.started |= unit.starts
        _take_effect(walk, unit)
    result = unit.result
    if unit.generator:
        box = analysis.box(unit.node, "yields")
        box.rest |= unit.yields
        return frozenset({box})
    return result


def _take_effect(walk: Walk, unit: FunctionUnit) -> None:
    """Names that the function may have bound are no longer what they were here."""
    for written in unit.writes:
        if written.startswith("."):
            if walk.dotted:
                for key in [key for key in walk.env if key.endswith(written)]:
                    del walk.env[key]
        elif written in walk.env and written in walk.unit.joined:
            walk.env[written] = walk.unit.joined[written]


def _bind(walk: Walk, function: Func, unit: FunctionUnit, arguments: Arguments) -> None:
    names = unit.positional
    if function.bound is not None and names:
        give(walk, unit, names[0], frozenset({function.bound}))
        names = names[1:]
    _bind_positional(walk, unit, names, arguments)
    _bind_keywords(walk, unit, names, arguments)
    if arguments.rest:
        for name in names[len(arguments.positional) :]:
            give(walk, unit, name, walk.analysis.weaker(arguments.rest))


def _bind_positional(
    walk: Walk, unit: FunctionUnit, names: list[str], arguments: Arguments
) -> None:
    for name, value in zip(names, arguments.positional, strict=False):
        if value:
            give(walk, unit, name, walk.analysis.weaker(value))
    spread = unit.node.args.vararg
    extra = arguments.positional[len(names) :]
    if spread is not None and (extra or arguments.rest):
        box = walk.analysis.box(unit.node, "*")
        for at, value in enumerate(extra):
            box.items[at] = box.items.get(at, UNKNOWN) | value
        box.rest |= arguments.rest
        give(walk, unit, spread.arg, frozenset({box}))


def _bind_keywords(walk: Walk, unit: FunctionUnit, names: list[str], arguments: Arguments) -> None:
    spread = unit.node.args.kwarg
    known = {*names, *(a.arg for a in unit.node.args.kwonlyargs)}
    for name, value in arguments.keywords.items():
        if name in known:
            if value:
                give(walk, unit, name, walk.analysis.weaker(value))
        elif spread is not None:
            box = walk.analysis.box(unit.node, "**")
            box.items[name] = box.items.get(name, UNKNOWN) | value
            give(walk, unit, spread.arg, frozenset({box}))
