"""The model of the jobs in a run: who is a DStream, and what is done with it. Rules ask it.

Built by :mod:`migrator.model.inference` from the modules of one run; plain data, each piece with
its place in the source.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from migrator.core import Confidence
from migrator.model import api
from migrator.text.source import PythonSource, Span

_T = TypeVar("_T")


class Kind(enum.Enum):
    """What the migrator can know an expression to be. The value is the name users know."""

    CONTEXT = "StreamingContext"
    STREAM = "DStream"
    STATE_SPEC = "StateSpec"
    UTILS = "Utils"
    """A class or module with functions that make streams: KafkaUtils, KinesisUtils, MQTTUtils …"""
    SPARK_CONTEXT = "SparkContext"
    SPARK_CONF = "SparkConf"
    SESSION = "SparkSession"
    """Also SQLContext and HiveContext."""
    RDD = "RDD"
    """Where an operation passes one to a function of the user, or it is made from such an RDD."""
    TIME = "batch time"
    MODEL = "streaming model"
    """MLlib's StreamingKMeans and its like."""

    __hash__ = object.__hash__  # an enum's own is slow, and kinds are asked for all the time

    def __str__(self) -> str:
        return self.value


_STREAMING = {Kind.CONTEXT, Kind.STREAM, Kind.STATE_SPEC, Kind.UTILS, Kind.MODEL}


@dataclass(frozen=True)
class Import:
    """One name bound by an import of ``pyspark.streaming`` or below, or of a ``*Utils`` class."""

    node: ast.Import | ast.ImportFrom
    alias: ast.alias
    module: str
    """Absolute: ``pyspark.streaming.kafka``; what follows ``from``, or the module itself."""
    name: str | None
    """What is taken from it: ``KafkaUtils``, ``*``; None for ``import pyspark.streaming…``."""
    bound: str
    """The local name: ``ssc_module`` for ``as``, ``pyspark`` for a plain dotted import."""
    uses: tuple[ast.Name | ast.Attribute, ...]
    """Where the name is read: the largest dotted name that starts with it, ``pyspark.streaming.X``.
    Names in ``__all__`` and in string annotations count and appear as :attr:`string_uses`."""
    string_uses: tuple[ast.Constant, ...] = ()
    exported: bool = False
    """In ``__all__``, or in a module that other modules of the run import it from."""


@dataclass(frozen=True)
class Unimported:
    """A name of the legacy API that is used but not bound anywhere in its module."""

    node: ast.Name
    name: str
    home: str
    """The legacy module it should be imported from."""


@dataclass(frozen=True)
class Function:
    """A function that is passed to an operation, where it could be found."""

    node: ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef
    module: str
    """Path of the module it is defined in."""
    bound_method: bool = False
    """Referred to through an instance: ``self`` counts in co_argcount and is given already."""
    partial: bool = False
    """Wrapped in functools.partial, or an object with ``__call__``: no ``__code__``."""

    @property
    def confidence(self) -> Confidence:
        return Confidence.LIKELY if self.bound_method else Confidence.SURE


@dataclass(frozen=True)
class Call:
    """A call on something the model knows: ``ssc.socketTextStream(…)``, ``lines.map(…)``."""

    node: ast.Call
    on: Kind
    owner: str
    """The name of the class or module: ``DStream``, ``KafkaUtils``; for Kind.CONTEXT constructors,
    ``StreamingContext`` with the method ``__init__``."""
    method: str
    receiver: ast.expr | None
    """None for constructors and functions of a module."""
    confidence: Confidence
    arguments: Mapping[str, ast.expr] | None
    """By parameter name, bound by the real signature; None where that fails or is unknown
    (``*args``): see :attr:`mismatch`."""
    mismatch: str | None = None
    """Why the arguments do not fit the signature, without their values."""
    functions: Mapping[str, Function] = field(default_factory=dict)
    """Arguments that are functions, by parameter name, where found."""
    stream: int | None = None
    """The number of the stream it makes, in :attr:`Project.streams`; outputs have one too."""
    in_batch: str | None = None
    """The operation whose function contains this, directly or through calls: ``foreachRDD``."""
    after_start: bool = False
    """Comes after ``start()`` of its context in the same body, or in a function only called so."""
    elsewhere: bool = False
    """In a function that another process runs (``multiprocessing.Process``)."""
    known: bool = True
    """False if nothing on ``on`` has this name (a call no DStream has)."""

    def argument(self, parameter: str) -> ast.expr | None:
        """The argument for a parameter; None where it is left out or not known."""
        return (self.arguments or {}).get(parameter)

    def given(self, parameter: str) -> ast.expr | None:
        """The argument for a parameter; None also where the argument is ``None``."""
        argument = self.argument(parameter)
        is_none = isinstance(argument, ast.Constant) and argument.value is None
        return None if is_none else argument

    def function(self, *parameters: str) -> Function | None:
        """The function given for the first of these parameters that has one that was found."""
        found = (self.functions[name] for name in parameters if name in self.functions)
        return next(found, None)

    def span(self, source: PythonSource) -> Span:
        """The method's name: it tells apart the calls in a chain over many lines."""
        span = source.span(self.node.func)
        if isinstance(self.node.func, ast.Attribute):
            return Span(span.end - len(self.node.func.attr), span.end)
        return span


