"""How every import of ``pyspark.streaming`` in a module moves to the shim: a plan per statement."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from migrator.model import api
from migrator.model.jobmodel import Import, Module
from migrator.rules._names import (
    BORROWED,
    PYSPARK,
    in_shim,
    is_bare,
    legacy_imports,
    spare_imports,
    target,
)
from migrator.rules._uses import Uses
from migrator.text import imports
from migrator.text.source import Edit, PythonSource, Span

_LINE = re.compile(r"[^\r\n]*")
_DYNAMIC = re.compile(r"\b(?:globals|locals|vars|eval|exec|getattr)\s*\(")


@dataclass(frozen=True)
class MovePlan:
    """What becomes of one import statement."""

    node: imports.Statement
    names: tuple[str, ...]
    """What it brings, as dotted legacy names."""
    edits: tuple[Edit, ...] = ()
    unused: bool = False
    """It is deleted."""
    missing: tuple[str, ...] = ()
    """Dotted names that the shim does not have; their import stays."""
    unreachable: bool = False
    """It is used where its name cannot be edited: nothing is done."""


def plans(module: Module) -> tuple[MovePlan, ...]:
    """The plans for all statements of a module, in order."""
    return module.derived(_all_plans)


def _all_plans(module: Module) -> tuple[MovePlan, ...]:
    return tuple(_plans(module))


def _plans(module: Module) -> Iterator[MovePlan]:
    spare = spare_imports(module.source)
    statements = {
        node: items
        for node, items in legacy_imports(module).items()
        if node not in spare or any(map(is_bare, items))  # the name it binds has other uses as well
    }
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
        and not (any(map(is_bare, items)) and uses.needs_pyspark(node))
    ]
    gone = imports.deletions(module.source, doomed) if doomed else {}
    for node, items in statements.items():
        if node not in gone:
            uses.keep(node, (item for item in items if item.alias not in unused))
    bare = [node for node, items in statements.items() if any(map(is_bare, items))]
    if uses.spans:
        uses.reach([node for node in bare if all(map(_is_movable, statements[node]))])
    for node, items in statements.items():
        deletable = not any(map(is_bare, items)) or _may_go(module, node, uses)
        move = _Move(module.source, uses, items, unused, deletable)
        if node in gone:
            yield MovePlan(node, move.names, (gone[node],), unused=True)
        elif isinstance(node, ast.Import):
            yield move.plain(node)
        elif node.module == PYSPARK:
            yield move.package(node)
        else:
            yield move.names_of(node)
    if uses.spans and not bare:
        yield from _through_pyspark(module.source, uses)


def _is_movable(item: Import) -> bool:
    return not is_bare(item) or target(item.alias.name) is not None


def _may_go(module: Module, node: imports.Statement, uses: Uses) -> bool:
    """Whether an unused import may be deleted because no other code can rely on it."""
    source = module.source
    if source.notebook or source.path.endswith(("__init__.py", ".pyi")):
        return False  # other code imports names from there, notebooks by %run
    rest = _LINE.match(source.text, source.span(node).end)
    if rest is not None and "noqa" in rest.group():
        return False
    if node in uses.tried or node in uses.in_classes:
        return False
    return not _DYNAMIC.search(source.text)


@dataclass(frozen=True)
class _Move:
    """How one statement moves, if it stays at all."""

    source: PythonSource
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

    def plain(self, node: ast.Import) -> MovePlan:
        """``import pyspark.streaming…``, with and without ``as``, perhaps among others."""
        bare = [item for item in self.items if is_bare(item)]
        kept = [item for item in self.items if item.alias not in self.unused]
        missing = tuple(item.alias.name for item in kept if target(item.alias.name) is None)
        if missing or (bare and self.uses.lost):
            return MovePlan(node, self.names, missing=missing, unreachable=not missing)
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

    def package(self, node: ast.ImportFrom) -> MovePlan:
        """``from pyspark import streaming``, perhaps among others."""
        kept = [item.alias for item in self.items if item.alias not in self.unused]
        front = [f"import {api.SHIM} as {alias.asname or alias.name}" for alias in kept]
        front += self.uses.helpers(node) if kept else []
        if len(self.items) < len(node.names):
            gone = [item.alias for item in self.items]
            return self._plan(node, imports.without(self.source, node, gone), front)
        return self._plan(node, [Edit(self.source.span(node), front.pop())], front)

    def names_of(self, node: ast.ImportFrom) -> MovePlan:
        """``from pyspark.streaming… import …``."""
        assert node.module is not None
        new, at = target(node.module), imports.module_span(self.source, node)
        if at is None:
            return MovePlan(node, self.names, unreachable=True)
        if node.names[0].name == "*":
            return self._star(node, new, at)
        homes: dict[str, list[ast.alias]] = {}  # by the module it is imported from now
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

    def _star(self, node: ast.ImportFrom, new: str | None, at: Span) -> MovePlan:
        """Name by name where the shim's star would bring a name that means something else here."""
        if new is None:
            return MovePlan(node, self.names, missing=self.names)
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
    ) -> MovePlan:
        before = imports.in_front(self.source, node, front)
        everything = (*edits, before) if before else tuple(edits)
        return MovePlan(node, self.names, everything, missing=missing)


def _through_pyspark(source: PythonSource, uses: Uses) -> Iterator[MovePlan]:
    """``import pyspark`` alone, where other code imports ``pyspark.streaming``."""
    roots = {root.id for root in uses.roots if isinstance(root, ast.Name)}
    for node in source.of(ast.Import):
        if not isinstance(node, ast.Import):
            continue
        for alias in node.names:
            package = alias.name.partition(".")[0]
            if package != PYSPARK or (alias.asname or package) not in roots:
                continue
            edits = () if uses.lost else tuple(uses.edits)
            yield MovePlan(node, (api.LEGACY,), edits, unreachable=uses.lost)
            return
