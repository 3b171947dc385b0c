"""What a call of the API does: it is noted, and makes a stream, an output or a context."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from migrator.core import Confidence
from migrator.model import api
from migrator.model.api import Makes
from migrator.model.inference import callbacks
from migrator.model.inference.api_call import ApiCall
from migrator.model.inference.binding import bind
from migrator.model.inference.members import contexts_of
from migrator.model.inference.values import NONE, Box, Thing, Value, numbers, of_kind
from migrator.model.inference.walk import Walk
from migrator.model.jobmodel import Kind, Role

_ROLES = {Makes.SOURCE: Role.SOURCE, Makes.STREAM: Role.OPERATOR, Makes.OUTPUT: Role.OUTPUT}


def make_stream(call: ApiCall, makes: Makes, operation: str) -> int | None:
    """The number of the stream that a call makes, or of the output it registers."""
    if makes not in _ROLES:
        return None
    record = call.walk.analysis.stream(call.node, call.walk.module, _ROLES[makes], operation)
    given: set[Thing] = set(call.things)
    for value in call.arguments.all():
        if value:
            given.update(of_kind(value, Kind.STREAM, Kind.CONTEXT))
            for atom in value:
                if type(atom) is Box:
                    given.update(of_kind(atom.all(), Kind.STREAM))
    record.parents = numbers(t for t in given if t.kind is Kind.STREAM) - {record.number}
    record.contexts |= numbers(t for t in given if t.kind is Kind.CONTEXT)
    record.confidence = call.confidence
    return record.number


def follow(call: ApiCall, method: api.Method, stream: int | None) -> Value:
    """Note a call with its arguments; gives what the functions handed to it return."""
    called = call.owner if method.name == "__init__" else None
    bound, mismatch = bind(method, call.node, called, call.arguments.skipped)
    functions, result = callbacks.follow(call, method, bound)
    call.keep(
        replace(
            call.described(stream=stream),
            arguments=bound,
            mismatch=mismatch,
            functions=functions,
        )
    )
    return result


def result_of(call: ApiCall, makes: Makes, functions: Value, stream: int | None) -> Value:
    """What a call gives; ``functions`` is what the functions handed to it return."""
    if makes is Makes.SAME:
        return frozenset(call.things)
    if makes is Makes.RDDS:
        box = call.walk.analysis.box(call.node)
        box.rest |= _new(call, Kind.RDD)
        return frozenset({box})
    if makes is Makes.CONTEXT:
        if call.things and call.on is Kind.STREAM:
            return contexts_of(call.walk, call.things)
        return frozenset(call.things) or functions
    kind = _MADE.get(makes)
    return NONE if kind is None else _new(call, kind, stream)


_MADE = {
    Makes.SOURCE: Kind.STREAM,
    Makes.STREAM: Kind.STREAM,
    Makes.SPEC: Kind.STATE_SPEC,
    Makes.RDD: Kind.RDD,
}


def _new(call: ApiCall, kind: Kind, number: int | None = None) -> Value:
    return frozenset({call.walk.analysis.thing(kind, number, call.confidence)})


def live(call: ApiCall) -> None:
    """What a method of a context does to its life."""
    walk = call.walk
    for number in numbers(call.things):
        record = walk.analysis.contexts[number]
        if call.method == "start":
            record.started[walk.module.path, call.node.lineno] = None
            started = {walk.analysis.thing(Kind.CONTEXT, number)}
            walk.started |= started
            walk.unit.starts |= started
        elif call.method == "checkpoint":
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
    """A new context is not started, even if one made at the same place was."""
    walk.started -= {walk.analysis.thing(Kind.CONTEXT, number) for number in contexts}
