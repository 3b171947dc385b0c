"""Does a ``foreachRDD`` body change something that other functions of the job read?

If bodies do not run, such a job would be compared in a state that it never has. The answer comes
from the source of the functions: what they assign, change and mention.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import BuiltinMethodType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

from dstream_parity.verify.child.name_uses import NameUse, root_of, uses_in

_DEPTH = 4  # how deep calls of the job's other functions are followed

Key = tuple[Any, ...]


def conflicts(bodies: Iterable[tuple[str, Any]], others: Iterable[tuple[str, Any]]) -> list[str]:
    """One sentence for each body that changes what another function reads.

    Both are pairs: where the function was passed (``map at job.py:12``), and the function.
    """
    reads: dict[Key, str] = {}
    for where, function in others:
        for key in _keys(function, writes=False):
            reads.setdefault(key, where)
    found = []
    for where, body in bodies:
        for key, name in _keys(body, writes=True).items():
            if key in reads:
                found.append(
                    f"the body of {where} changes {name}, which the function of {reads[key]} reads"
                )
                break
    return found


def _keys(function: Any, writes: bool) -> dict[Key, str]:
    """What a function changes or mentions, by identity: names in namespaces, and objects."""
    found: dict[Key, str] = {}
    for scope, use in _uses(function, _DEPTH, set()):
        if writes and not use.writes:
            continue
        key, value = scope(use.name)
        if key is None:
            continue
        if use.rebinds or not writes:
            found.setdefault(key, use.name)
        if value is not None and not (writes and use.rebinds) and _is_state(value):
            found.setdefault(("object", id(value)), use.name)
    for value in () if writes else _carried(function):
        if _is_state(value):
            found.setdefault(("object", id(value)), type(value).__name__)
    return found


def _carried(function: Any) -> Iterator[Any]:
    """Objects that are part of a callable: ``totals.get``, the arguments of a partial."""
    if isinstance(function, functools.partial):
        yield from (*function.args, *function.keywords.values())
        yield from _carried(function.func)
    elif isinstance(function, BuiltinMethodType):
        yield function.__self__


def _is_state(value: Any) -> bool:
    plain = (str, bytes, int, float, bool, tuple, frozenset, type, ModuleType)
    return not isinstance(value, plain) and not callable(value)


Scope = Callable[[str], tuple[Key | None, Any]]


Given = Mapping[str, Any]
"""Parameters whose arguments are known: defaults, those of a partial, names in a call."""


def _uses(
    function: Any, depth: int, seen: set[Key], given: Given = MappingProxyType({})
) -> Iterator[tuple[Scope, NameUse]]:
    """All uses of names from outside, in the function and in functions of the job it calls."""
    if isinstance(function, functools.partial):
        names = _parameters(function.func)
        known = {**dict(zip(names, function.args, strict=False)), **function.keywords}
        yield from _uses(function.func, depth, seen, {**known, **given})
        return
    if not isinstance(function, (FunctionType, MethodType, type)) and callable(function):
        function = getattr(function, "__call__", None)  # noqa: B004  # an object that is called
    bound = getattr(function, "__self__", None) if isinstance(function, MethodType) else None
    names = _parameters(function)
    function = function.__func__ if isinstance(function, MethodType) else function
    if not isinstance(function, FunctionType) or depth < 0:
        return
    defaults = function.__defaults__ or ()
    known = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    given = {name: value for name, value in {**known, **given}.items() if _is_state(value)}
    key = (id(function), id(bound), *sorted((name, id(value)) for name, value in given.items()))
    if key in seen:
        return
    seen.add(key)
    scope = _scope_of(function, bound, given)
    for node in _nodes_of(function):
        for use in uses_in(node, bound is not None, given):
            yield scope, use
            _, value = scope(use.name)
            if isinstance(value, (FunctionType, MethodType, functools.partial)):
                handed = _handed(use.call, value, scope) if use.call is not None else {}
                yield from _uses(value, depth - 1, seen, handed)


def _parameters(function: Any) -> tuple[str, ...]:
    code = getattr(function, "__code__", None)
    if code is None:
        return ()
    first = 1 if isinstance(function, MethodType) else 0
    names: tuple[str, ...] = code.co_varnames[first : code.co_argcount]
    return names


def _handed(call: ast.Call, function: Any, scope: Scope) -> dict[str, Any]:
    """What a call passes by name, under the names of the parameters."""
    pairs = [*zip(_parameters(function), call.args, strict=False)]
    pairs += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
    found = {}
    for parameter, argument in pairs:
        if isinstance(argument, (ast.Name, ast.Attribute)):
            root = root_of(argument)
            found[parameter] = scope(root)[1] if root is not None else None
    return found


def _scope_of(function: FunctionType, bound: Any, given: Given) -> Scope:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    arguments = function.__code__.co_varnames
    first = arguments[0] if bound is not None and arguments else None

    def find(name: str) -> tuple[Key | None, Any]:
        root, _, attribute = name.partition(".")
        if root == first:
            return ("attribute", id(bound), attribute), getattr(bound, attribute, None)
        key: Key
        if root in given:
            value, key = given[root], ("object", id(given[root]))
        elif root in cells:
            try:
                value = cells[root].cell_contents
            except ValueError:
                return None, None
            key = ("cell", id(cells[root]))
        elif root in function.__globals__:
            value = function.__globals__[root]
            key = ("global", id(function.__globals__), root)
        elif hasattr(builtins, root):
            return None, None
        else:  # bound later, by this very function perhaps
            return ("global", id(function.__globals__), root), None
        if attribute and isinstance(value, ModuleType):  # as that module's own functions see it
            return ("global", id(value.__dict__), attribute), getattr(value, attribute, None)
        if attribute:
            return ("attribute", id(value), attribute), getattr(value, attribute, None)
        return key, value

    return find


def _nodes_of(function: FunctionType) -> list[ast.AST]:
    """The syntax of a function, or of all candidates if a line has several lambdas."""
    code = function.__code__
    try:
        source = inspect.getsourcefile(function)
        tree = _parsed(source) if source else None
    except (OSError, TypeError, SyntaxError, ValueError):
        tree = None
    if tree is None:
        return []
    wanted = code.co_varnames[: code.co_argcount]
    found: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            line = node.lineno
            if isinstance(node, ast.FunctionDef):
                line = min([line, *(decorator.lineno for decorator in node.decorator_list)])
            names = tuple(argument.arg for argument in (*node.args.posonlyargs, *node.args.args))
            is_lambda = code.co_name == "<lambda>"
            same = (line, names) == (code.co_firstlineno, wanted)
            if same and isinstance(node, ast.Lambda) == is_lambda:
                found.append(node)
    return found


@functools.lru_cache(maxsize=64)
def _parsed(path: str) -> ast.AST:
    return ast.parse("".join(linecache.getlines(path)))  # a notebook's cells are there, too
