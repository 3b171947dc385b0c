"""Arguments of a call by the names of the parameters they go to."""

from __future__ import annotations

import ast

from migrator.model.api import Method


def bind(
    method: Method, node: ast.Call, called: str | None = None, skipped: int = 0
) -> tuple[dict[str, ast.expr] | None, str | None]:
    """Arguments by parameter name, and why they do not fit if they do not.

    The first ``skipped`` arguments are left out. Neither is given where ``*args`` or ``**kwargs``
    hide what goes where. What ``*parameters`` take is not in it.

    >>> from migrator.model.api import DSTREAM
    >>> def of(code):
    ...     bound, why = bind(DSTREAM["window"], ast.parse(code, mode="eval").body)
    ...     return list(bound) if bound is not None else why
    >>> of("s.window(30, slideDuration=10)")
    ['windowDuration', 'slideDuration']
    >>> of("s.window(30, 10, 5)")
    'window takes at most 2 arguments but 3 are given'
    >>> of("s.window()")
    'windowDuration is missing'
    """
    if any(isinstance(part, ast.Starred) for part in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    ):
        return None, None
    called, positional = called or method.name, node.args[skipped:]
    parameters = [parameter for parameter in method.parameters if not parameter.star]
    variadic = len(parameters) < len(method.parameters)
    if len(positional) > len(parameters) and not variadic:
        most = len(parameters)
        given = len(positional)
        verb = "is" if given == 1 else "are"
        return None, f"{called} takes {_at_most(method, most)} but {given} {verb} given"
    bound = dict(zip((parameter.name for parameter in parameters), positional, strict=False))
    names = {parameter.name for parameter in parameters}
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg not in names:
            return None, f"{called} has no parameter {keyword.arg}"
        if keyword.arg in bound:
            return None, f"{keyword.arg} is given twice, by position and by name"
        bound[keyword.arg] = keyword.value
    for parameter in parameters:
        if parameter.required and parameter.name not in bound:
            return None, f"{parameter.name} is missing"
    return bound, None


def _at_most(method: Method, most: int) -> str:
    if most == 0:
        return "no arguments"
    few = "at most " if any(not p.required for p in method.parameters) else ""
    return f"{few}{most} argument{'s' if most > 1 else ''}"
