"""Walking one unit in the order of its statements, with what every name is at each point."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from migrator.core import Confidence
from migrator.model import api
from migrator.model.inference.analysis import Analysis
from migrator.model.inference.units import Class, ImportRecord, ModuleUnit, Unit
from migrator.model.inference.values import (
    UNKNOWN,
    Named,
    Opaque,
    Thing,
    Value,
    confidence,
    of_kind,
)
from migrator.model.jobmodel import Escape, Escaping, Kind, Test, Unimported

_BUILTINS = frozenset(dir(builtins))
_SHELL = {
    "sc": Kind.SPARK_CONTEXT,
    "spark": Kind.SESSION,
    "sqlContext": Kind.SESSION,
    "sqlCtx": Kind.SESSION,
}
"""Names that pyspark's shell and notebooks bind."""

Environment: TypeAlias = dict[str, Value]
State: TypeAlias = tuple[Environment, Value]

EVALUATORS: dict[type[ast.AST], Callable[[Walk, Any], Value]] = {}
"""What an expression of a kind may be. Others are only searched for expressions inside them."""
EXECUTORS: dict[type[ast.AST], Callable[[Walk, Any], bool]] = {}
"""What a statement of a kind does; true if nothing after it in its block is reached."""


class Walk:
    """One walk through one unit."""

    def __init__(self, analysis: Analysis, unit: Unit, depth: int) -> None:
        self.analysis = analysis
        self.unit = unit
        self.module: ModuleUnit = unit.module
        self.depth = depth
        self.env: Environment = {}
        """What every name, and every attribute by its dotted name, is at this point."""
        self.started: Value = UNKNOWN
        """Contexts that are started at this point."""
        self.elsewhere: dict[str, Unit] = {}
        """Names declared ``global`` or ``nonlocal``, and the unit that owns them."""
        self.inside: Class | None = None
        """The class whose body is being walked."""
        self.dotted = False
        """Whether any dotted name is in :attr:`env`."""
        self.nesting = 0
        """How many callables are being unwrapped at this point."""
        self.string: ast.Constant | None = None
        """The string annotation that is being evaluated."""

    # Code --------------------------------------------------------------------------------------

    def run(self, statements: Iterable[ast.stmt]) -> bool:
        """Walk a whole block, even code never reached; true if what follows it is not reached."""
        ended = False
        for statement in statements:
            executor = EXECUTORS.get(type(statement))
            if executor is not None:
                ended |= executor(self, statement)
            else:
                self.look_into(statement)
        return ended

    def eval(self, node: ast.AST | None) -> Value:
        if node is None:
            return UNKNOWN
        evaluator = EVALUATORS.get(type(node))
        if evaluator is not None:
            return evaluator(self, node)
        return self.look_into(node)

    def look_into(self, node: ast.AST) -> Value:
        """Evaluate what is inside; nothing is known of the whole."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self.run([child])
            else:
                self.eval(child)
        return UNKNOWN

    def test(self, node: ast.expr) -> Value:
        """Evaluate an expression in a boolean context."""
        if isinstance(node, ast.BoolOp):
            return UNKNOWN.union(*(self.test(operand) for operand in node.values))
        value = self.eval(node)
        found = of_kind(value, Kind.STREAM) if value else []
        if found:
            self.module.tests[node] = Test(node, confidence(found))
        return value

    # Branches ----------------------------------------------------------------------------------

    def state(self) -> State:
        return dict(self.env), self.started

    def restore(self, state: State) -> None:
        self.env, self.started = dict(state[0]), state[1]

    def merge(self, one: State, other: State) -> State:
        """The state where two branches meet."""
        merged = dict(one[0])
        for name, value in other[0].items():
            mine = merged.get(name)
            if mine is None or mine == value:
                merged[name] = value
            else:
                both = mine | value
                merged[name] = self.analysis.weaker(both) if _doubtful(mine, value) else both
        return merged, one[1] | other[1]

    # Names -------------------------------------------------------------------------------------

    def bind(self, name: str, value: Value) -> None:
        """``name = value``, here and now."""
        self.env[name] = value
        if self.dotted:
            self.forget(name + ".")
        if self.inside is not None:
            self.analysis.bind_attribute(self.inside, name, value)
            return
        home = self.elsewhere.get(name, self.unit)
        self.analysis.bind(home, name, value)
        if home is not self.unit:
            self.unit.writes.add(name)

    def forget(self, prefix: str) -> None:
        for key in [key for key in self.env if key.startswith(prefix)]:
            del self.env[key]

    def lookup(self, node: ast.Name, top: ast.expr) -> Value:
        """What a name is; ``top`` is the largest dotted name that begins with it."""
        name, unit = node.id, self.unit
        value = self.env.get(name)
        scope: Unit | None = unit
        if value is None:
            scope = self.elsewhere.get(name, unit)
            while scope is not None:
                scope.readers.setdefault(name, set()).add(unit)
                if name in scope.joined:
                    value = scope.joined[name]
                    break
                scope = scope.parent
        elif name in self.elsewhere:
            scope = self.elsewhere[name]
        if value is None or scope is None:
            return self._unbound(node)
        if name in scope.imports:
            self.use(scope.imports[name], top)
        if self.module.unimported:
            self.module.unimported.pop(node, None)
        return value

    def use(self, records: Iterable[ImportRecord], top: ast.expr) -> None:
        for record in records:
            if self.string is not None:
                record.string_uses[self.string] = None
            else:
                record.uses[top] = None

    def _unbound(self, node: ast.Name) -> Value:
        name = node.id
        if name in api.HOMES:
            home = api.HOMES[name]
            self.module.unimported[node] = Unimported(node, name, home)
            return frozenset({self.analysis.named(f"{home}.{name}", Confidence.GUESS)})
        if name in _BUILTINS:
            return frozenset({self.analysis.named(f"builtins.{name}")})
        if name in _SHELL:
            return frozenset({self.analysis.thing(_SHELL[name], None, Confidence.LIKELY)})
        if name in ("SparkContext", "SparkConf"):
            return frozenset({self.analysis.named(f"pyspark.{name}", Confidence.GUESS)})
        if name == "SparkSession":
            return frozenset({self.analysis.named(f"pyspark.sql.{name}", Confidence.GUESS)})
        return frozenset({self.analysis.opaque(self.module, name, node)})

    def qualify(self, node: ast.AST, value: Value) -> None:
        """Remember the absolute name of something of pyspark or the shim."""
        for atom in value:
            if type(atom) is Named and atom.dotted.startswith(("pyspark", "dstream_compat")):
                self.module.qualified[node] = atom.dotted

    # What is found -----------------------------------------------------------------------------

    def escape(
        self, node: ast.AST, how: Escaping, kind: Kind, name: str, method: str | None = None
    ) -> None:
        self.module.escapes[node] = Escape(node, how, kind, name, method)

    def guess(self, atom: Opaque, kind: Kind, node: ast.AST, method: str) -> Thing:
        """A value of unknown origin is used in a way that only a stream or a context can be."""
        if atom.thing is None:
            home = atom.unit.module
            atom.thing = self.analysis.handed(kind, atom.node, atom.name, home, Confidence.GUESS)
            self.escape(node, Escaping.UNKNOWN_ORIGIN, kind, atom.name, method)
            self.analysis.again(atom.users)
        return atom.thing


def _doubtful(*values: Value) -> bool:
    """Whether one of several values may be anything."""
    return any(
        not value or any(type(atom) is Opaque and atom.thing is None for atom in value)
        for value in values
    )


def dotted_name(node: ast.AST) -> str:
    """A name for messages: ``helper.make``; parts that are not names become ``…``.

    >>> dotted_name(ast.parse("a.b[0].c", mode="eval").body)
    '….c'
    """
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Call):
        inner = dotted_name(node.func)
        parts.append(f"{inner}()")
    else:
        parts.append(node.id if isinstance(node, ast.Name) else "…")
    return ".".join(reversed(parts))
