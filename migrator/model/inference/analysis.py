"""What all walks of a run share: atoms made once, streams and contexts, and who is walked next."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from migrator.core import Confidence
from migrator.model.inference.units import Class, Edge, FunctionNode, FunctionUnit, ModuleUnit, Unit
from migrator.model.inference.values import (
    RANK,
    UNKNOWN,
    Atom,
    Box,
    Cls,
    Func,
    Mod,
    Named,
    Opaque,
    Partial,
    Thing,
    Value,
    widened,
)
from migrator.model.jobmodel import Kind, Role
from migrator.model.names import Modules

_MOST_WALKS = 16
"""Of one unit; values only grow, so only very entangled code reaches this."""
_ROUNDS = 4
"""How often units are walked again because they read a container before it was full."""
_DEPTH = 12
"""How many calls deep functions are walked where they are called; deeper ones are queued."""


@dataclass(eq=False)
class StreamRecord:
    """A node of the graph as it is being found."""

    number: int
    role: Role
    operation: str
    node: ast.AST
    module: ModuleUnit
    parents: set[int] = field(default_factory=set)
    contexts: set[int] = field(default_factory=set)
    confidence: Confidence = Confidence.SURE
    name: str | None = None
    handed: bool = False
    """Not made in the run: a parameter, or a value of unknown origin."""


@dataclass(eq=False)
class ContextRecord:
    number: int
    node: ast.AST
    module: ModuleUnit
    started: dict[tuple[str, int], None] = field(default_factory=dict)
    checkpointed: bool = False
    batch_seconds: float | None = None
    handed: bool = False


Walker: TypeAlias = "Callable[[Analysis, Unit, int], None]"
"""Walks one unit, so many calls deep."""


class Analysis:
    """One run."""

    def __init__(self, names: Modules, modules: Mapping[str, ModuleUnit], walker: Walker) -> None:
        self.names = names
        self.modules = modules
        self._walker = walker
        self.streams: list[StreamRecord] = []
        self.contexts: list[ContextRecord] = []
        self.patched: dict[str, Value] = {}
        """Names set on DStream from outside: ``DStream.saveToCassandra = …``."""
        self.submodules: dict[str, Value] = {}
        """Modules of the run by the dotted names that they are imported by."""
        self.edges: dict[tuple[ast.AST, FunctionUnit], Edge] = {}
        self.started_at: dict[ast.AST, Value] = {}
        """Contexts that are started when a call is made, as far as its own unit knows."""
        self.contexts_at: dict[ast.AST, set[int]] = {}
        """The contexts that a call belongs to, through its receiver."""
        self.elsewhere: set[ast.AST] = set()
        """Calls that another process makes, where they are not in a function of the run."""
        self.too_deep: set[str] = set()
        self.vendored: set[str] = set()
        """Names of classes outside Spark that make streams."""
        self._streams_by_node: dict[ast.AST, StreamRecord] = {}
        self._contexts_by_node: dict[ast.AST, ContextRecord] = {}
        self._things: dict[tuple[Kind, int | None, Confidence, str], Thing] = {}
        self._named: dict[tuple[str, Confidence], Named] = {}
        self._bound: dict[tuple[FunctionUnit, Atom | None], Func] = {}
        self._boxes: dict[ast.AST | tuple[object, str], Box] = {}
        self._partials: dict[ast.AST, Partial] = {}
        self._classes: dict[Class, Cls] = {}
        self._modules: dict[ModuleUnit, Mod] = {}
        self._opaque: dict[tuple[Unit, str], Opaque] = {}
        self._weaker: dict[Value, Value] = {}
        self._walking: list[Unit] = []
        self._queue: deque[Unit] = deque()
        self._queued: set[Unit] = set()

    # Walking -----------------------------------------------------------------------------------

    def again(self, units: Iterable[Unit]) -> None:
        """Something they rely on has changed."""
        for unit in units:
            if unit.walked and unit not in self._queued:
                self._queued.add(unit)
                self._queue.append(unit)

    def walk(self, unit: Unit, depth: int = 0) -> None:
        """Walk a unit now, unless it is being walked or has been often enough."""
        if unit.active:
            self.again([unit])
            return
        if depth > _DEPTH:
            unit.walked = True
            self.again([unit])
            return
        self._queued.discard(unit)
        if unit.walks >= _MOST_WALKS or unit.module.path in self.too_deep:
            return
        unit.walks += 1
        unit.walked = unit.active = True
        self._walking.append(unit)
        try:
            self._walker(self, unit, depth)
        except RecursionError:
            if depth == 0:
                self.too_deep.add(unit.module.path)
            else:  # perhaps not its fault: it gets the whole stack later
                self.again([unit])
        finally:
            unit.active = False
            self._walking.pop()

    def settle(self) -> None:
        """Walk until nothing changes."""
        for _ in range(_ROUNDS):
            while self._queue:
                unit = self._queue.popleft()
                if unit in self._queued:
                    self.walk(unit)
            for box in self._boxes.values():
                self.again(box.too_early())
            if not self._queue:
                return

    def is_stale(self, unit: Unit) -> bool:
        return not unit.walked or unit in self._queued

    # Atoms -------------------------------------------------------------------------------------

    def thing(
        self,
        kind: Kind,
        number: int | None = None,
        confidence: Confidence = Confidence.SURE,
        owner: str = "",
    ) -> Thing:
        key = kind, number, confidence, owner
        if key not in self._things:
            self._things[key] = Thing(kind, number, confidence, owner)
        return self._things[key]

    def named(self, dotted: str, confidence: Confidence = Confidence.SURE) -> Named:
        key = dotted, confidence
        if key not in self._named:
            self._named[key] = Named(dotted, confidence)
        return self._named[key]

    def bound(self, unit: FunctionUnit, to: Atom | None) -> Func:
        key = unit, to
        if key not in self._bound:
            self._bound[key] = Func(unit, to)
        return self._bound[key]

    def class_(self, info: Class) -> Cls:
        return self._classes.setdefault(info, Cls(info))

    def module_atom(self, module: ModuleUnit) -> Mod:
        return self._modules.setdefault(module, Mod(module))

    def box(self, node: ast.AST, what: str = "") -> Box:
        key = (node, what) if what else node
        if key not in self._boxes:
            self._boxes[key] = Box(self._walking)
        return self._boxes[key]

    def partial(self, node: ast.AST) -> Partial:
        return self._partials.setdefault(node, Partial())

    def opaque(self, unit: Unit, name: str, node: ast.AST) -> Opaque:
        key = unit, name
        if key not in self._opaque:
            self._opaque[key] = Opaque(name, node, unit)
        return self._opaque[key]

    def weaker(self, value: Value, confidence: Confidence = Confidence.LIKELY) -> Value:
        """The same value, less certain: it came through a parameter or an attribute."""
        if not value:
            return value
        if confidence is Confidence.LIKELY and value in self._weaker:
            return self._weaker[value]
        rank = RANK[confidence]
        weak = frozenset(
            self.thing(atom.kind, atom.number, confidence, atom.owner)
            if type(atom) is Thing and RANK[atom.confidence] > rank
            else atom
            for atom in value
        )
        if confidence is Confidence.LIKELY:
            self._weaker[value] = weak
        return weak

    # Streams and contexts ----------------------------------------------------------------------

    def stream(self, node: ast.AST, module: ModuleUnit, role: Role, operation: str) -> StreamRecord:
        """The stream that is made at a node: always the same one."""
        record = self._streams_by_node.get(node)
        if record is None:
            record = StreamRecord(len(self.streams), role, operation, node, module)
            self.streams.append(record)
            self._streams_by_node[node] = record
        return record

    def context(self, node: ast.AST, module: ModuleUnit) -> ContextRecord:
        record = self._contexts_by_node.get(node)
        if record is None:
            record = ContextRecord(len(self.contexts), node, module)
            self.contexts.append(record)
            self._contexts_by_node[node] = record
        return record

    def handed(
        self, kind: Kind, node: ast.AST, name: str, module: ModuleUnit, confidence: Confidence
    ) -> Thing:
        """A stream or context that is not made in the run; any other kind of thing as it is."""
        if kind is Kind.STREAM:
            stream = self.stream(node, module, Role.SOURCE, "?")
            stream.handed, stream.name, stream.confidence = True, name, confidence
            return self.thing(kind, stream.number, confidence)
        if kind is Kind.CONTEXT:
            context = self.context(node, module)
            context.handed = True
            return self.thing(kind, context.number, confidence)
        return self.thing(kind, None, confidence)

    # Units -------------------------------------------------------------------------------------

    def function(self, node: FunctionNode, parent: Unit, owner: Class | None) -> FunctionUnit:
        units = parent.module.units
        if node not in units:
            units[node] = FunctionUnit(parent, node, owner)
        return units[node]

    def bind(self, unit: Unit, name: str, value: Value) -> None:
        """Add to what a name of a unit may be."""
        old = unit.joined.get(name)
        new = value if old is None else widened(old | value)
        if new != old:
            unit.joined[name] = new
            self.again(unit.readers.get(name, ()))

    def bind_attribute(self, info: Class, name: str, value: Value) -> None:
        old = info.attributes.get(name, UNKNOWN)
        new = widened(old | value)
        if new != old or name not in info.attributes:
            info.attributes[name] = new
            for relative in {*info.lineage(), *info.descendants()}:
                self.again(relative.readers.get(name, ()))
