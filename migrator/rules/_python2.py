"""Code that was written for Python 2, whether Python 3 can parse it or not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrator.jobmodel import Module
from migrator.python2 import ModernisedSource
from migrator.source import Source

GONE_NAMES = frozenset(
    [
        "apply",
        "basestring",
        "buffer",
        "cmp",
        "coerce",
        "execfile",
        "file",
        "intern",
        "long",
        "raw_input",
        "reduce",
        "reload",
        "unichr",
        "unicode",
        "xrange",
    ]
)
GONE_METHODS = frozenset(
    ["has_key", "iteritems", "iterkeys", "itervalues", "viewitems", "viewkeys", "viewvalues"]
)
GONE_MODULES = frozenset(
    [
        "ConfigParser",
        "Cookie",
        "HTMLParser",
        "Queue",
        "SocketServer",
        "StringIO",
        "Tkinter",
        "cPickle",
        "cStringIO",
        "commands",
        "cookielib",
        "httplib",
        "thread",
        "urllib2",
        "urlparse",
    ]
)
_VERSION = re.compile(r"\b(?:version_info|PY2|PY3|hexversion)\b")


Place = tuple[ast.AST, str]
_last: tuple[Module, list[Place]] | None = None


def gone(module: Module) -> list[Place]:
    """What Python 3 does not have, and its name; not where the code asks which Python it is."""
    global _last
    if _last is None or _last[0] is not module:
        _last = module, _gone(module.source)
    return _last[1]


def is_python2(module: Module) -> bool:
    """Whether the code was modernised, or uses what only Python 2 has."""
    return isinstance(module.source, ModernisedSource) or bool(gone(module))


def _gone(source: Source) -> list[Place]:
    found = list(_candidates(source))
    if not found:
        return []
    bound, guarded = _bound(source), _guarded(source)
    return [
        (node, name)
        for node, name in found
        if node not in guarded and not (isinstance(node, ast.Name) and name in bound)
    ]


def _candidates(source: Source) -> Iterator[Place]:
    for name in source.of(ast.Name):
        if name.id in GONE_NAMES and isinstance(name.ctx, ast.Load):
            yield name, name.id
    for attribute in source.of(ast.Attribute):
        if attribute.attr in GONE_METHODS or attribute.attr == "setdefaultencoding":
            yield attribute, attribute.attr
    for plain in source.of(ast.Import):
        for alias in plain.names:
            if alias.name in GONE_MODULES:
                yield plain, alias.name
    for taken in source.of(ast.ImportFrom):
        if taken.module in GONE_MODULES and not taken.level:
            yield taken, str(taken.module)
    for node in source.of(ast.BinOp):
        if isinstance(node.op, ast.RShift) and getattr(node.left, "id", None) == "print":
            yield node, "print >>"


def _bound(source: Source) -> set[str]:
    found = {node.id for node in source.of(ast.Name) if isinstance(node.ctx, ast.Store)}
    found |= {node.arg for node in source.of(ast.arg)}
    found |= {node.name for node in source.of(ast.FunctionDef)}
    found |= {node.name for node in source.of(ast.ClassDef)}
    return found | {a.asname or a.name.partition(".")[0] for a in source.of(ast.alias)}


def _guarded(source: Source) -> set[ast.AST]:
    """What is in a ``try`` with handlers or behind a look at the version."""
    blocks: list[ast.AST] = [node for node in source.of(ast.Try) if node.handlers]
    for test in source.of(ast.If):
        if _VERSION.search(source.code(test.test)):
            blocks.append(test)
    return {node for block in blocks for node in ast.walk(block)}