@dataclass(frozen=True)
class Attribute:
    """An attribute read or set on something the model knows, not called: ``ssc._jssc``."""

    node: ast.Attribute
    on: Kind
    name: str
    confidence: Confidence
    in_batch: str | None = None
    stored: bool = False
    """Assigned to: a monkey patch or a setting."""

    def span(self, source: PythonSource) -> Span:
        return source.span(self.node)


@dataclass(frozen=True)
class Test:
    """A DStream that is tested for truth: ``if stream:``, ``stream or other``, ``not stream``."""

    node: ast.expr
    confidence: Confidence

    def span(self, source: PythonSource) -> Span:
        return source.span(self.node)


class Escaping(enum.Enum):
    """How a stream or context leaves what can be followed."""

    DYNAMIC_NAME = "a name chosen at run time"
    """getattr, importlib, globals()[…], exec."""
    UNKNOWN_CALL = "a function that is not in the files given"
    CONTAINER = "a container"
    UNKNOWN_ORIGIN = "a value whose origin is not in the files given"
    """Something is used as a DStream (methods only a DStream has), and nothing says it is one."""


@dataclass(frozen=True)
class Escape:
    """Where a stream or context can no longer be followed."""

    node: ast.AST
    how: Escaping
    kind: Kind
    name: str
    """What it is passed to or called on, as a dotted name; no values."""
    method: str | None = None
    """For UNKNOWN_ORIGIN: the method that looks like a DStream's."""

    @property
    def called(self) -> ast.AST:
        """The function, where it is a call."""
        return self.node.func if isinstance(self.node, ast.Call) else self.node

    @property
    def confidence(self) -> Confidence:
        guessed = self.how is Escaping.UNKNOWN_ORIGIN
        return Confidence.GUESS if guessed else Confidence.LIKELY

    def span(self, source: PythonSource) -> Span:
        return source.span(self.node)


class Role(enum.Enum):
    SOURCE = "source"
    OPERATOR = "operator"
    OUTPUT = "output"


@dataclass(frozen=True)
class Stream:
    """A node of a job's graph: a source, an operator, or an output operation."""

    number: int
    role: Role
    operation: str
    """``socketTextStream``, ``KafkaUtils.createStream``, ``map``, ``foreachRDD``."""
    parents: tuple[int, ...]
    path: str
    line: int
    column: int
    confidence: Confidence
    name: str | None = None
    """The variable it was first bound to."""
    context: int | None = None
    """Number of the context in :attr:`Project.contexts`."""


@dataclass(frozen=True)
class Context:
    """A StreamingContext that some module makes or receives."""

    number: int
    path: str
    line: int
    column: int
    started: tuple[tuple[str, int], ...] = ()
    """Path and line of every ``start()``."""
    checkpointed: bool = False
    """``checkpoint(…)`` or ``getOrCreate`` is called for it."""
    batch_seconds: float | None = None
    """If it is a literal."""


