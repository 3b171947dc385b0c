"""How every import of ``pyspark.streaming`` in a module moves to the shim: a plan per statement."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from migrator import api, imports
from migrator.jobmodel import Import, Module
from migrator.source import Edit, Source, Span, exact_in_f_strings

PYSPARK = "pyspark"
_LEGACY_TEXT = re.compile(r"(?<![\w.])pyspark\s*\.\s*streaming\b")
_BLANKS = re.compile(r"[\s\\]+")
_LINE = re.compile(r"[^\r\n]*")
# Names that the legacy modules happen to have because they import them.
BORROWED = frozenset({"RDD", "SparkConf", "SparkContext", "StorageLevel"})
_NOT_IN_SHIM = {
    ".util": frozenset({"TransformFunction", "TransformFunctionSerializer"}),
    ".kafka": frozenset({"KafkaRDD", "KafkaTransformedDStream"}),
}
_DYNAMIC = re.compile(r"\b(?:globals|locals|vars|eval|exec|getattr)\s*\(")


@dataclass(frozen=True)
class Plan:
    """What becomes of one import statement."""

    node: imports.Statement
    names: tuple[str, ...]
    """What it brings, as dotted legacy names."""
    edits: tuple[Edit, ...] = ()
    unused: bool = False
    """It goes away altogether."""
    missing: tuple[str, ...] = ()
    """Dotted names that the shim does not have; their import stays."""
    unreachable: bool = False
    """It is used where its name cannot be edited: nothing is done."""


def target(dotted: str) -> str | None:
    """The shim's module for a legacy one.

    >>> target("pyspark.streaming.kafka"), target("pyspark.streaming.tests")
    ('dstream_compat.kafka', None)
    """
    below = dotted.removeprefix(api.LEGACY)
    return api.SHIM + below if below in api.MODULES else None


def in_shim(module: str, name: str) -> bool:
    """Whether the shim has under the same name what a legacy module has (or is)."""
    below = module.removeprefix(api.LEGACY)
    if below == "" and target(f"{module}.{name}"):
        return True
    if below == ".kinesis" and name == "StorageLevel":
        return True
    return name in api.MODULES.get(below, ()) and name not in _NOT_IN_SHIM.get(below, ())


def is_legacy(node: imports.Statement, alias: ast.alias) -> bool:
    if isinstance(node, ast.Import):
        return f"{alias.name}.".startswith(f"{api.LEGACY}.")
    if node.level or node.module is None:
        return False
    return f"{node.module}.".startswith(f"{api.LEGACY}.") or (
        node.module == PYSPARK and alias.name == "streaming"
    )


def legacy_imports(module: Module) -> dict[imports.Statement, list[Import]]:
    """The imports of the legacy API, by statement."""
    found: dict[imports.Statement, list[Import]] = {}
    for item in module.imports:
        if is_legacy(item.node, item.alias):
            found.setdefault(item.node, []).append(item)
    return found


_last: tuple[Module, list[Plan]] | None = None


def plans(module: Module) -> list[Plan]:
    """The plans for all statements of a module, in order."""
    global _last
    if _last is None or _last[0] is not module:
        _last = module, list(_plans(module))
    return _last[1]


def _plans(module: Module) -> Iterator[Plan]:
    statements = legacy_imports(module)
    if not statements and api.LEGACY not in module.qualified.values():
        return
    uses = Uses(module, statements)
    unused = {
        item.alias
        for node, items in statements.items()
        for item in items
        if uses.is_unused(item) and _may_go(module, node, uses)
    }
    doomed = [
        node
        for node, items in statements.items()
        if unused.issuperset(node.names)
        and not (any(map(_is_bare, items)) and uses.needs_pyspark(node))
    ]
    gone = imports.deletions(module.source, doomed) if doomed else {}
    for node, items in statements.items():
        if node not in gone:
            uses.keep(node, (item for item in items if item.alias not in unused))
    for node, items in statements.items():
        deletable = not any(map(_is_bare, items)) or _may_go(module, node, uses)
        move = _Move(module.source, uses, items, unused, deletable)
        if node in gone:
            yield Plan(node, move.names, (gone[node],), unused=True)
        elif isinstance(node, ast.Import):
            yield move.plain(node)
        elif node.module == PYSPARK:
            yield move.package(node)
        else:
            yield move.names_of(node)
    if uses.spans and not any(_is_bare(item) for items in statements.values() for item in items):
        yield from _through_pyspark(module.source, uses)


def _may_go(module: Module, node: imports.Statement, uses: Uses) -> bool:
    """Whether an import that nobody reads may be deleted: nothing outside can be relying on it."""
    source = module.source
    if source.notebook or source.path.endswith(("__init__.py", ".pyi")):
        return False  # others take names from there, notebooks with %run
    rest = _LINE.match(source.text, source.span(node).end)
    if rest is not None and "noqa" in rest.group():
        return False
    return node not in uses.tried and not _DYNAMIC.search(source.text)


def _is_bare(item: Import) -> bool:
    """``import pyspark.streaming``: it binds ``pyspark``."""
    return isinstance(item.node, ast.Import) and item.alias.asname is None


class Uses:
    """Uses of ``pyspark.streaming`` by its full name, and what else names are read for."""

    def __init__(
        self, module: Module, statements: Mapping[imports.Statement, list[Import]]
    ) -> None:
        self._source = source = module.source
        self._qualified = module.qualified
        self.spans: list[Span] = []
        self.roots: set[ast.AST] = set()
        self.lost = False
        """Some uses cannot be edited."""
        self._helped = False
        self._reached: dict[str, int] = {}
        """Submodules that are used by their full name, and the line of the first use."""
        self._brought: dict[str, int] = {}
        """Submodules that are imported at the top level, and the line of the first import."""
        in_strings = any(item.string_uses for item in module.imports)
        for node, name in module.qualified.items():
            if not isinstance(node, ast.Attribute) or not name.startswith(api.LEGACY):
                continue
            in_string = in_strings and node not in self._tree
            if name == api.LEGACY and not in_string:
                span = source.span(node)
                code = _BLANKS.sub("", source.text[span.start : span.end])
                if code.rpartition(".")[2] == "streaming" and node not in self._misplaced:
                    self.spans.append(span)
                    self.roots.add(_root(node))
                else:
                    self.lost = True
            elif name != api.LEGACY and target(name):
                line = sys.maxsize if in_string else node.lineno
                self._reached[name] = min(line, self._reached.get(name, line))
        self.lost |= any(map(self._is_overlooked, source.of(ast.Attribute)))
        strings = (
            _in_string(source, constant)
            for items in statements.values()
            for item in items
            if _is_bare(item)
            for constant in item.string_uses
        )
        found = [Edit(span, api.SHIM) for span in self.spans]
        self.edits = list(dict.fromkeys([*found, *(edit for edit in strings if edit)]))

    def _is_overlooked(self, node: ast.Attribute) -> bool:
        """Whether it looks like a use that was not followed: in an annotation of a class's scope,
        for one. The import must not be taken away from it."""
        return (
            node.attr == "streaming"
            and isinstance(node.value, ast.Name)
            and node.value.id == PYSPARK
            and node not in self._qualified
        )

    def keep(self, node: imports.Statement, items: Iterable[Import]) -> None:
        """Note what a statement that stays brings along."""
        if node in self._source.tree.body:
            for item in items:
                name = item.alias.name if isinstance(node, ast.Import) else str(node.module)
                self._brought[name] = min(node.lineno, self._brought.get(name, node.lineno))

    def helpers(self, node: imports.Statement) -> list[str]:
        """Imports of modules that the legacy package brings along and the shim does not, for the
        front of a statement; once is enough at the top level."""
        if self._helped:
            return []
        self._helped = node in self._source.tree.body
        return [
            f"import {target(name)}"
            for name, first in sorted(self._reached.items())
            if name not in self._brought or self._brought[name] > first
        ]

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        return self._source.nodes

    @cached_property
    def _tree(self) -> set[ast.AST]:
        return set(self._nodes)

    @cached_property
    def _misplaced(self) -> set[ast.AST]:
        """Nodes in f-strings, where Python does not know where they stand."""
        if exact_in_f_strings():
            return set()
        return {node for string in self._source.of(ast.JoinedStr) for node in ast.walk(string)}

    @cached_property
    def identifiers(self) -> set[str]:
        """All names that are used in any way."""
        found = {node.id for node in self._nodes if isinstance(node, ast.Name)}
        for node in self._nodes:
            if isinstance(node, ast.Global | ast.Nonlocal):
                found.update(node.names)
        return found

    @cached_property
    def tried(self) -> set[ast.stmt]:
        """Statements in a ``try``: an import there asks whether something is installed."""
        return {
            statement
            for node in self._nodes
            if isinstance(node, ast.Try) and node.handlers
            for statement in node.body
        }

    @cached_property
    def pyspark_otherwise(self) -> bool:
        """Whether ``pyspark`` is read for more than ``pyspark.streaming``."""
        return any(
            isinstance(node, ast.Name) and node.id == PYSPARK and node not in self.roots
            for node in self._nodes
        )

    def needs_pyspark(self, node: imports.Statement, deletable: bool = True) -> bool:
        """Whether this statement has to bind ``pyspark``: it is used, and not bound before."""
        wanted = self.pyspark_otherwise or not deletable
        return wanted and not _binds_pyspark(self._source, node)

    def is_unused(self, item: Import) -> bool:
        if item.alias.name == "*" or item.exported or item.string_uses:
            return False
        if _is_bare(item):
            return not self.edits and not self.lost
        return not item.uses and item.bound not in self.identifiers


def _root(node: ast.AST) -> ast.AST:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _in_string(source: Source, constant: ast.Constant) -> Edit | None:
    span = source.span(constant)
    code = source.text[span.start : span.end]
    new = _LEGACY_TEXT.sub(api.SHIM, code)
    return Edit(span, new) if new != code else None


@dataclass(frozen=True)
class _Move:
    """How one statement moves, if it stays at all."""

    source: Source
    uses: Uses
    items: list[Import]
    unused: Set[ast.alias]
    deletable: bool

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(
            item.alias.name
            if isinstance(item.node, ast.Import)
            else f"{item.node.module}.{item.alias.name}"
            for item in self.items
        )

    def plain(self, node: ast.Import) -> Plan:
        """``import pyspark.streaming…``, with and without ``as``, perhaps among others."""
        bare = [item for item in self.items if _is_bare(item)]
        kept = [item for item in self.items if item.alias not in self.unused]
        missing = tuple(item.alias.name for item in kept if target(item.alias.name) is None)
        if missing or (bare and self.uses.lost):
            return Plan(node, self.names, missing=missing, unreachable=not missing)
        edits: list[Edit] = []
        front: list[str] = []
        gone = [item.alias for item in self.items if item.alias in self.unused]
        if bare:
            edits += self.uses.edits
            if self.uses.needs_pyspark(node, self.deletable):
                if bare[0].alias in gone:
                    gone.remove(bare[0].alias)
                    edits.append(Edit(self.source.span(bare[0].alias), PYSPARK))
                else:
                    front.append(f"import {PYSPARK}")
        for item in kept:
            new = target(item.alias.name)
            assert new is not None
            edits.append(Edit(imports.name_span(self.source, item.alias), new))
        if kept:
            front += self.uses.helpers(node)
        if gone:
            edits += imports.without(self.source, node, gone)
        return self._plan(node, edits, front)

    def package(self, node: ast.ImportFrom) -> Plan:
        """``from pyspark import streaming``, perhaps among others."""
        kept = [item.alias for item in self.items if item.alias not in self.unused]
        front = [f"import {api.SHIM} as {alias.asname or alias.name}" for alias in kept]
        front += self.uses.helpers(node) if kept else []
        if len(self.items) < len(node.names):
            gone = [item.alias for item in self.items]
            return self._plan(node, imports.without(self.source, node, gone), front)
        return self._plan(node, [Edit(self.source.span(node), front.pop())], front)

    def names_of(self, node: ast.ImportFrom) -> Plan:
        """``from pyspark.streaming… import …``."""
        assert node.module is not None
        new, at = target(node.module), imports.module_span(self.source, node)
        if at is None:
            return Plan(node, self.names, unreachable=True)
        if node.names[0].name == "*":
            return self._star(node, new, at)
        homes: dict[str, list[ast.alias]] = {}  # by the module it is taken from now
        for alias in node.names:
            if new is not None and in_shim(node.module, alias.name):
                home = new
            elif alias.name in BORROWED:
                home = PYSPARK
            elif alias in self.unused:
                continue
            else:
                home = node.module
            homes.setdefault(home, []).append(alias)
        stay = homes.get(node.module, [])
        main = node.module if stay else next(iter(homes))
        edits = [Edit(at, main)] if main != node.module else []
        gone = [alias for alias in node.names if alias not in homes[main]]
        if gone:
            edits += imports.without(self.source, node, gone)
        front = [
            f"from {home} import {', '.join(self.source.code(alias) for alias in aliases)}"
            for home, aliases in homes.items()
            if home != main
        ]
        missing = tuple(f"{node.module}.{alias.name}" for alias in stay)
        helpers = self.uses.helpers(node) if node.module == api.LEGACY else []
        return self._plan(node, edits, [*front, *helpers], missing)

    def _star(self, node: ast.ImportFrom, new: str | None, at: Span) -> Plan:
        """Name by name where the shim's star would bring one that the module uses otherwise."""
        if new is None:
            return Plan(node, self.names, missing=self.names)
        edits = [Edit(at, new)]
        names = api.MODULES[""]
        more = [name for name in api.SHIM_NAMES if name not in names]
        if new == api.SHIM and re.search(rf"\b(?:{'|'.join(more)})\b", self.source.text):
            edits.append(Edit(self.source.span(node.names[0]), ", ".join(names)))
        return self._plan(node, edits, [])

    def _plan(
        self,
        node: imports.Statement,
        edits: list[Edit],
        front: Iterable[str],
        missing: tuple[str, ...] = (),
    ) -> Plan:
        before = imports.in_front(self.source, node, front)
        everything = (*edits, before) if before else tuple(edits)
        return Plan(node, self.names, everything, missing=missing)


def _binds_pyspark(source: Source, node: imports.Statement) -> bool:
    """Whether the module has bound the name in front of this statement, for sure."""
    for statement in source.tree.body:
        if statement.lineno >= node.lineno:
            return False
        if isinstance(statement, ast.Import) and any(
            alias.asname is None and alias.name.partition(".")[0] == PYSPARK
            for alias in statement.names
        ):
            return True
    return False


def _through_pyspark(source: Source, uses: Uses) -> Iterator[Plan]:
    """``import pyspark`` alone, and ``pyspark.streaming.X`` because somebody imports that, too."""
    roots = {root.id for root in uses.roots if isinstance(root, ast.Name)}
    for node in source.of(ast.Import):
        if not isinstance(node, ast.Import):
            continue
        for alias in node.names:
            package = alias.name.partition(".")[0]
            if package != PYSPARK or (alias.asname or package) not in roots:
                continue
            before = imports.in_front(source, node, [f"import {api.SHIM}", *uses.helpers(node)])
            assert before is not None
            edits = () if uses.lost else (*uses.edits, before)
            yield Plan(node, (api.LEGACY,), edits, unreachable=uses.lost)
            return
