"""Calls: of functions, methods and classes of the run, and of what is not known."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrator.core import Confidence
from migrator.model.inference import constructors, containers, outside, streaming
from migrator.model.inference.arguments import Arguments, evaluate_arguments
from migrator.model.inference.expressions import chain, elements, give
from migrator.model.inference.guesses import guess
from migrator.model.inference.members import member
from migrator.model.inference.units import Class, Edge, FunctionUnit, Later
from migrator.model.inference.values import (
    UNKNOWN,
    BoundMethod,
    Box,
    Cls,
    Dynamic,
    Func,
    Inst,
    Named,
    Opaque,
    Partial,
    Value,
    functions,
    of_kind,
    things,
)
from migrator.model.inference.walk import EVALUATORS, Walk, dotted_name
from migrator.model.jobmodel import Escaping, Kind

_NESTED = 20
"""How many partials and callable objects may be wrapped in each other; one may hold itself."""
_AT_ONCE = 4
"""How often a function is walked right where it is called."""


def _call(walk: Walk, node: ast.Call) -> Value:
    function = node.func
    known = walk.module.escapes.get(node)
    if known is not None and known.how is not Escaping.UNKNOWN_ORIGIN:
        del walk.module.escapes[node]  # from an earlier walk that knew less
    if not isinstance(function, ast.Attribute):
        callee = walk.eval(function)
        return apply(walk, callee, node, evaluate_arguments(walk, node))
    receiver = chain(walk, function.value, function)
    if walk.dotted and (key := dotted_name(function)) in walk.env:
        return apply(walk, walk.env[key], node, evaluate_arguments(walk, node))
    return _call_method(walk, node, function, receiver)


def _call_method(walk: Walk, node: ast.Call, function: ast.Attribute, receiver: Value) -> Value:
    arguments = evaluate_arguments(walk, node)
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


def apply(walk: Walk, callee: Value, node: ast.AST, arguments: Arguments) -> Value:
    """The result of calling a value."""
    result: Value = UNKNOWN
    followed = False
    if walk.nesting > _NESTED:
        return result
    walk.nesting += 1
    for atom in callee:
        kind = type(atom)
        followed = followed or kind is not Opaque
        if type(atom) is Func:
            result |= call_function(walk, atom, node, arguments)
        elif type(atom) is Named:
            result |= outside.call(walk, atom, node, arguments)
        elif type(atom) is Cls:
            result |= instantiate(walk, atom.info, node, arguments)
        elif type(atom) is Inst:
            inner = member(walk, frozenset({atom}), "__call__")
            result |= apply(walk, inner, node, arguments)
        elif type(atom) is Partial:
            result |= _call_partial(walk, atom, node, arguments)
        elif type(atom) is BoundMethod and isinstance(node, ast.Call):
            result |= streaming.call_detached(walk, atom, node, arguments)
        elif type(atom) is Dynamic:
            escape(walk, node, arguments.all(), Escaping.DYNAMIC_NAME, atom.name)
    walk.nesting -= 1
    if not followed:
        unknown(walk, node, arguments)
    return result


def unknown(walk: Walk, node: ast.AST, arguments: Arguments) -> None:
    """A call of something that is not in the run: what it is given can no longer be followed."""
    given = [value for value in arguments.all() if value]
    if given:
        escape(walk, node, given, Escaping.UNKNOWN_CALL)
        for value in given:
            hand_over(walk, value, node)


def hand_over(
    walk: Walk,
    value: Value,
    node: ast.AST,
    *,
    given: Arguments | None = None,
    batch: str | None = None,
    later: Later | None = None,
) -> Value:
    """Functions that are given to somebody who will call them."""
    if not value or walk.nesting > _NESTED:
        return UNKNOWN
    result: Value = UNKNOWN
    walk.nesting += 1
    for atom in value:
        if type(atom) is Func:
            result |= call_function(
                walk, atom, node, given or Arguments(), batch=batch, later=later
            )
        elif type(atom) is Partial:
            both = Arguments(atom.positional, atom.keywords)
            if given is not None:
                both = Arguments([*atom.positional, *given.positional], atom.keywords)
            result |= hand_over(walk, atom.function, node, given=both, batch=batch, later=later)
        elif type(atom) is Inst and "__call__" in atom.info.attributes:
            inner = member(walk, frozenset({atom}), "__call__")
            result |= hand_over(walk, inner, node, given=given, batch=batch, later=later)
    walk.nesting -= 1
    return result


def escape(
    walk: Walk, node: ast.AST, given: Iterable[Value], how: Escaping, name: str | None = None
) -> None:
    """Note it if a stream or context is given to something that cannot be followed."""
    for value in given:
        found = of_kind(value, Kind.STREAM, Kind.CONTEXT)
        if not found and any(type(atom) is Box for atom in value):
            found = of_kind(elements(value), Kind.STREAM, Kind.CONTEXT)
            if found and how is Escaping.UNKNOWN_CALL:
                how = Escaping.CONTAINER
        if found:
            if name is None:
                name = dotted_name(node.func) if isinstance(node, ast.Call) else "…"
            if not name.rpartition(".")[2].startswith(_HARMLESS):
                walk.escape(node, how, found[0].kind, name)
            return


_HARMLESS = ("assert", "info", "debug", "warn", "error", "critical", "log", "print")
"""Methods that only look at what they are given."""


def _call_partial(walk: Walk, atom: Partial, node: ast.AST, arguments: Arguments) -> Value:
    both = Arguments(
        [*atom.positional, *arguments.positional],
        {**atom.keywords, **arguments.keywords},
        arguments.rest,
        arguments.others,
    )
    return apply(walk, atom.function, node, both)


def instantiate(walk: Walk, info: Class, node: ast.AST, arguments: Arguments) -> Value:
    """A call of a class of the run."""
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


def call_function(
    walk: Walk,
    function: Func,
    node: ast.AST,
    arguments: Arguments,
    *,
    batch: str | None = None,
    later: Later | None = None,
) -> Value:
    """A call of a function of the run: its parameters get these values, too."""
    unit, analysis = function.unit, walk.analysis
    _bind(walk, function, unit, arguments)
    analysis.edges[node, unit] = Edge(walk.unit, unit, walk.started, batch, later)
    unit.callers.add(walk.unit)
    if analysis.is_stale(unit):
        if unit.walks < _AT_ONCE:
            analysis.walk(unit, walk.depth + 1)
        else:  # called from many places: better once with all they give
            analysis.again([unit])
    walk.unit.writes |= unit.writes
    if later is None and batch is None:
        if not unit.generator:  # that runs, part by part, when somebody iterates
            walk.started |= unit.starts
        _take_effect(walk, unit)
    result = unit.result
    if unit.generator:
        box = analysis.box(unit.node, "yields")
        box.rest |= unit.yields
        return frozenset({box})
    return result


def _take_effect(walk: Walk, unit: FunctionUnit) -> None:
    """What the function may have bound is no longer what it was here."""
    for written in unit.writes:
        if written.startswith("."):
            if walk.dotted:
                for key in [key for key in walk.env if key.endswith(written)]:
                    del walk.env[key]
        elif written in walk.env and written in walk.unit.joined:
            walk.env[written] = walk.unit.joined[written]


def _bind(walk: Walk, function: Func, unit: FunctionUnit, arguments: Arguments) -> None:
    names = unit.positional
    weaker = walk.analysis.weaker
    if function.bound is not None and names:
        give(walk, unit, names[0], frozenset({function.bound}))
        names = names[1:]
    spread = unit.node.args.vararg
    for index, value in enumerate(arguments.positional):
        if value and index < len(names):
            give(walk, unit, names[index], weaker(value))
        elif spread is not None and index >= len(names):
            box = walk.analysis.box(unit.node, "*")
            at = index - len(names)
            box.items[at] = box.items.get(at, UNKNOWN) | value
            give(walk, unit, spread.arg, frozenset({box}))
    keywords = unit.node.args.kwarg
    known = {*names, *(a.arg for a in unit.node.args.kwonlyargs)}
    for name, value in arguments.keywords.items():
        if name in known:
            if value:
                give(walk, unit, name, weaker(value))
        elif keywords is not None:
            box = walk.analysis.box(unit.node, "**")
            box.items[name] = box.items.get(name, UNKNOWN) | value
            give(walk, unit, keywords.arg, frozenset({box}))
    if arguments.rest:
        for name in names[len(arguments.positional) :]:
            give(walk, unit, name, weaker(arguments.rest))
        if spread is not None:
            box = walk.analysis.box(unit.node, "*")
            box.rest |= arguments.rest
            give(walk, unit, spread.arg, frozenset({box}))


EVALUATORS[ast.Call] = _call
