"""Functions that are handed to operations: what they are called with, and when."""

from __future__ import annotations

import ast

from migrator.model.api import Method
from migrator.model.inference.api_call import ApiCall
from migrator.model.inference.arguments import Arguments
from migrator.model.inference.dispatch import hand_over
from migrator.model.inference.values import UNKNOWN, Atom, Func, Inst, Partial, Value
from migrator.model.inference.walk import Walk
from migrator.model.jobmodel import Function, Kind

_CALLABLE = (Func, Partial, Inst)


def follow(
    call: ApiCall, method: Method, bound: dict[str, ast.expr] | None
) -> tuple[dict[str, Function], Value]:
    """The functions among the arguments, by parameter, and what they return. They are walked with
    what the operation calls them with."""
    found: dict[str, Function] = {}
    result: Value = UNKNOWN
    node, arguments = call.node, call.arguments
    if not any(type(atom) in _CALLABLE for value in arguments.all() for atom in value):
        return found, result
    names = {id(expr): name for name, expr in (bound or {}).items()}
    given = zip(
        [*node.args[arguments.skipped :], *(keyword.value for keyword in node.keywords)],
        [
            *arguments.positional,
            *(arguments.keywords.get(k.arg or "", UNKNOWN) for k in node.keywords),
        ],
        strict=False,
    )
    for expr, value in given:
        for atom in value:
            function = _function(call.walk, atom)
            if function is not None:
                found.setdefault(names.get(id(expr), "?"), function)
                result |= _called(call, method, atom, function)
    found.pop("?", None)
    return found, result


def _function(walk: Walk, atom: Atom) -> Function | None:
    if type(atom) is Func:
        return Function(atom.unit.node, atom.unit.module.path, atom.bound is not None)
    if type(atom) is Partial:
        for inner in atom.function:
            function = _function(walk, inner) if type(inner) is not Partial else None
            if function is not None:
                return Function(function.node, function.module, function.bound_method, True)
    if type(atom) is Inst:
        for inner in atom.info.attributes.get("__call__", ()):
            function = _function(walk, inner) if type(inner) is Func else None
            if function is not None:
                return Function(function.node, function.module, True, True)
    return None


def _called(call: ApiCall, method: Method, atom: Atom, function: Function) -> Value:
    walk, value = call.walk, frozenset({atom})
    if method.name in ("getOrCreate", "getActiveOrCreate"):
        return hand_over(walk, value, call.node)
    given = Arguments(_given(call, method, function, _taken(atom)))
    name = "mapWithState" if call.on is Kind.STATE_SPEC else method.name
    hand_over(walk, value, call.node, given=given, batch=name)
    return UNKNOWN


def _taken(atom: Atom) -> int:
    return len(atom.positional) if type(atom) is Partial else 0


def _given(call: ApiCall, method: Method, function: Function, taken: int) -> list[Value]:
    """What an operation on RDDs calls its function with; nothing is known of elements."""
    analysis = call.walk.analysis
    time: Value = frozenset({analysis.thing(Kind.TIME)})
    rdd: Value = frozenset({analysis.thing(Kind.RDD)})
    if call.on is Kind.CONTEXT and method.name == "transform":
        box = analysis.box(call.node, "rdds")
        box.rest |= rdd
        return [frozenset({box})]
    rdds = {"foreachRDD": 1, "transform": 1, "transformWith": 2}.get(method.name, 0)
    if not rdds:
        return []
    # legacy: the function gets the time unless its code has exactly as many arguments as there are
    # RDDs; `self` counts. Where that cannot work, go by what it has room for.
    arguments = function.node.args
    count = len(arguments.posonlyargs) + len(arguments.args)
    room = count - taken - function.bound_method
    without_time = count == rdds or (room == rdds and not arguments.vararg)
    return [rdd] * rdds if without_time else [time, *[rdd] * rdds]
