"""A pipeline as data: it runs on any DStream API, prints as code, and can be made smaller.

A pipeline may also be a plain function ``(ssc, inputs) -> outputs``. A random one has to be data,
so that it can be shown and shrunk when it fails.
"""

from __future__ import annotations

import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from dstream_compat.stages.state_spec import StateSpec
from dstream_parity.base import functions


@dataclass(frozen=True)
class Input:
    index: int


@dataclass(frozen=True)
class PipelineContext:
    """The StreamingContext, for methods that are called on it."""


@dataclass(frozen=True)
class Spec:
    """A StateSpec: the calls that make it."""

    function: Callable[..., Any]
    calls: tuple[tuple[str, Any], ...] = ()

    def make(self) -> StateSpec:
        spec = StateSpec.function(self.function)
        for method, argument in self.calls:
            getattr(spec, method)(argument)
        return spec

    def __str__(self) -> str:
        calls = "".join(f".{method}({argument!r})" for method, argument in self.calls)
        return f"StateSpec.function({self.function.__name__}){calls}"


@dataclass(frozen=True)
class Made:
    """A function that remembers: ``maker`` makes a fresh one whenever the pipeline is built."""

    maker: Callable[[], Callable[..., Any]]

    def make(self) -> Callable[..., Any]:
        return self.maker()

    def __str__(self) -> str:
        return f"{self.maker.__name__}()"


@dataclass(frozen=True)
class MethodCall:
    on: Node | PipelineContext
    method: str
    arguments: tuple[Any, ...] = ()

    @property
    def streams(self) -> list[Node]:
        """The streams it is called on and those among its arguments."""
        given = [self.on]
        for argument in self.arguments:
            given += argument if isinstance(argument, tuple) else (argument,)
        return [node for node in given if isinstance(node, (Input, MethodCall))]


Node: TypeAlias = Input | MethodCall


def below(node: Any) -> Iterator[MethodCall]:
    """The calls that lead to ``node``, itself first; one that is used twice comes twice."""
    if isinstance(node, tuple):
        for one in node:
            yield from below(one)
    elif isinstance(node, MethodCall):
        yield node
        yield from below(node.on)
        yield from below(node.arguments)


@dataclass(frozen=True, repr=False)
class Pipeline:
    """Outputs over inputs; ``exact[i]``: order and partitions of output i are defined."""

    outputs: tuple[Node, ...]
    exact: tuple[bool, ...]

    def __call__(self, ssc: Any, inputs: Sequence[Any]) -> list[Any]:
        """The outputs as DStreams; a node that is used twice is built once."""
        built: dict[Any, Any] = {}

        def make(node: Any) -> Any:
            if isinstance(node, Input):
                return inputs[node.index]
            if isinstance(node, PipelineContext):
                return ssc
            if isinstance(node, (Spec, Made)):
                return node.make()
            if isinstance(node, tuple) and any(isinstance(n, (Input, MethodCall)) for n in node):
                return list(map(make, node))
            if not isinstance(node, MethodCall):
                return node
            if node not in built:
                built[node] = getattr(make(node.on), node.method)(*map(make, node.arguments))
            return built[node]

        return [make(output) for output in self.outputs]

    def only(self, number: int) -> Pipeline:
        """This pipeline with one of its outputs."""
        return Pipeline((self.outputs[number],), (self.exact[number],))

    @property
    def operators(self) -> Counter[str]:
        """How often each operator is called."""
        calls = {call for output in self.outputs for call in below(output)}
        return Counter(call.method for call in calls)

    @property
    def live(self) -> bool:
        """Whether it uses what the driver changes between batches."""
        live = (functions.levelled, functions.above_level)
        calls = (call for output in self.outputs for call in below(output))
        return any(argument in live for call in calls for argument in call.arguments)

    def smaller(self) -> Iterator[Pipeline]:
        """Pipelines with one call less; some get elements that their functions cannot handle."""
        if len(self.outputs) > 1:
            yield from (self.only(number) for number in range(len(self.outputs)))
            return
        for output in _without_one(self.outputs[0]):
            yield Pipeline((output,), (False,))

    def __repr__(self) -> str:
        """The function that builds it, as code."""
        uses = Counter(
            used
            for call in {call for output in self.outputs for call in below(output)}
            for used in call.streams
        )
        uses.update(output for output in self.outputs)
        names: dict[Any, str] = {}
        lines: list[str] = []

        def written(node: Any) -> str:
            if node in names:
                return names[node]
            if isinstance(node, Input):
                return f"inputs[{node.index}]"
            if isinstance(node, PipelineContext):
                return "ssc"
            if isinstance(node, tuple) and any(isinstance(n, (Input, MethodCall)) for n in node):
                return f"[{', '.join(map(written, node))}]"
            if not isinstance(node, MethodCall):
                return str(getattr(node, "__name__", None) or _literal(node))
            text = f"{written(node.on)}.{node.method}({', '.join(map(written, node.arguments))})"
            if uses[node] > 1:
                names[node] = f"s{len(names) + 1}"
                lines.append(f"{names[node]} = {text}")
                return names[node]
            return text

        results = [written(output) for output in self.outputs]
        lines.append(f"return [{', '.join(results)}]")
        return "\n    ".join(["def pipeline(ssc, inputs):", *lines])


def code_of(pipeline: Callable[..., Any]) -> str:
    """The source code of a pipeline, or its repr if there is none."""
    if isinstance(pipeline, Pipeline):
        return repr(pipeline)
    try:
        return textwrap.dedent(inspect.getsource(pipeline)).rstrip()
    except (OSError, TypeError):
        return repr(pipeline)


def _literal(value: Any) -> str:
    return str(value) if isinstance(value, (Spec, Made)) else repr(value)


def _without_one(node: Any) -> Iterator[Any]:
    """``node`` without one of the calls that lead to it."""
    if not isinstance(node, MethodCall):
        return
    if isinstance(node.on, (Input, MethodCall)):
        yield node.on
        for smaller in _without_one(node.on):
            yield MethodCall(smaller, node.method, node.arguments)
    for place, argument in enumerate(node.arguments):
        before, after = node.arguments[:place], node.arguments[place + 1 :]
        if isinstance(argument, (Input, MethodCall)):
            yield argument
            for smaller in _without_one(argument):
                yield MethodCall(node.on, node.method, (*before, smaller, *after))
        elif isinstance(argument, tuple):
            yield from (one for one in argument if isinstance(one, (Input, MethodCall)))
