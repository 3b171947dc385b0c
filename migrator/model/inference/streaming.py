"""Methods called on API things: streams, contexts, RDDs, streaming models."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrator.core import Confidence
from migrator.model import api
from migrator.model.api import Makes
from migrator.model.inference.api_call import ApiCall
from migrator.model.inference.arguments import Arguments
from migrator.model.inference.dispatch import CALLERS, apply, hand_over, unknown
from migrator.model.inference.effects import follow, live, make_stream, result_of
from migrator.model.inference.members import METHODS
from migrator.model.inference.values import (
    NONE,
    UNKNOWN,
    BoundMethod,
    Thing,
    Value,
    confidence,
    numbers,
    of_kind,
    things,
)
from migrator.model.inference.walk import Walk
from migrator.model.jobmodel import Kind

_OF_MODELS = next(iter(api.STREAMING_MODELS.values()))
"""The methods of a streaming model: all have the same."""


def call_method(
    walk: Walk, node: ast.Call, function: ast.Attribute, found: list[Thing], arguments: Arguments
) -> Value:
    """A method called on API things; where they are of several kinds, on those that have it."""
    having = [t for t in found if function.attr in METHODS.get(t.kind, {})] or found
    kind = having[0].kind
    these = [thing for thing in having if thing.kind is kind]
    return call_things(walk, node, these, function.attr, function.value, arguments)


def call_detached(walk: Walk, atom: BoundMethod, node: ast.AST, arguments: Arguments) -> Value:
    """``show = counts.pprint; show()``."""
    if not isinstance(node, ast.Call):
        return UNKNOWN
    return call_things(walk, node, things(atom.things), atom.name, atom.receiver, arguments)


def call_things(
    walk: Walk,
    node: ast.Call,
    found: Sequence[Thing],
    name: str,
    receiver: ast.expr | None,
    arguments: Arguments,
) -> Value:
    """A method called on things of one kind."""
    kind, sure = found[0].kind, confidence(found)
    owner = found[0].owner or str(kind)
    call = ApiCall(walk, node, kind, owner, name, receiver, sure, arguments, tuple(found))
    if kind is Kind.MODEL:
        return _on_model(call)
    table = METHODS.get(kind)
    if table is None:
        return _on_spark(call)
    method = table.get(name)
    if method is None:
        return _not_in_the_api(call)
    stream = make_stream(call, method.makes, name)
    functions = follow(call, method, stream)
    if kind is Kind.CONTEXT:
        walk.analysis.contexts_at[node] = numbers(found)
        live(call)
    return result_of(call, method.makes, functions, stream)


def _not_in_the_api(call: ApiCall) -> Value:
    walk, of_stream = call.walk, call.on is Kind.STREAM
    patched = walk.analysis.patched.get(call.method) if of_stream else None
    stream = None
    if of_stream and patched is None and call.method in api.RDD_TO_RDD:
        stream = make_stream(call, Makes.STREAM, call.method)
    call.note(stream=stream, known=patched is not None)
    if patched:
        given = [frozenset(call.things), *call.arguments.positional]
        return apply(walk, patched, call.node, Arguments(given, call.arguments.keywords))
    unknown(walk, call.node, call.arguments)
    if stream is not None:
        return frozenset({walk.analysis.thing(call.on, stream, call.confidence)})
    return UNKNOWN


def _on_spark(call: ApiCall) -> Value:
    """SparkContext, SparkSession, RDDs, batch times: noted, and followed as far as RDDs go."""
    call.note()
    for value in call.arguments.all():
        hand_over(call.walk, value, call.node)
    kind, name = call.on, call.method
    if (kind is Kind.RDD and name in api.RDD_TO_RDD) or (
        kind is Kind.SPARK_CONF and name in ("set", "setAppName", "setMaster", "setAll")
    ):
        return frozenset({call.walk.analysis.thing(kind, None, call.confidence)})
    if kind is Kind.RDD and name in ("foreach", "foreachPartition", "saveAsTextFile"):
        return NONE
    return UNKNOWN


def _on_model(call: ApiCall) -> Value:
    method = _OF_MODELS.get(call.method)
    if method is None:
        call.note()
        return frozenset(call.things)
    stream = make_stream(call, method.makes, call.method)
    functions = follow(call, method, stream)
    return result_of(call, method.makes, functions, stream)


def model_call(
    walk: Walk, node: ast.Call, function: ast.Attribute, arguments: Arguments
) -> Value | None:
    """``anything.trainOn(stream)``: only a streaming model learns from a stream."""
    if function.attr not in _OF_MODELS:
        return None
    if not any(of_kind(value, Kind.STREAM) for value in arguments.all()):
        return None
    name, receiver, sure = function.attr, function.value, Confidence.LIKELY
    kind = Kind.MODEL
    return _on_model(ApiCall(walk, node, kind, str(kind), name, receiver, sure, arguments))


CALLERS[BoundMethod] = call_detached
