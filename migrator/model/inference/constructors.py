"""Classes and functions of PySpark and the API, called by their names."""

from __future__ import annotations

import ast

from migrator.core import Confidence
from migrator.model import api
from migrator.model.api import Makes
from migrator.model.inference.arguments import Arguments
from migrator.model.inference.kinds import kind_of_class
from migrator.model.inference.made import begin, keep, made, new_context, record, result_of
from migrator.model.inference.streaming import call_things
from migrator.model.inference.units import Class
from migrator.model.inference.values import UNKNOWN, Cls, Named, Value, numbers, of_kind, things
from migrator.model.inference.walk import Walk
from migrator.model.jobmodel import Call, Kind


def call_named(walk: Walk, atom: Named, node: ast.Call, arguments: Arguments) -> Value | None:
    """A constructor or class method of PySpark or the API; None if it is neither."""
    kind = kind_of_class(atom.dotted)
    module, _, last = atom.dotted.rpartition(".")
    if kind is not None:
        return _construct(walk, atom, node, kind, last, arguments)
    above, _, owner = module.rpartition(".")
    if owner in api.CLASSES and api.submodule(above) is not None:
        return _class_method(walk, atom, node, owner, last, arguments)
    if last in api.CLASSES and api.submodule(module) is not None:
        return _construct(walk, atom, node, Kind.UTILS, last, arguments)
    if ".SparkSession.builder" in atom.dotted:
        if last in ("getOrCreate", "create"):
            call = Call(
                node, Kind.SESSION, "SparkSession", last, _receiver(node), atom.confidence, None
            )
            keep(walk, node, call)
            return frozenset({walk.analysis.thing(Kind.SESSION, None, atom.confidence)})
        return frozenset({walk.analysis.named(module, atom.confidence)})
    above_kind = kind_of_class(module)
    if above_kind in (Kind.SPARK_CONTEXT, Kind.SESSION) and last.startswith("get"):
        thing = walk.analysis.thing(above_kind, None, atom.confidence)
        keep(
            walk, node, Call(node, above_kind, owner, last, _receiver(node), atom.confidence, None)
        )
        return frozenset({thing})
    if makes_streams(owner, last) and gives_context(arguments):
        return utils_call(walk, node, owner, last, arguments, atom.confidence)
    return None


def vendored(
    walk: Walk, function: ast.Attribute, receiver: Value, arguments: Arguments
) -> str | None:
    """The name of a class of the run that is called like one of Spark's to make a stream."""
    names = [atom.info.name for atom in receiver if type(atom) is Cls]
    for name in names:
        if makes_streams(name, function.attr) and gives_context(arguments):
            walk.analysis.vendored.add(name)
            return name
    return None


def makes_streams(owner: str, method: str) -> bool:
    """``AnythingUtils.createStream``."""
    return owner.endswith("Utils") and method.startswith("create")


def gives_context(arguments: Arguments) -> bool:
    return any(of_kind(value, Kind.CONTEXT) for value in arguments.all())


def utils_call(
    walk: Walk, node: ast.Call, owner: str, method: str, arguments: Arguments, sure: Confidence
) -> Value:
    """A source that is not part of Spark."""
    stream = made(walk, node, Makes.SOURCE, f"{owner}.{method}", [], arguments, sure)
    call = Call(node, Kind.UTILS, owner, method, _receiver(node), sure, None, stream=stream)
    keep(walk, node, call)
    walk.analysis.vendored.add(owner)
    return frozenset({walk.analysis.thing(Kind.STREAM, stream, sure)})


def _receiver(node: ast.Call) -> ast.expr | None:
    return node.func.value if isinstance(node.func, ast.Attribute) else None


def _construct(
    walk: Walk, atom: Named, node: ast.Call, kind: Kind, name: str, arguments: Arguments
) -> Value:
    sure = atom.confidence
    method = api.CLASSES.get(name, {}).get("__init__")
    if kind is Kind.CONTEXT:
        value = new_context(walk, node, sure)
    elif kind is Kind.STREAM:
        stream = made(walk, node, Makes.SOURCE, name, [], arguments, sure)
        value = frozenset({walk.analysis.thing(kind, stream, sure)})
        if method is not None:
            record(walk, node, kind, name, method, None, sure, arguments, stream)
        return value
    else:
        owner = name if kind is Kind.MODEL else ""
        value = frozenset({walk.analysis.thing(kind, None, sure, owner)})
    if method is not None:
        record(walk, node, kind, name, method, None, sure, arguments, None)
    else:
        keep(walk, node, Call(node, kind, name, "__init__", None, sure, None))
    return UNKNOWN if kind is Kind.UTILS else value


def _class_method(
    walk: Walk, atom: Named, node: ast.Call, owner: str, name: str, arguments: Arguments
) -> Value:
    kind = kind_of_class(atom.dotted.rpartition(".")[0]) or Kind.UTILS
    method = api.CLASSES[owner].get(name)
    sure = atom.confidence
    first = of_kind(arguments.positional[0], kind) if arguments.positional else []
    if first and kind in (Kind.STREAM, Kind.CONTEXT, Kind.STATE_SPEC):  # DStream.map(stream, f)
        return call_things(walk, node, first, name, node.args[0], arguments.behind(1))
    if method is None:
        keep(
            walk,
            node,
            Call(node, kind, owner, name, _receiver(node), sure, None, known=False),
        )
        return UNKNOWN
    operation = f"{owner}.{name}" if kind is Kind.UTILS else name
    stream = made(walk, node, method.makes, operation, [], arguments, sure)
    functions = record(walk, node, kind, owner, method, _receiver(node), sure, arguments, stream)
    if method.makes is Makes.CONTEXT:
        contexts: Value = frozenset(of_kind(functions, Kind.CONTEXT))
        if not contexts:
            contexts = new_context(walk, node, sure)
        found = numbers(things(contexts))
        for number in found:
            walk.analysis.contexts[number].checkpointed |= "OrCreate" in name
        if name == "getOrCreate":
            begin(walk, found)
        walk.analysis.contexts_at[node] = found
        return contexts
    return result_of(walk, node, method.makes, [], functions, stream, sure)


def inherited(walk: Walk, base: str, node: ast.AST, info: Class) -> Value:
    """What an instance of a class of the run is, by a base of the API."""
    kind = kind_of_class(base)
    if kind is Kind.CONTEXT:
        record = walk.analysis.context(node, walk.module)
        return frozenset({walk.analysis.thing(kind, record.number, Confidence.LIKELY)})
    if kind is Kind.STREAM:
        return frozenset(
            {walk.analysis.handed(kind, node, info.name, walk.module, Confidence.LIKELY)}
        )
    return UNKNOWN
