"""Methods called on API things: streams, contexts, RDDs, streaming models."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrator.core import Confidence
from migrator.model import api
from migrator.model.api import Makes
from migrator.model.inference.arguments import Arguments
from migrator.model.inference.made import keep, life_cycle, made, record, result_of
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
from migrator.model.jobmodel import Call, Kind


def call_method(
    walk: Walk, node: ast.Call, function: ast.Attribute, found: list[Thing], arguments: Arguments
) -> Value:
    """A method called on API things; where they are of several kinds, on those that have it."""
    having = [t for t in found if function.attr in METHODS.get(t.kind, {})] or found
    kind = having[0].kind
    these = [thing for thing in having if thing.kind is kind]
    return call_things(walk, node, these, function.attr, function.value, arguments)


def call_detached(walk: Walk, atom: BoundMethod, node: ast.Call, arguments: Arguments) -> Value:
    """``show = counts.pprint; show()``."""
    return call_things(walk, node, things(atom.things), atom.name, atom.receiver, arguments)


def call_things(
    walk: Walk,
    node: ast.Call,
    found: list[Thing],
    name: str,
    receiver: ast.expr | None,
    arguments: Arguments,
) -> Value:
    kind, sure = found[0].kind, confidence(found)
    owner = found[0].owner or str(kind)
    if kind is Kind.MODEL:
        return _on_model(walk, node, owner, name, receiver, sure, arguments, found)
    table = METHODS.get(kind)
    if table is None:
        return _on_spark(walk, node, kind, owner, name, receiver, sure, arguments)
    method = table.get(name)
    if method is None:
        return _not_in_the_api(walk, node, found, name, receiver, arguments)
    stream = made(walk, node, method.makes, name, found, arguments, sure)
    functions = record(walk, node, kind, owner, method, receiver, sure, arguments, stream)
    if kind is Kind.CONTEXT:
        walk.analysis.contexts_at[node] = numbers(found)
        life_cycle(walk, node, found, name)
    return result_of(walk, node, method.makes, found, functions, stream, sure)


def _not_in_the_api(
    walk: Walk,
    node: ast.Call,
    found: list[Thing],
    name: str,
    receiver: ast.expr | None,
    arguments: Arguments,
) -> Value:
    from migrator.model.inference.calls import apply, unknown

    kind, sure = found[0].kind, confidence(found)
    patched = walk.analysis.patched.get(name) if kind is Kind.STREAM else None
    known = patched is not None
    stream = None
    if kind is Kind.STREAM and not known and name in api.RDD_TO_RDD:
        stream = made(walk, node, Makes.STREAM, name, found, arguments, sure)
    call = Call(node, kind, str(kind), name, receiver, sure, None, stream=stream, known=known)
    keep(walk, node, call)
    if patched:
        given = Arguments([frozenset(found), *arguments.positional], arguments.keywords)
        return apply(walk, patched, node, given)
    unknown(walk, node, arguments)
    if stream is not None:
        return frozenset({walk.analysis.thing(kind, stream, sure)})
    return UNKNOWN


def _on_spark(
    walk: Walk,
    node: ast.Call,
    kind: Kind,
    owner: str,
    name: str,
    receiver: ast.expr | None,
    sure: Confidence,
    arguments: Arguments,
) -> Value:
    """SparkContext, SparkSession, RDDs, batch times: noted, and followed as far as RDDs go."""
    from migrator.model.inference.calls import hand_over

    keep(walk, node, Call(node, kind, owner, name, receiver, sure, None))
    for value in arguments.all():
        hand_over(walk, value, node)
    if kind is Kind.RDD and name in api.RDD_TO_RDD:
        return frozenset({walk.analysis.thing(kind, None, sure)})
    if kind is Kind.SPARK_CONF and name in ("set", "setAppName", "setMaster", "setAll"):
        return frozenset({walk.analysis.thing(kind, None, sure)})
    if kind is Kind.RDD and name in ("foreach", "foreachPartition", "saveAsTextFile"):
        return NONE
    return UNKNOWN


def _on_model(
    walk: Walk,
    node: ast.Call,
    owner: str,
    name: str,
    receiver: ast.expr | None,
    sure: Confidence,
    arguments: Arguments,
    found: Iterable[Thing],
) -> Value:
    method = next(iter(api.STREAMING_MODELS.values())).get(name)
    if method is None:
        keep(walk, node, Call(node, Kind.MODEL, owner, name, receiver, sure, None))
        return frozenset(found)
    stream = made(walk, node, method.makes, name, [], arguments, sure)
    functions = record(walk, node, Kind.MODEL, owner, method, receiver, sure, arguments, stream)
    return result_of(walk, node, method.makes, [], functions, stream, sure)


def model_call(
    walk: Walk, node: ast.Call, function: ast.Attribute, arguments: Arguments
) -> Value | None:
    """``anything.trainOn(stream)``: nothing but a streaming model learns from a stream."""
    if function.attr not in next(iter(api.STREAMING_MODELS.values())):
        return None
    if not any(of_kind(value, Kind.STREAM) for value in arguments.all()):
        return None
    return _on_model(
        walk,
        node,
        str(Kind.MODEL),
        function.attr,
        function.value,
        Confidence.LIKELY,
        arguments,
        (),
    )
