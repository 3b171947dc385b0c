"""Code that was written for Python 2, whether Python 3 can parse it or not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrator.model.jobmodel import Module
from migrator.text.python2 import ModernisedSource
from migrator.text.source import PythonSource

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
GONE_MEMBERS = {
    "itertools": frozenset(["ifilter", "ifilterfalse", "imap", "izip", "izip_longest"]),
    "os": frozenset(["getcwdu"]),
    "string": frozenset(["atoi", "join", "letters", "lowercase", "replace", "split", "uppercase"]),
    "sys": frozenset(["exc_clear", "exitfunc", "maxint", "setdefaultencoding"]),
    "time": frozenset(["clock"]),
    "urllib": frozenset(
        ["quote", "quote_plus", "unquote", "unquote_plus", "urlencode", "urlopen", "urlretrieve"]
    ),
}
"""Of modules that are still there."""
# The exceptions that missing things raise, and what their handlers guard.
_HANDLERS: dict[str, tuple[type[ast.AST], ...]] = {
    "ImportError": (ast.Import, ast.ImportFrom),
    "ModuleNotFoundError": (ast.Import, ast.ImportFrom),
    "NameError": (ast.Name,),
    "AttributeError": (ast.Attribute,),
}
_VERSION = re.compile(r"\b(?:version_info|PY2|PY3|hexversion)\b")


GonePlace = tuple[ast.AST, str]


def gone(module: Module) -> list[GonePlace]:
    """What Python 3 does not have, and its name; not where the code asks which Python it is."""
    return module.derived(_gone)


def is_python2(module: Module) -> bool:
    """Whether the code was modernised, or uses what only Python 2 has."""
    return isinstance(module.source, ModernisedSource) or bool(gone(module))


def _gone(module: Module) -> list[GonePlace]:
    source = module.source
    found = [
        *_of_names(source),
        *_of_attributes(source),
        *_of_imports(source),
        *_of_prints(source),
    ]
    if not found:
        return []
    bound, guarded = _bound(source), _guarded(source)
    return [
        (node, name)
        for node, name in found
        if node not in guarded and not (isinstance(node, ast.Name) and name in bound)
    ]


def _of_names(source: PythonSource) -> Iterator[GonePlace]:
    for name in source.of(ast.Name):
        if name.id in GONE_NAMES and isinstance(name.ctx, ast.Load):
            yield name, name.id


def _of_attributes(source: PythonSource) -> Iterator[GonePlace]:
    modules = _modules(source)
    for attribute in source.of(ast.Attribute):
        if attribute.attr in GONE_METHODS:
            yield attribute, attribute.attr
        elif isinstance(attribute.value, ast.Name) and attribute.value.id in modules:
            module = attribute.value.id
            if attribute.attr in GONE_MEMBERS[module]:
                yield attribute, f"{module}.{attribute.attr}"


def _of_imports(source: PythonSource) -> Iterator[GonePlace]:
    for plain in source.of(ast.Import):
        for alias in plain.names:
            if alias.name in GONE_MODULES:
                yield plain, alias.name
    for taken in source.of(ast.ImportFrom):
        if taken.level or taken.module is None:
            continue
        if taken.module in GONE_MODULES:
            yield taken, taken.module
        for alias in taken.names:
            if alias.name in GONE_MEMBERS.get(taken.module, ()):
                yield taken, f"{taken.module}.{alias.name}"


def _of_prints(source: PythonSource) -> Iterator[GonePlace]:
    for node in source.of(ast.BinOp):
        if isinstance(node.op, ast.RShift) and getattr(node.left, "id", None) == "print":
            yield node, "print >>"


def _modules(source: PythonSource) -> set[str]:
    """Modules with members that are gone, which are imported and whose names mean nothing else."""
    found = {alias.name for node in source.of(ast.Import) for alias in node.names}
    found &= GONE_MEMBERS.keys()
    if found:
        found -= {node.arg for node in source.of(ast.arg)}
        found -= {node.id for node in source.of(ast.Name) if isinstance(node.ctx, ast.Store)}
    return found


def _bound(source: PythonSource) -> set[str]:
    found = {node.id for node in source.of(ast.Name) if isinstance(node.ctx, ast.Store)}
    found |= {node.arg for node in source.of(ast.arg)}
    found |= {node.name for node in source.of(ast.FunctionDef)}
    found |= {node.name for node in source.of(ast.ClassDef)}
    return found | {a.asname or a.name.partition(".")[0] for a in source.of(ast.alias)}


def _guarded(source: PythonSource) -> set[ast.AST]:
    """What is in a ``try`` that expects it to be missing, or under an ``if`` on the version."""
    found: set[ast.AST] = set()
    for block in source.of(ast.Try):
        kinds = _expected(block)
        if kinds:
            found.update(node for node in ast.walk(block) if isinstance(node, kinds))
    for test in source.of(ast.If):
        if _VERSION.search(source.code(test.test)):
            found.update(ast.walk(test))
    return found


def _expected(block: ast.Try) -> tuple[type[ast.AST], ...]:
    """What the handlers of a ``try`` guard."""
    names = {
        getattr(node, "id", None)
        for handler in block.handlers
        for node in (ast.walk(handler.type) if handler.type is not None else ())
    }
    kinds = tuple(kind for name in _HANDLERS if name in names for kind in _HANDLERS[name])
    bare = any(handler.type is None for handler in block.handlers) or "Exception" in names
    small = (
        all(
            isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.Expr)
            for node in block.body
        )
        and len(block.body) <= 2
    )
    return (ast.AST,) if bare and small else kinds
