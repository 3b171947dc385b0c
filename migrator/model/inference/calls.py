"""Calls: of functions, methods and classes of the run, and of what is not known."""

from __future__ import annotations

import ast

from migrator.core import Confidence
from migrator.model.inference import constructors, containers, streaming
from migrator.model.inference.arguments import Arguments
from migrator.model.inference.dispatch import CALLERS, apply, hand_over, unknown
from migrator.model.inference.expressions import chain
from migrator.model.inference.functions import call_function
from migrator.model.inference.guesses import guess
from migrator.model.inference.members import member
from migrator.model.inference.units import Class, Later
from migrator.model.inference.values import (
    UNKNOWN,
    Box,
    Cls,
    Func,
    Inst,
    Partial,
    Value,
    functions,
    of_kind,
    things,
)
from migrator.model.inference.walk import EVALUATORS, Walk, dotted_name
from migrator.model.jobmodel import Escaping, Kind


def _call(walk: Walk, node: ast.Call) -> Value:
    function = node.func
    known = walk.module.escapes.get(node)
    if known is not None and known.how is not Escaping.UNKNOWN_ORIGIN:
        del walk.module.escapes[node]  # from an earlier walk that knew less
    if not isinstance(function, ast.Attribute):
        callee = walk.eval(function)
        return apply(walk, callee, node, _evaluated(walk, node))
    receiver = chain(walk, function.value, function)
    if walk.dotted and (key := dotted_name(function)) in walk.env:
        return apply(walk, walk.env[key], node, _evaluated(walk, node))
    return _call_method(walk, node, function, receiver)


def _call_method(walk: Walk, node: ast.Call, function: ast.Attribute, receiver: Value) -> Value:
    arguments = _evaluated(walk, node)
    found = member(walk, receiver, function.attr) if receiver else UNKNOWN
    if found:
        walk.qualify(function, found)
    owner = constructors.vendored(walk, function, receiver, arguments)
    if owner is not None:
        followed = apply(walk, found, node, arguments)
        if of_kind(followed, Kind.STREAM):
            return followed
        sure = Confidence.LIKELY
        return constructors.utils_call(walk, node, owner, function.attr, arguments, sure)
    inherits = found and any(type(atom) is Inst for atom in receiver)
    known = [] if inherits else things(receiver)
    result = guess(walk, node, function, receiver, known)
    known = [] if inherits else things(receiver)
    if known:
        result |= streaming.call_method(walk, node, function, known, arguments)
    boxes = [atom for atom in receiver if type(atom) is Box]
    if boxes:
        result |= containers.call_method(walk, node, function.attr, boxes, arguments)
    if found:
        result |= apply(walk, found, node, arguments)
    elif not known and not boxes:
        model = streaming.model_call(walk, node, function, arguments)
        if model is not None:
            return result | model
        unknown(walk, node, arguments)
    return result


def _evaluated(walk: Walk, node: ast.Call) -> Arguments:
    arguments = Arguments()
    for part in node.args:
        if isinstance(part, ast.Starred):
            _spread(arguments, walk.eval(part.value))
        elif arguments.rest:
            arguments.rest |= walk.eval(part)
        else:
            arguments.positional.append(walk.eval(part))
    for keyword in node.keywords:
        value = walk.eval(keyword.value)
        if keyword.arg is not None:
            arguments.keywords[keyword.arg] = value
            continue
        for atom in value:
            if type(atom) is Box:
                named = {str(k): v for k, v in atom.items.items() if isinstance(k, str)}
                arguments.keywords.update(named)
                arguments.others |= atom.rest
    return arguments


def _spread(arguments: Arguments, value: Value) -> None:
    boxes = [atom for atom in value if type(atom) is Box]
    if len(boxes) == 1 and not boxes[0].rest:
        items = boxes[0].items
        arguments.positional += [items.get(i, UNKNOWN) for i in range(len(items))]
    else:
        arguments.rest |= UNKNOWN.union(*(box.all() for box in boxes))


def _call_instance(walk: Walk, atom: Inst, node: ast.AST, arguments: Arguments) -> Value:
    return apply(walk, member(walk, frozenset({atom}), "__call__"), node, arguments)


def _call_partial(walk: Walk, atom: Partial, node: ast.AST, arguments: Arguments) -> Value:
    both = Arguments(
        [*atom.positional, *arguments.positional],
        {**atom.keywords, **arguments.keywords},
        arguments.rest,
        arguments.others,
    )
    return apply(walk, atom.function, node, both)


def _instantiate(walk: Walk, atom: Cls, node: ast.AST, arguments: Arguments) -> Value:
    """A call of a class of the run."""
    info = atom.info
    for ancestor in info.lineage():
        ancestor.readers.setdefault("__init__", set()).add(walk.unit)
        if "__init__" in ancestor.attributes:
            for function in functions(ancestor.attributes["__init__"]):
                bound = walk.analysis.bound(function.unit, info.instance)
                call_function(walk, bound, node, arguments)
            break
    else:
        _fields(walk, info, arguments)
    for ancestor in info.lineage():
        for base in ancestor.outside:
            info.constructed |= constructors.inherited(walk, base, node, info)
            if base in _RUNNERS:
                run = member(walk, frozenset({info.instance}), "run")
                hand_over(walk, run, node, later=_RUNNERS[base])
    return frozenset({info.instance}) | info.constructed


_RUNNERS = {
    "threading.Thread": Later.HERE,
    "multiprocessing.Process": Later.ELSEWHERE,
    "multiprocessing.process.Process": Later.ELSEWHERE,
    "multiprocessing.context.Process": Later.ELSEWHERE,
}
"""Classes that call the method ``run`` of those who inherit from them, at some time."""


def _fields(walk: Walk, info: Class, arguments: Arguments) -> None:
    """A dataclass or named tuple: arguments become attributes."""
    declared = [
        part.target.id
        for part in info.node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    ]
    given = {**dict(zip(declared, arguments.positional, strict=False)), **arguments.keywords}
    for name, value in given.items():
        if name in declared and value:
            walk.analysis.bind_attribute(info, name, value)


EVALUATORS[ast.Call] = _call
CALLERS.update(
    {Func: call_function, Cls: _instantiate, Inst: _call_instance, Partial: _call_partial}
)
