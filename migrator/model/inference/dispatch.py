"""A value is called: right here (:func:`apply`), or by whatever it is given to (:func:`hand_over`).

What calling an atom means is registered in :data:`CALLERS` by the modules that know.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrator.model.inference.arguments import Arguments
from migrator.model.inference.escapes import escape
from migrator.model.inference.functions import call_function
from migrator.model.inference.members import member
from migrator.model.inference.units import Later
from migrator.model.inference.values import UNKNOWN, Atom, Func, Inst, Opaque, Partial, Value
from migrator.model.inference.walk import Walk
from migrator.model.jobmodel import Escaping

_NESTED = 20
"""How many partials and callable objects may wrap each other; one may hold itself."""

CALLERS: dict[type[Atom], Callable[[Walk, Any, ast.AST, Arguments], Value]] = {}
"""What calling an atom of a type gives; calling any other gives nothing known."""


def apply(walk: Walk, callee: Value, node: ast.AST, arguments: Arguments) -> Value:
    """The result of calling a value."""
    result: Value = UNKNOWN
    followed = False
    if walk.nesting > _NESTED:
        return result
    walk.nesting += 1
    for atom in callee:
        followed = followed or type(atom) is not Opaque
        caller = CALLERS.get(type(atom))
        if caller is not None:
            result |= caller(walk, atom, node, arguments)
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
    """Functions passed to something that will call them."""
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
