"""What is walked in one go: a module's body, a function, a lambda; and the classes around them."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass, field
from typing import TypeAlias

from migrator.model.inference.values import UNKNOWN, Atom, Inst, Value
from migrator.model.jobmodel import Attribute, Call, Escape, Test, Unimported
from migrator.text.source import PythonSource

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Unit:
    """A body of code with its own names. What is known about it only grows from walk to walk."""

    module: ModuleUnit

    def __init__(self, parent: Unit | None) -> None:
        self.parent = parent
        self.joined: dict[str, Value] = {}
        """Every name's values, all assignments together: what inner functions may see."""
        self.readers: dict[str, set[Unit]] = {}
        """Other units that looked a name up here, found or not."""
        self.imports: dict[str, list[ImportRecord]] = {}
        self.starts: Value = UNKNOWN
        """Contexts that are started when it returns, by it or by what it calls."""
        self.writes: set[str] = set()
        """Globals and attributes (``.name``) it may bind, itself or through what it calls."""
        self.walked = False
        self.active = False
        self.walks = 0


class FunctionUnit(Unit):
    def __init__(self, parent: Unit, node: FunctionNode, owner: Class | None) -> None:
        super().__init__(parent)
        self.module = parent.module
        self.node = node
        self.owner = owner
        """The class it is a method of."""
        self.kind = ""
        """``staticmethod``, ``classmethod``, ``property`` or nothing."""
        arguments = node.args
        self.positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        self.given: dict[str, Value] = {}
        """What its callers pass for each parameter, all calls together."""
        self.result: Value = UNKNOWN
        self.yields: Value = UNKNOWN
        self.callers: set[Unit] = set()
        """Units that used its result."""
        self.generator = False

    @property
    def name(self) -> str:
        return getattr(self.node, "name", "lambda")


class ModuleUnit(Unit):
    """A module's body, and what was found in the module."""

    def __init__(self, source: PythonSource, name: str) -> None:
        super().__init__(None)
        self.module = self
        self.source = source
        self.path = source.path
        self.name = name
        self.all_imports: list[ImportRecord] = []
        self.calls: dict[ast.Call, Call] = {}
        self.attributes: dict[ast.Attribute, Attribute] = {}
        self.tests: dict[ast.expr, Test] = {}
        self.escapes: dict[ast.AST, Escape] = {}
        self.unimported: dict[ast.Name, Unimported] = {}
        self.qualified: dict[ast.AST, str] = {}
        self.local_imports: set[str] = set()
        self.units: dict[ast.AST, FunctionUnit] = {}
        self.classes: dict[ast.ClassDef, Class] = {}
        self.unit_of: dict[ast.AST, Unit] = {}
        """The unit in which a call or attribute that is recorded stands."""


@dataclass(eq=False)
class Class:
    """A class of the run."""

    name: str
    node: ast.ClassDef
    module: ModuleUnit
    attributes: dict[str, Value] = field(default_factory=dict)
    """Of the class and of its instances alike."""
    readers: dict[str, set[Unit]] = field(default_factory=dict)
    bases: list[Class] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    """Absolute names of bases that are not in the run."""
    children: list[Class] = field(default_factory=list)
    constructed: Value = UNKNOWN
    """What an instance is besides: a context, where the class inherits StreamingContext."""
    instance: Inst = field(init=False)

    def __post_init__(self) -> None:
        self.instance = Inst(self)

    def lineage(self) -> list[Class]:
        """The class and its bases in the run, nearest first."""
        return _closure(self, "bases")

    def descendants(self) -> list[Class]:
        """The class and all that inherit from it."""
        return _closure(self, "children")


def _closure(start: Class, towards: str) -> list[Class]:
    found = [start]
    for info in found:
        found += [more for more in getattr(info, towards) if more not in found]
    return found


@dataclass(eq=False)
class ImportRecord:
    """An import as it is being followed; see :class:`migrator.model.jobmodel.Import`."""

    node: ast.Import | ast.ImportFrom
    alias: ast.alias
    module: str
    name: str | None
    bound: str
    uses: dict[ast.AST, None] = field(default_factory=dict)
    string_uses: dict[ast.Constant, None] = field(default_factory=dict)
    exported: bool = False


class Later(enum.Enum):
    """Who calls a function that is passed to something outside the run."""

    HERE = "a thread, a timer, a signal"
    ELSEWHERE = "another process"


@dataclass(frozen=True)
class Edge:
    """A place where a function is called, or passed to something that calls it."""

    caller: Unit
    callee: FunctionUnit
    started: frozenset[Atom]
    """Contexts that are started by then, as far as the caller knows."""
    batch: str | None = None
    """The operation that calls it in every batch."""
    later: Later | None = None
    """Set if it is called at an unknown time."""
