"""Names chosen at run time: getattr and setattr, import_module, globals(), code in strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from migrator.model.inference.arguments import Arguments
from migrator.model.inference.assignments import assign_attribute
from migrator.model.inference.dispatch import CALLERS
from migrator.model.inference.escapes import NAMESPACE, escape, lose
from migrator.model.inference.expressions import read
from migrator.model.inference.importing import local_module
from migrator.model.inference.units import Unit
from migrator.model.inference.values import UNKNOWN, Dynamic, Mod, Named, Value, of_kind
from migrator.model.inference.walk import Walk, dotted_name
from migrator.model.jobmodel import Escaping, Kind

_WORD = re.compile(r"[^\W\d]\w*")


def _getattr(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    """``getattr(x, "name")`` is ``x.name``; any other name is chosen at run time."""
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return UNKNOWN
    receiver, name = arguments.get(0, ""), node.args[1]
    streams = of_kind(receiver, Kind.STREAM, Kind.CONTEXT)
    label = f"getattr({dotted_name(node.args[0])}, …)"  # strings may be secret
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        attribute = ast.Attribute(node.args[0], name.value, ast.Load())
        ast.copy_location(attribute, node)
        found = read(walk, receiver, attribute)
        if streams and not found and not name.value.startswith("_"):  # private ones are noted
            walk.escape(node, Escaping.DYNAMIC_NAME, streams[0].kind, label)
        return found | arguments.get(2, "")
    if streams:
        walk.escape(node, Escaping.DYNAMIC_NAME, streams[0].kind, label)
        return UNKNOWN
    if not receiver or any(isinstance(atom, Mod | Named) for atom in receiver):
        return frozenset({Dynamic(label)})
    return UNKNOWN


def _import_module(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    if not isinstance(node, ast.Call) or not node.args:
        return UNKNOWN
    name = node.args[0]
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return frozenset({Dynamic("import_module(…)")})
    path = walk.analysis.names.find(name.value, walk.module.path)
    if path is not None and path in walk.analysis.modules:
        return local_module(walk, path)
    return frozenset({walk.analysis.named(name.value)})


def _setattr(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    """``setattr(x, "name", value)`` is ``x.name = value``."""
    if not isinstance(node, ast.Call) or len(node.args) < 3:
        return UNKNOWN
    receiver, name = node.args[:2]
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        target = ast.Attribute(receiver, name.value, ast.Store())
        ast.copy_location(target, node)
        assign_attribute(walk, target, arguments.get(2, ""), node)
    else:
        lose(walk, node, arguments.get(2, ""), Escaping.DYNAMIC_NAME, "setattr(…)")
    return UNKNOWN


def _namespace(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    box = walk.analysis.box(node)
    box.rest |= {Dynamic(NAMESPACE)}
    return frozenset({box})


def _evaluated(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    if isinstance(node, ast.Call) and node.args:
        lose(walk, node, _mentioned(walk, node.args[0]), Escaping.DYNAMIC_NAME, "eval(…)")
    return frozenset({Dynamic("eval(…)")})


def _executed(walk: Walk, node: ast.AST, arguments: Arguments) -> Value:
    if isinstance(node, ast.Call) and node.args:
        code = node.args[0]
        if any(isinstance(part, ast.Constant) for part in ast.walk(code)):
            used = _mentioned(walk, code)
        else:  # it may use whatever is there
            used = UNKNOWN.union(*walk.env.values())
        lose(walk, node, used, Escaping.DYNAMIC_NAME, "exec(…)")
    return UNKNOWN


def _mentioned(walk: Walk, code: ast.expr) -> Value:
    """What the names in literal code are."""
    found: Value = UNKNOWN
    for part in ast.walk(code):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            for word in set(_WORD.findall(part.value)):
                scope: Unit | None = walk.unit
                value = walk.env.get(word)
                while value is None and scope is not None:
                    value, scope = scope.joined.get(word), scope.parent
                found |= value or UNKNOWN
    return found


HANDLERS: dict[str, Callable[[Walk, ast.AST, Arguments], Value]] = {
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "importlib.import_module": _import_module,
    "builtins.__import__": _import_module,
    "builtins.globals": _namespace,
    "builtins.locals": _namespace,
    "builtins.eval": _evaluated,
    "builtins.exec": _executed,
}


def _call(walk: Walk, atom: Dynamic, node: ast.AST, arguments: Arguments) -> Value:
    escape(walk, node, arguments.all(), Escaping.DYNAMIC_NAME, atom.name)
    return UNKNOWN


CALLERS[Dynamic] = _call