@dataclass(frozen=True)
class Module:
    """One source of a run, analysed."""

    path: str
    name: str
    """Dotted, as other modules of the run import it; guessed from the path."""
    source: PythonSource
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    tests: tuple[Test, ...] = ()
    escapes: tuple[Escape, ...] = ()
    unimported: tuple[Unimported, ...] = ()
    qualified: Mapping[ast.AST, str] = field(default_factory=dict, repr=False)
    """Absolute dotted names of Name and Attribute nodes that lead to pyspark or the shim."""
    local_imports: frozenset[str] = frozenset()
    """Paths of modules of the run it imports."""
    _derived: dict[Callable[[Module], Any], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def derived(self, work_out: Callable[[Module], _T]) -> _T:
        """What several rules want to know about it, worked out when the first one asks."""
        if work_out not in self._derived:
            self._derived[work_out] = work_out(self)
        found: _T = self._derived[work_out]
        return found

    @cached_property
    def _calls_by_kind(self) -> Mapping[Kind, list[Call]]:
        found: dict[Kind, list[Call]] = {}
        for call in self.calls:
            found.setdefault(call.on, []).append(call)
        return found

    def calls_of(self, kind: Kind, *methods: str) -> Iterator[Call]:
        """Calls on a kind of thing, of these methods or of any."""
        calls = self._calls_by_kind.get(kind, ())
        return (call for call in calls if call.method in methods) if methods else iter(calls)

    def has_calls(self, kind: Kind, *methods: str) -> bool:
        return next(self.calls_of(kind, *methods), None) is not None

    @property
    def uses_streams(self) -> bool:
        """Whether the migrator has anything to do with it."""
        kinds = {call.on for call in self.calls} | {found.on for found in self.attributes}
        return bool(self.imports or self.escapes or self.unimported or kinds & _STREAMING)


@dataclass(frozen=True)
class Job:
    """Modules that belong together: one that starts a context, and those it imports."""

    path: str
    """The module that starts the context, or makes it if none starts it, or the only one."""
    modules: tuple[str, ...]
    """Paths, its own included."""
    library: bool = False
    """Nothing in it makes or starts a context: it serves jobs that are not in the run."""


@dataclass(frozen=True)
class Project:
    """All modules of one run, and the graph of streams over them."""

    modules: Mapping[str, Module]
    """By path."""
    contexts: tuple[Context, ...] = ()
    streams: tuple[Stream, ...] = ()
    jobs: tuple[Job, ...] = ()
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """Paths that could not be parsed, and why."""

    def stream_of(self, call: Call) -> Stream | None:
        """The stream that a call makes."""
        return None if call.stream is None else self.streams[call.stream]

    def ancestors(self, stream: Stream) -> Iterator[Stream]:
        """All streams upstream of one, each once."""
        waiting, seen = list(stream.parents), set(stream.parents)
        while waiting:
            at = self.streams[waiting.pop()]
            yield at
            fresh = [number for number in at.parents if number not in seen]
            seen.update(fresh)
            waiting.extend(fresh)

    @cached_property
    def _asked_for(self) -> frozenset[int]:
        """The numbers of the streams that an output depends on."""
        outputs = (stream for stream in self.streams if stream.role is Role.OUTPUT)
        return frozenset(at.number for output in outputs for at in self.ancestors(output))

    def is_asked_for(self, module: Module, call: Call) -> bool:
        """Whether an output may depend on the stream that a call makes; if none does, the stream
        is never computed."""
        if call.stream is None or call.stream in self._asked_for:
            return True
        return any(at.escapes for at in self.modules_with(module))

    def outputs(self, module: Module) -> Iterator[Call]:
        """Output operations in a module, on what is known to be a stream."""
        for call in module.calls_of(Kind.STREAM):
            stream = self.stream_of(call)
            if call.confidence is Confidence.GUESS:
                continue
            if call.method in api.OUTPUTS or (stream is not None and stream.role is Role.OUTPUT):
                yield call

    @cached_property
    def _jobs_by_path(self) -> Mapping[str, list[tuple[str, ...]]]:
        found: dict[str, list[tuple[str, ...]]] = {}
        for job in self.jobs:
            paths = (job.path, *(path for path in job.modules if path != job.path))
            for path in paths:
                found.setdefault(path, []).append(paths)
        return found

    def jobs_of(self, module: Module) -> list[tuple[str, ...]]:
        """The paths of each job that a module belongs to; itself alone if it belongs to none."""
        return self._jobs_by_path.get(module.path) or [(module.path,)]

    def modules_at(self, paths: Iterable[str]) -> list[Module]:
        """Those of them that could be read."""
        return [self.modules[path] for path in paths if path in self.modules]

    def modules_with(self, module: Module) -> list[Module]:
        """All modules of the jobs that a module belongs to."""
        paths = dict.fromkeys(path for job in self.jobs_of(module) for path in job)
        return self.modules_at(paths)

    def is_checkpointed(self, module: Module) -> bool:
        """Whether any context of the module's jobs has a checkpoint directory, as far as we see."""
        paths = {path for job in self.jobs_of(module) for path in job}
        return any(c.checkpointed for c in self.contexts if c.path in paths) or any(
            at.has_calls(Kind.CONTEXT, "checkpoint", *api.RESTORING)
            for at in self.modules_at(paths)
        )

    def first(
        self, module: Module, calls: Callable[[Module, Project], Iterable[Call]]
    ) -> Iterator[Call]:
        """The first of these calls in a job, if it is in this module: for what is said once a job.

        Calls on what only looks like a stream are passed over: that is not worth a guess.
        """

        def first_in(at: Module) -> Call | None:
            certain = (c for c in calls(at, self) if c.confidence is not Confidence.GUESS)
            return next(certain, None)

        own = first_in(module)
        if own is None:
            return
        for paths in self.jobs_of(module):
            for at in self.modules_at(paths):
                if at is module:
                    yield own
                    return
                if first_in(at) is not None:
                    break
