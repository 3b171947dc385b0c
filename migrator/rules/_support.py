"""What several rules need: literals, functions that are handed over, one note per job."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from migrator.core import Confidence, Finding, Rule
from migrator.model.jobmodel import Call, Function, Kind, Module, Project, Role, Stream
from migrator.text.source import Span

HEAD = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
lines = ssc.socketTextStream("localhost", 9999)
pairs = lines.map(lambda line: (line, 1))
"""
"""Four lines that most examples start with; theirs begin on line 5."""

STATEFUL = frozenset(
    {
        "updateStateByKey",
        "reduceByWindow",
        "reduceByKeyAndWindow",
        "countByWindow",
        "countByValueAndWindow",
        "groupByKeyAndWindow",
        "mapWithState",
    }
)
OUTPUTS = frozenset({"foreachRDD", "pprint", "saveAsTextFiles", "saveAsPickleFiles"})
TRANSFORMS = frozenset({"transform", "transformWith"})

FunctionNode: TypeAlias = "ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef"
_SCOPES = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


# -- literals ------------------------------------------------------------------------------------


def number(node: ast.AST | None) -> float | None:
    """The value of a literal number, also with a sign; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = number(node.operand)
        return None if value is None else -value
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return None
    return float(node.value) if isinstance(node.value, (int, float)) else None


def text(node: ast.AST | None) -> str | None:
    """The value of a literal string, or the beginning of an f-string or of a sum of strings."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr) and node.values:
        return text(node.values[0])
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        return text(node.left)
    return None


def scheme(node: ast.AST | None) -> str | None:
    """The scheme of a literal URI, in lower case; "" for a plain path, None if not known."""
    path = text(node)
    if path is None:
        return None
    head, colon, _ = path.partition(":")
    plain = not colon or not head.isalnum() or len(head) == 1  # C:\ is a drive
    return "" if plain else head.lower()


def is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def given(call: Call, parameter: str) -> ast.expr | None:
    """The argument for a parameter; None where it is left out, is None itself, or is not known."""
    argument = (call.arguments or {}).get(parameter)
    return None if is_none(argument) else argument


def is_true(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


# -- functions -----------------------------------------------------------------------------------


def positional(function: FunctionNode) -> list[str]:
    """The names that ``co_argcount`` counts."""
    arguments = function.args
    return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a function's (or any node's) own body, without those of functions in it."""
    if isinstance(node, ast.Lambda):
        waiting: list[ast.AST] = [node.body]
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        waiting = list(node.body)
    else:
        waiting = [node]
    while waiting:
        at = waiting.pop()
        yield at
        if not isinstance(at, _SCOPES):
            waiting.extend(ast.iter_child_nodes(at))


def results(function: FunctionNode) -> list[ast.expr | None]:
    """What a function may return: an expression per ``return``, None for a bare one."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    return [node.value for node in inside(function) if isinstance(node, ast.Return)]


def falls_through(body: list[ast.stmt]) -> bool:
    """Whether the end of a body can be reached, so that None is returned; doubtful: False."""
    last = body[-1]
    if isinstance(last, (ast.Return, ast.Raise, ast.While, ast.Match, ast.Try)):
        return False
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return falls_through(last.body)
    if isinstance(last, ast.If):
        return not last.orelse or falls_through(last.body) or falls_through(last.orelse)
    return True


def is_generator(function: FunctionNode) -> bool:
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in inside(function))


def function_of(call: Call, *parameters: str) -> Function | None:
    """The function given for the first of these parameters that has one that was found."""
    return next((call.functions[name] for name in parameters if name in call.functions), None)


def names_read(node: ast.AST) -> set[str]:
    return {
        at.id for at in ast.walk(node) if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load)
    }


# -- the graph -----------------------------------------------------------------------------------


