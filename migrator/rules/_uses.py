"""Uses of ``pyspark.streaming`` by its full name in a module, and other uses of its names."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from migrator.model import api
from migrator.model.jobmodel import Import, Module
from migrator.rules._names import PYSPARK, is_bare, target
from migrator.rules._scopes import Scope, Scopes
from migrator.text import imports
from migrator.text.source import Edit, PythonSource, Span, exact_in_f_strings

_LEGACY_TEXT = re.compile(r"(?<![\w.])pyspark\s*\.\s*streaming\b")
_DOCTEST = re.compile(r"^[ \t]*(?:>>>|\.\.\.)[ \t](?P<code>.*)$", re.MULTILINE)
_DOCTEST_USE = re.compile(r"(?<!from )(?<!import )\bpyspark\.streaming\.")
_BLANKS = re.compile(r"[\s\\]+")


class Uses:
    """Uses of ``pyspark.streaming`` by its full name, and other uses of its names."""

    def __init__(
        self, module: Module, statements: Mapping[imports.Statement, list[Import]]
    ) -> None:
        self._source = source = module.source
        self._qualified = module.qualified
        self.spans: list[Span] = []
        self.roots: dict[ast.expr, None] = {}
        self.lost = False
        """Some uses cannot be edited."""
        self._helped = sys.maxsize
        """The first line of the top level that imports what is needed."""
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
                    self.roots[_root(node)] = None
                else:
                    self.lost = True
            elif name != api.LEGACY and target(name):
                line = sys.maxsize if in_string else node.lineno
                self._reached[name] = min(line, self._reached.get(name, line))
        self._doctests = _doctests(source.text)
        self.lost |= _DOCTEST_USE.search(self._doctests) is not None  # docstrings are not edited
        self.lost |= any(map(self._is_overlooked, source.of(ast.Attribute)))
        strings = (
            _in_string(source, constant)
            for items in statements.values()
            for item in items
            if is_bare(item)
            for constant in item.string_uses
        )
        found = [Edit(span, api.SHIM) for span in self.spans]
        self.edits = list(dict.fromkeys([*found, *(edit for edit in strings if edit)]))

    def _is_overlooked(self, node: ast.Attribute) -> bool:
        """Whether it looks like a use that was not followed, such as in an annotation of a class's
        scope. Its import must stay."""
        return (
            node.attr == "streaming"
            and isinstance(node.value, ast.Name)
            and node.value.id == PYSPARK
            and node not in self._qualified
        )

    def keep(self, node: imports.Statement, items: Iterable[Import]) -> None:
        """Note what a statement that stays imports."""
        if node in self._source.tree.body:
            for item in items:
                name = item.alias.name if isinstance(node, ast.Import) else str(node.module)
                self._brought[name] = min(node.lineno, self._brought.get(name, node.lineno))

    def reach(self, movable: Collection[imports.Statement]) -> None:
        """Make every use find the shim: ``movable`` statements bind its name, each in its scope
        only. Elsewhere it is imported where ``pyspark`` is."""
        scopes = Scopes(self._source.tree)
        declared = {name for node in self._source.of(ast.Global) for name in node.names}
        places: dict[ast.Import, None] = {}
        for root in self.roots:
            around = list(scopes.around(root))
            near = [node for node in movable if scopes.of(node) in around]
            if any(_before(node, root) for node in near):
                continue
            inside_out = (self._importing(root, scope, scopes) for scope in around)
            more = [node for node in next(filter(None, inside_out), ()) if node not in movable]
            if not near and not more:
                self.lost = True
            elif getattr(root, "id", None) in declared:  # a function may have imported it before
                self.lost |= not any(_before(node, root) for node in more)
            places.update(dict.fromkeys(more))
        for place in places:
            statements = [f"import {api.SHIM}", *self.helpers(place)]
            edit = imports.in_front(self._source, place, statements)
            assert edit is not None
            self.edits.append(edit)

    def _importing(self, root: ast.AST, scope: Scope, scopes: Scopes) -> list[ast.Import]:
        """The statements of a scope that bind a name to ``pyspark``, up to one that always runs."""
        found: list[ast.Import] = []
        name = str(getattr(root, "id", ""))
        if any(name in g.names and scopes.of(g) is scope for g in self._source.of(ast.Global)):
            return []  # the shim's name would be a local one
        for node in self._source.of(ast.Import):
            bound = {a.asname or a.name.partition(".")[0]: a.name for a in node.names}
            if scopes.of(node) is scope and bound.get(name, "").partition(".")[0] == PYSPARK:
                found.append(node)
                if isinstance(scope.body, list) and node in scope.body:
                    break
        return found

    def helpers(self, node: imports.Statement) -> list[str]:
        """Imports of modules that the legacy package imports itself and the shim does not, to put
        before a statement; once is enough at the top level."""
        if self._helped <= node.lineno:
            return []
        if node in self._source.tree.body:
            self._helped = node.lineno
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
        """Statements in a ``try``: an import there tests whether something is installed."""
        blocks = [node for node in self._source.of(ast.Try) if node.handlers]
        return {statement for node in blocks for statement in node.body}

    @cached_property
    def in_classes(self) -> set[ast.stmt]:
        """Statements of classes: what is imported there is an attribute."""
        return {statement for node in self._source.of(ast.ClassDef) for statement in node.body}

    @cached_property
    def pyspark_otherwise(self) -> bool:
        """Whether ``pyspark`` has other uses than ``pyspark.streaming``."""
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
        if is_bare(item):
            return not self.edits and not self.lost
        if re.search(rf"\b{re.escape(item.bound)}\b", self._doctests):
            return False
        return not item.uses and item.bound not in self.identifiers


def _before(node: ast.stmt, use: ast.expr) -> bool:
    return node.lineno < use.lineno or (
        node.lineno == use.lineno and node.col_offset < use.col_offset
    )


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _doctests(text: str) -> str:
    """The code in examples like ``>>> StreamingContext(sc, 1)``, which see the module's names."""
    return "\n".join(_DOCTEST.findall(text)) if ">>>" in text else ""


def _in_string(source: PythonSource, constant: ast.Constant) -> Edit | None:
    span = source.span(constant)
    code = source.text[span.start : span.end]
    new = _LEGACY_TEXT.sub(api.SHIM, code)
    return Edit(span, new) if new != code else None


def _binds_pyspark(source: PythonSource, node: imports.Statement) -> bool:
    """Whether the module has certainly bound the name before this statement."""
    for statement in source.tree.body:
        if statement.lineno >= node.lineno:
            return False
        if isinstance(statement, ast.Import) and any(
            alias.asname is None and alias.name.partition(".")[0] == PYSPARK
            for alias in statement.names
        ):
            return True
    return False
