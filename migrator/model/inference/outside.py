"""Calls of code outside the run: Python's own functions, PySpark's, and those of other packages."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from migrator.model.inference import constructors, containers, dynamic
from migrator.model.inference.annotations import annotated
from migrator.model.inference.arguments import Arguments
from migrator.model.inference.dispatch import CALLERS, apply, hand_over, unknown
from migrator.model.inference.streaming import call_detached
from migrator.model.inference.units import FunctionUnit, Later
from migrator.model.inference.values import (
    UNKNOWN,
    BoundMethod,
    Box,
    Named,
    Value,
    elements,
)
from migrator.model.inference.walk import Walk

Handler: TypeAlias = "Callable[[Walk, ast.AST, Arguments], Value]"


def _call(walk: Walk, atom: Named, node: ast.AST, arguments: Arguments) -> Value:
    """A call of something known only by its absolute name."""
    handler = _HANDLERS.get(atom.dotted)
    if handler is not None:
        return handler(walk, node, arguments)
    if atom.dotted.startswith("builtins."):
        for value in arguments.all():
            hand_over(walk, value, node)
        return UNKNOWN
    if isinstance(node, ast.Call):
        result = constructors.call_named(walk, atom, node, arguments)
        if result is not None:
            return result
    if atom.dotted.startswith("pyspark"):
        for value in arguments.all():
            hand_over(walk, value, node)
        return UNKNOWN
    if atom.dotted.startswith(_HARMLESS):
        return UNKNOWN
    unknown(walk, node, arguments)
    return UNKNOWN


_HARMLESS = ("logging.", "pprint.", "warnings.", "copy.", "typing.")


def _apply(walk: Walk, value: Value, node: ast.AST, *positional: Value) -> Value:
    return apply(walk, value, node, Arguments(list(positional)))


# Python's own ----------------------------------------------------------------------------------


def _same_elements(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    return containers.made(walk, node, elements(arguments.get(0, "iterable")))


def _element(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    return elements(arguments.get(0, "iterable")) | arguments.get(1, "default")


def _chosen(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    """``max(streams)``, ``max(one, other)``."""
    if "key" in arguments.keywords:
        _apply(walk, arguments.keywords["key"], node, elements(arguments.get(0, "")))
    if len(arguments.positional) > 1:
        return UNKNOWN.union(*arguments.positional, arguments.rest)
    return elements(arguments.get(0, "iterable")) | arguments.keywords.get("default", UNKNOWN)


def _copied(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    value = arguments.get(0, "x")
    others = frozenset(atom for atom in value if type(atom) is not Box)
    return others if others == value else others | containers.made(walk, node, elements(value))


def _map(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    given = [elements(value) for value in arguments.positional[1:]]
    return containers.made(walk, node, _apply(walk, arguments.get(0, ""), node, *given))


def _filter(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    inside = elements(arguments.get(1, ""))
    _apply(walk, arguments.get(0, ""), node, inside)
    return containers.made(walk, node, inside)


def _reduce(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    inside = elements(arguments.get(1, "")) | arguments.get(2, "initial")
    made = _apply(walk, arguments.get(0, ""), node, inside, inside)
    _apply(walk, arguments.get(0, ""), node, made | inside, inside)
    return made | (inside if not made else UNKNOWN)


def _zip(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    pair = walk.analysis.box(node, "pair")
    for index, value in enumerate(arguments.positional):
        pair.items[index] = pair.items.get(index, UNKNOWN) | elements(value)
    return containers.made(walk, node, frozenset({pair}))


def _enumerate(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    pair = walk.analysis.box(node, "pair")
    pair.items[0] = UNKNOWN
    pair.items[1] = pair.items.get(1, UNKNOWN) | elements(arguments.get(0, "iterable"))
    return containers.made(walk, node, frozenset({pair}))


def _dict(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    box = walk.analysis.box(node)
    for name, value in arguments.keywords.items():
        box.items[name] = box.items.get(name, UNKNOWN) | value
    box.rest |= elements(arguments.get(0, ""))
    return frozenset({box})


def _bool(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    if isinstance(node, ast.Call) and node.args:
        walk.test(node.args[0])
    return UNKNOWN


def _partial(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    atom = walk.analysis.partial(node)
    atom.function |= arguments.get(0, "func")
    atom.positional = list(arguments.positional[1:])
    atom.keywords = dict(arguments.keywords)
    return frozenset({atom})


def _wraps(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    return UNKNOWN  # a decorator that leaves the function what it is


def _exit(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    return frozenset({walk.analysis.named("builtins.exit()")})


def _cast(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    """``cast(DStream, x)``: what the annotation says, or else what it was."""
    if not isinstance(node, ast.Call) or not node.args:
        return UNKNOWN
    return annotated(walk, node.args[0], node, "cast") or arguments.get(1, "val")


def _super(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    unit = walk.unit
    while isinstance(unit, FunctionUnit) and unit.owner is None and unit.parent is not None:
        unit = unit.parent
    if not isinstance(unit, FunctionUnit) or unit.owner is None:
        return UNKNOWN
    return frozenset(base.instance for base in unit.owner.bases) | unit.owner.constructed


def _later(index: int, name: str, later: Later = Later.HERE) -> Handler:
    """``Thread(target=f, args=(…))``: called at an unknown time."""

    def handler(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
        given = Arguments()
        for box in arguments.get(99, "args"):
            if type(box) is Box:
                given.positional = [box.get(i) for i in range(len(box.items))]
        for box in arguments.get(99, "kwargs"):
            if type(box) is Box:
                given.keywords = {k: v for k, v in box.items.items() if isinstance(k, str)}
        if name == "func":
            given = arguments.after(1)
        target = arguments.get(index, name)
        hand_over(walk, target, node, given=given, later=later)
        for atom in target:
            if type(atom) is BoundMethod and isinstance(node, ast.Call):
                _detached_later(walk, atom, node, given, later)
        return UNKNOWN

    return handler


def _detached_later(
    walk: Walk, atom: BoundMethod, node: ast.Call, given: Arguments, later: Later
) -> None:
    """``Thread(target=ssc.start)``: what follows here may come before it or after it."""
    before = walk.started, walk.unit.starts
    call_detached(walk, atom, node, given)
    walk.started, walk.unit.starts = before
    if later is Later.ELSEWHERE:
        walk.analysis.elsewhere.add(node)


_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(
        (
            "builtins.list",
            "builtins.tuple",
            "builtins.set",
            "builtins.sorted",
            "builtins.reversed",
            "builtins.iter",
            "builtins.frozenset",
            "collections.deque",
            "itertools.chain.from_iterable",
        ),
        _same_elements,
    ),
    "builtins.next": _element,
    "builtins.max": _chosen,
    "builtins.min": _chosen,
    "copy.copy": _copied,
    "copy.deepcopy": _copied,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.dict": _dict,
    "collections.OrderedDict": _dict,
    "builtins.bool": _bool,
    "functools.reduce": _reduce,
    "functools.partial": _partial,
    "functools.wraps": _wraps,
    **dynamic.HANDLERS,
    "builtins.super": _super,
    "typing.cast": _cast,
    "builtins.exit": _exit,
    "builtins.quit": _exit,
    "sys.exit": _exit,
    "os._exit": _exit,
    "threading.Thread": _later(1, "target"),
    "multiprocessing.Process": _later(1, "target", Later.ELSEWHERE),
    "multiprocessing.process.Process": _later(1, "target", Later.ELSEWHERE),
    "multiprocessing.context.Process": _later(1, "target", Later.ELSEWHERE),
    "threading.Timer": _later(1, "function"),
    "signal.signal": _later(1, "handler"),
    "atexit.register": _later(0, "func"),
}
CALLERS[Named] = _call
