"""Tuples as parameters, which only Python 2 has: of lambdas, functions and ``except`` clauses.

fissix's own fixer knows lambdas with a single parameter only, and takes attributes, names of
arguments and names of inner scopes for the parameter's parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, TypeAlias

from fissix.pgen2 import token
from fissix.pygram import python_symbols as syms
from fissix.pytree import Leaf

Shape: TypeAlias = "str | list[Shape]"
"""A parameter: a name, or the shapes of a tuple's parts."""
Names: TypeAlias = Mapping[str, str]
"""What to write for a part of a tuple."""


def replace_tuples(tree: Any) -> None:
    """Give the tuples names: ``lambda (k, v): k`` becomes ``lambda k_v: k_v[0]``; functions and
    handlers get a first statement that unpacks."""
    used = frozenset(leaf.value for leaf in tree.leaves() if leaf.type == token.NAME)
    _Walk(used).walk(tree, {})


class _Walk:
    def __init__(self, used: frozenset[str]) -> None:
        self._used = used

    def walk(self, node: Any, names: Names) -> None:
        """Replace the tuples in a node, and the names of those around it."""
        if node.type == token.NAME:
            if node.value in names and not _is_label(node):
                node.value = names[node.value]
                node.changed()
        elif node.type in (syms.lambdef, syms.old_lambdef):
            self._lambda(node, names)
        elif node.children and node.children[-1].type == syms.comp_for:
            self._comprehension(node, names)
        else:
            if node.type == syms.funcdef:
                self._function(node)
            elif node.type == syms.except_clause:
                self._handler(node)
            for child in list(node.children):
                self.walk(child, names)

    def _lambda(self, node: Any, names: Names) -> None:
        inner = dict(names)
        for item, is_default in _parameters(node.children[1:-2], syms.varargslist):
            if is_default:
                self.walk(item, names)
            elif item.type == token.NAME:
                inner.pop(item.value, None)
            elif item.type == syms.vfpdef:
                shape = _shape(item)
                new = self._name(shape, {part.partition("[")[0] for part in inner.values()})
                inner.update(_parts(shape, new))
                item.replace(Leaf(token.NAME, new, prefix=item.prefix))
        if not node.children[1].prefix and node.children[1].type != token.COLON:
            node.children[1].prefix = " "  # it was lambda(k, v): k
        self.walk(node.children[-1], inner)

    def _comprehension(self, node: Any, names: Names) -> None:
        """What it binds hides a tuple's part, but in what it iterates over first."""
        *results, clause = node.children
        clauses = list(_clauses(clause))
        bound: set[str] = set()
        for each in clauses:
            if each.type == syms.comp_for:
                bound |= _bound(each.children[_at(each, "in") - 1])
        inner = {name: new for name, new in names.items() if name not in bound}
        for child in results:
            self.walk(child, inner)
        for each in clauses:
            for index, child in enumerate(list(each.children)):
                if child.type not in (syms.comp_for, syms.comp_if):
                    is_first = each is clause and index == _at(each, "in") + 1
                    self.walk(child, names if is_first else inner)

    def _function(self, node: Any) -> None:
        parameters = node.children[2].children[1:-1]
        given: set[str] = set()
        for item, is_default in list(_parameters(parameters, syms.typedargslist)):
            if not is_default and item.type == syms.tfpdef:
                shape = _shape(item)
                new = self._name(shape, given)
                given.add(new)
                item.replace(Leaf(token.NAME, new, prefix=item.prefix))
                if not isinstance(shape, str):
                    _unpack(node.children[-1], f"{_written(shape)} = {new}")

    def _handler(self, node: Any) -> None:
        if len(node.children) != 4 or node.children[2].type != token.COMMA:
            return
        target = node.children[3]
        if any(leaf.type not in _IN_TUPLES for leaf in target.leaves()):
            return  # attributes and the like: fissix does them
        if target.type == syms.atom:
            shape = _shape(target)
            new = self._name(shape, ())
            suite = node.next_sibling.next_sibling
            target.replace(Leaf(token.NAME, new, prefix=target.prefix or " "))
            if not isinstance(shape, str):
                _unpack(suite, f"{_written(shape)} = {new}.args")

    def _name(self, shape: Shape, given: Any) -> str:
        """A name that says what is in it and means nothing else."""
        if isinstance(shape, str):
            return shape
        name = "_".join(_flat(shape))
        numbered = (f"{name}{number or ''}" for number in count())
        return next(new for new in numbered if new not in self._used and new not in given)


_IN_TUPLES = (token.NAME, token.COMMA, token.LPAR, token.RPAR)


def _parameters(nodes: Sequence[Any], listed: int) -> Iterator[tuple[Any, bool]]:
    """The parameters of a function and the values they have by default, which are marked."""
    items = list(nodes[0].children if nodes and nodes[0].type == listed else nodes)
    for before, item in zip([None, *items], items, strict=False):
        yield item, before is not None and before.type == token.EQUAL


def _shape(node: Any) -> Shape:
    if node.type == token.NAME:
        return str(node.value)
    if node.children[0].type == token.LPAR:
        return _shape(node.children[1])
    return [_shape(child) for child in node.children if child.type != token.COMMA]


def _flat(shape: Shape) -> list[str]:
    return [shape] if isinstance(shape, str) else [name for part in shape for name in _flat(part)]


def _written(shape: Shape) -> str:
    if isinstance(shape, str):
        return shape
    return f"({', '.join(map(_written, shape))}{',' if len(shape) == 1 else ''})"


def _parts(shape: Shape, new: str) -> dict[str, str]:
    if isinstance(shape, str):
        return {shape: new}
    found: dict[str, str] = {}
    for index, part in enumerate(shape):
        found.update(_parts(part, f"{new}[{index}]"))
    return found


def _is_label(leaf: Any) -> bool:
    """An attribute, or the name of an argument: no use of a variable."""
    before, after = leaf.prev_sibling, leaf.next_sibling
    return (before is not None and before.type == token.DOT) or (
        leaf.parent.type == syms.argument and after is not None and after.type == token.EQUAL
    )


def _clauses(clause: Any) -> Iterator[Any]:
    """The ``for`` and ``if`` of a comprehension."""
    while clause.type in (syms.comp_for, syms.comp_if):
        yield clause
        clause = clause.children[-1]


def _at(clause: Any, word: str) -> int:
    values = [getattr(child, "value", None) for child in clause.children]
    return values.index(word)


def _bound(target: Any) -> set[str]:
    if target.type == token.NAME:
        return {target.value}
    if target.type == syms.power:  # an attribute or an item
        return set()
    return {name for child in target.children for name in _bound(child)}


def _unpack(suite: Any, statement: str) -> None:
    """Put a statement first in a function or handler, after a docstring."""
    block = suite.type == syms.suite
    statements = [
        child
        for child in suite.children
        if child.type not in (token.NEWLINE, token.INDENT, token.DEDENT, token.SEMI)
    ]
    first = statements[0]
    text = first.children[0] if block and first.type == syms.simple_stmt else first
    if text.type == token.STRING or (
        text.type == syms.atom and text.children[0].type == token.STRING
    ):
        statements.pop(0)
    if statements:
        end = f"\n{suite.children[1].value}" if block else "; "
        statements[0].prefix += statement + end
