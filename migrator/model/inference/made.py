"""What comes of a call of the API: it is noted, and makes a stream, an output, a context."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrator.core import Confidence
from migrator.model import api
from migrator.model.api import Makes
from migrator.model.inference import callbacks
from migrator.model.inference.arguments import Arguments
from migrator.model.inference.binding import bind
from migrator.model.inference.members import contexts_of
from migrator.model.inference.values import NONE, Box, Thing, Value, numbers, of_kind
from migrator.model.inference.walk import Walk
from migrator.model.jobmodel import Call, Escaping, Kind, Role

_ROLES = {Makes.SOURCE: Role.SOURCE, Makes.STREAM: Role.OPERATOR, Makes.OUTPUT: Role.OUTPUT}


def made(
    walk: Walk,
    node: ast.Call,
    makes: Makes,
    operation: str,
    receivers: list[Thing],
    arguments: Arguments,
    sure: Confidence,
) -> int | None:
    """The number of the stream that a call makes, or of the output it registers."""
    if makes not in _ROLES:
        return None
    record = walk.analysis.stream(node, walk.module, _ROLES[makes], operation)
    given: set[Thing] = set(receivers)
    for value in arguments.all():
        if value:
            given.update(of_kind(value, Kind.STREAM, Kind.CONTEXT))
            for atom in value:
                if type(atom) is Box:
                    given.update(of_kind(atom.all(), Kind.STREAM))
    record.parents = numbers(t for t in given if t.kind is Kind.STREAM) - {record.number}
    record.contexts |= numbers(t for t in given if t.kind is Kind.CONTEXT)
    record.confidence = sure
    return record.number


def record(
    walk: Walk,
    node: ast.Call,
    kind: Kind,
    owner: str,
    method: api.Method,
    receiver: ast.expr | None,
    sure: Confidence,
    arguments: Arguments,
    stream: int | None,
) -> Value:
    """Note a call of the API; gives what the functions handed to it return."""
    called = owner if method.name == "__init__" else None
    bound, mismatch = bind(method, node, called, arguments.skipped)
    functions, result = callbacks.follow(walk, node, kind, method, bound, arguments)
    call = Call(
        node,
        kind,
        owner,
        method.name,
        receiver,
        sure,
        bound,
        mismatch,
        functions,
        stream,
    )
    keep(walk, node, call)
    return result


def keep(walk: Walk, node: ast.Call, call: Call) -> None:
    walk.module.calls[node] = call
    walk.module.unit_of[node] = walk.unit
    walk.analysis.started_at[node] = walk.started
    known = walk.module.escapes.get(node)
    if known and known.how is Escaping.UNKNOWN_ORIGIN and call.confidence is not Confidence.GUESS:
        del walk.module.escapes[node]


def result_of(
    walk: Walk,
    node: ast.Call,
    makes: Makes,
    found: list[Thing],
    functions: Value,
    stream: int | None,
    sure: Confidence,
) -> Value:
    thing = walk.analysis.thing
    if makes in (Makes.SOURCE, Makes.STREAM):
        return frozenset({thing(Kind.STREAM, stream, sure)})
    if makes is Makes.SAME:
        return frozenset(found)
    if makes is Makes.SPEC:
        return frozenset({thing(Kind.STATE_SPEC, None, sure)})
    if makes is Makes.RDD:
        return frozenset({thing(Kind.RDD, None, sure)})
    if makes is Makes.RDDS:
        box = walk.analysis.box(node)
        box.rest |= {thing(Kind.RDD, None, sure)}
        return frozenset({box})
    if makes is Makes.CONTEXT:
        if found and found[0].kind is Kind.STREAM:
            return contexts_of(walk, found)
        return frozenset(found) or functions
    return NONE


def life_cycle(walk: Walk, node: ast.Call, found: list[Thing], name: str) -> None:
    for number in numbers(found):
        record = walk.analysis.contexts[number]
        if name == "start":
            record.started[walk.module.path, node.lineno] = None
            started = {walk.analysis.thing(Kind.CONTEXT, number)}
            walk.started |= started
            walk.unit.starts |= started
        elif name == "checkpoint":
            record.checkpointed = True


def new_context(walk: Walk, node: ast.Call, sure: Confidence) -> Value:
    record = walk.analysis.context(node, walk.module)
    bound, _ = bind(api.STREAMING_CONTEXT["__init__"], node)
    seconds = (bound or {}).get("batchDuration")
    if isinstance(seconds, ast.Constant) and isinstance(seconds.value, int | float):
        record.batch_seconds = float(seconds.value)
    walk.analysis.contexts_at[node] = {record.number}
    begin(walk, {record.number})
    return frozenset({walk.analysis.thing(Kind.CONTEXT, record.number, sure)})


def begin(walk: Walk, contexts: Iterable[int]) -> None:
    """A context is made anew: it is not started, even if one made at the same place was."""
    walk.started -= {walk.analysis.thing(Kind.CONTEXT, number) for number in contexts}
