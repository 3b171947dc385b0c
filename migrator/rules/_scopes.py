"""Which function, class or module a node is in, and where its names are looked up."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Scopes:
    """The scopes of a module. Comprehensions belong to the scope around them.

    >>> tree = ast.parse("class A:\\n    def f(self, x=1): return x")
    >>> f = tree.body[0].body[0]
    >>> [type(scope).__name__ for scope in Scopes(tree).around(f.body[0])]
    ['FunctionDef', 'Module']
    >>> [type(scope).__name__ for scope in Scopes(tree).around(f.args.defaults[0])]
    ['ClassDef', 'Module']
    """

    def __init__(self, tree: ast.Module) -> None:
        self._module = tree
        self._scope: dict[ast.AST, Scope] = {}
        self._outer: dict[Scope, Scope] = {}
        waiting: list[tuple[ast.AST, Scope]] = [(tree, tree)]
        while waiting:
            node, scope = waiting.pop()
            self._scope[node] = scope
            inside: set[ast.AST] = set()
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
                self._outer[node] = scope
                inside.update(node.body if isinstance(node.body, list) else [node.body])
            for child in ast.iter_child_nodes(node):
                within = node if child in inside else scope
                waiting.append((child, within))  # type: ignore[arg-type]

    def of(self, node: ast.AST) -> Scope:
        """The scope a node is in."""
        return self._scope.get(node, self._module)  # nodes of a string are not in the tree

    def around(self, node: ast.AST) -> Iterator[Scope]:
        """Where a name is looked up, from the inside out: a class's names only directly in it."""
        scope = self.of(node)
        yield scope
        while scope in self._outer:
            scope = self._outer[scope]
            if not isinstance(scope, ast.ClassDef):
                yield scope
