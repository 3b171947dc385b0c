"""Classes and functions of PySpark and the API, called by their names."""

from __future__ import annotations

import ast

from migrator.core import Confidence
from migrator.model import api
from migrator.model.api import Makes
from migrator.model.inference.api_call import ApiCall
from migrator.model.inference.arguments import Arguments
from migrator.model.inference.effects import begin, follow, make_stream, new_context, result_of
from migrator.model.inference.kinds import kind_of_class
from migrator.model.inference.streaming import call_things
from migrator.model.inference.units import Class
from migrator.model.inference.values import UNKNOWN, Cls, Named, Value, numbers, of_kind, things
from migrator.model.inference.walk import Walk
from migrator.model.jobmodel import Kind


def call_named(walk: Walk, atom: Named, node: ast.Call, arguments: Arguments) -> Value | None:
    """A constructor or class method of PySpark or the API; None if it is neither."""

    def call(kind: Kind, owner: str, method: str) -> ApiCall:
        receiver = None if method == "__init__" else _receiver(node)
        return ApiCall(walk, node, kind, owner, method, receiver, atom.confidence, arguments)

    kind = kind_of_class(atom.dotted)
    module, _, last = atom.dotted.rpartition(".")
    if kind is not None:
        return _construct(call(kind, last, "__init__"))
    above, _, owner = module.rpartition(".")
    if owner in api.CLASSES and api.submodule(above) is not None:
        return _class_method(call(kind_of_class(module) or Kind.UTILS, owner, last))
    if last in api.CLASSES and api.submodule(module) is not None:
        return _construct(call(Kind.UTILS, last, "__init__"))
    if ".SparkSession.builder" in atom.dotted:
        if last in ("getOrCreate", "create"):
            return _given_by_spark(call(Kind.SESSION, "SparkSession", last))
        return frozenset({walk.analysis.named(module, atom.confidence)})
    kind_above = kind_of_class(module)
    if kind_above in (Kind.SPARK_CONTEXT, Kind.SESSION) and last.startswith("get"):
        return _given_by_spark(call(kind_above, owner, last))
    if makes_streams(owner, last) and gives_context(arguments):
        return utils_call(walk, node, owner, last, arguments, atom.confidence)
    return None


def _given_by_spark(call: ApiCall) -> Value:
    """``SparkContext.getOrCreate()``."""
    call.note()
    return frozenset({call.walk.analysis.thing(call.on, None, call.confidence)})


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
    call = ApiCall(walk, node, Kind.UTILS, owner, method, _receiver(node), sure, arguments)
    stream = make_stream(call, Makes.SOURCE, f"{owner}.{method}")
    call.note(stream=stream)
    walk.analysis.vendored.add(owner)
    return frozenset({walk.analysis.thing(Kind.STREAM, stream, sure)})


def _receiver(node: ast.Call) -> ast.expr | None:
    return node.func.value if isinstance(node.func, ast.Attribute) else None


def _construct(call: ApiCall) -> Value:
    """``StreamingContext(sc, 1)``, ``DStream(…)``, ``SparkConf()`` …"""
    kind, name, sure = call.on, call.owner, call.confidence
    method = api.CLASSES.get(name, {}).get("__init__")
    stream = None
    if kind is Kind.CONTEXT:
        value = new_context(call.walk, call.node, sure)
    else:
        if kind is Kind.STREAM:
            stream = make_stream(call, Makes.SOURCE, name)
        owner = name if kind is Kind.MODEL else ""
        value = frozenset({call.walk.analysis.thing(kind, stream, sure, owner)})
    if method is not None:
        follow(call, method, stream)
    elif kind is not Kind.STREAM:
        call.note()
    return UNKNOWN if kind is Kind.UTILS else value


def _class_method(call: ApiCall) -> Value:
    """``KafkaUtils.createStream(…)``, ``StreamingContext.getOrCreate(…)``."""
    kind, arguments = call.on, call.arguments
    first = of_kind(arguments.positional[0], kind) if arguments.positional else []
    if first and kind in (Kind.STREAM, Kind.CONTEXT, Kind.STATE_SPEC):  # DStream.map(stream, f)
        node, rest = call.node, arguments.after(1)
        return call_things(call.walk, node, first, call.method, node.args[0], rest)
    method = api.CLASSES[call.owner].get(call.method)
    if method is None:
        call.note(known=False)
        return UNKNOWN
    operation = f"{call.owner}.{call.method}" if kind is Kind.UTILS else call.method
    stream = make_stream(call, method.makes, operation)
    functions = follow(call, method, stream)
    if method.makes is Makes.CONTEXT:
        return _context(call, functions)
    return result_of(call, method.makes, functions, stream)


def _context(call: ApiCall, made: Value) -> Value:
    """The context of ``getOrCreate`` and its like; ``made`` is what their function returns."""
    analysis = call.walk.analysis
    contexts: Value = frozenset(of_kind(made, Kind.CONTEXT))
    contexts = contexts or new_context(call.walk, call.node, call.confidence)
    found = numbers(things(contexts))
    for number in found:
        analysis.contexts[number].checkpointed |= "OrCreate" in call.method
    if call.method == "getOrCreate":
        begin(call.walk, found)
    analysis.contexts_at[call.node] = found
    return contexts


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