def ancestors(project: Project, stream: Stream) -> Iterator[Stream]:
    """All streams in front of one, each once."""
    waiting, seen = list(stream.parents), set(stream.parents)
    while waiting:
        at = project.streams[waiting.pop()]
        yield at
        fresh = [number for number in at.parents if number not in seen]
        seen.update(fresh)
        waiting.extend(fresh)


def is_asked_for(project: Project, module: Module, call: Call) -> bool:
    """Whether an output may depend on the stream a call makes; what nobody asks for never runs."""
    stream = made_by(project, call)
    if stream is None:
        return True
    for paths in jobs_of(module, project):
        if any(project.modules[path].escapes for path in paths if path in project.modules):
            return True
    return any(
        output.role is Role.OUTPUT
        and any(at.number == stream.number for at in ancestors(project, output))
        for output in project.streams
    )


def made_by(project: Project, call: Call) -> Stream | None:
    return None if call.stream is None else project.streams[call.stream]


def is_checkpointed(project: Project, module: Module) -> bool:
    """Whether any context of the module's jobs has a checkpoint directory, as far as we see."""
    paths = {path for job in jobs_of(module, project) for path in job}
    return any(c.checkpointed for c in project.contexts if c.path in paths) or any(
        True
        for path in paths
        if path in project.modules
        for _ in project.modules[path].calls_of(
            Kind.CONTEXT, "checkpoint", "getOrCreate", "getActiveOrCreate"
        )
    )


def method_of(module: Module, call: Call) -> Span:
    """The method's name in a call: in a chain of calls over many lines, the one that is meant."""
    function = call.node.func
    span = module.source.span(function)
    if isinstance(function, ast.Attribute):
        return Span(span.end - len(function.attr), span.end)
    return span


def outputs(module: Module, project: Project) -> Iterator[Call]:
    """Output operations on what is known to be a stream."""
    for call in module.calls_of(Kind.STREAM):
        stream = made_by(project, call)
        if call.confidence is Confidence.GUESS:
            continue
        if call.method in OUTPUTS or (stream is not None and stream.role is Role.OUTPUT):
            yield call


# -- one note per job ----------------------------------------------------------------------------

_jobs: tuple[Project, dict[str, list[tuple[str, ...]]]] | None = None


def jobs_of(module: Module, project: Project) -> list[tuple[str, ...]]:
    """The paths of each job that a module belongs to; itself alone if it belongs to none."""
    global _jobs
    if _jobs is None or _jobs[0] is not project:
        index: dict[str, list[tuple[str, ...]]] = {}
        for job in project.jobs:
            paths = (job.path, *(path for path in job.modules if path != job.path))
            for path in paths:
                index.setdefault(path, []).append(paths)
        _jobs = project, index
    return _jobs[1].get(module.path) or [(module.path,)]


def once(
    module: Module, project: Project, places: Callable[[Module], Iterable[Call]]
) -> Iterator[Call]:
    """The first of all places in a job, if it is in this module: for notes given once.

    Calls on what only looks like a stream are passed over: a note is not worth a guess.
    """
    for paths in jobs_of(module, project):
        for path in paths:
            at = project.modules.get(path)
            first = None if at is None else next(filter(_is_certain, places(at)), None)
            if first is None:
                continue
            if path == module.path:
                yield first
                return
            break


def _is_certain(call: Call) -> bool:
    return call.confidence is not Confidence.GUESS


def note(
    rule: Rule,
    module: Module,
    project: Project,
    places: Callable[[Module], Iterable[Call]],
    message: str,
    help: str,
) -> Iterator[Finding]:
    """A finding at the first of these calls in a job; ``{method}`` in the message is its name."""
    for call in once(module, project, places):
        yield rule.finding(
            module.source,
            method_of(module, call),
            message.format(method=call.method),
            help,
            confidence=call.confidence,
        )


_DOUBT = list(Confidence)


def at_most(confidence: Confidence, limit: Confidence) -> Confidence:
    """The more doubtful of the two."""
    return max(confidence, limit, key=_DOUBT.index)
