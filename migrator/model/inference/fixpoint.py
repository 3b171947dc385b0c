"""From sources to a project: every unit walked until nothing changes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from migrator.model.inference import (
    assignments,
    calls,
    definitions,
    dynamic,
    expressions,
    importing,
    outside,
    results,
    statements,
)
from migrator.model.inference.analysis import Analysis
from migrator.model.inference.annotations import annotated
from migrator.model.inference.units import FunctionUnit, ModuleUnit, Unit
from migrator.model.inference.values import NONE, UNKNOWN, Opaque, Value, elements, things
from migrator.model.inference.walk import Walk
from migrator.model.jobmodel import Project
from migrator.model.names import Modules
from migrator.text.source import PythonSource, Unreadable

_REGISTERED = assignments, calls, definitions, dynamic, expressions, outside, statements
"""Imported for what they add to EVALUATORS, EXECUTORS and CALLERS."""


def analyse(sources: Iterable[PythonSource], named: Collection[str] = ()) -> Project:
    """The model of all jobs in these sources. Never raises: what cannot be parsed or followed is in
    Project.unreadable. ``named`` are paths that files outside the sources mention: they may take
    names from there."""
    unreadable: dict[str, str] = {}
    readable: list[PythonSource] = []
    for source in sources:
        try:
            source.tree  # noqa: B018
            readable.append(source)
        except Unreadable as error:
            unreadable[source.path] = str(error)
    names = Modules(source.path for source in readable)
    modules = {s.path: ModuleUnit(s, names.name(s.path)) for s in readable}
    analysis = Analysis(names, modules, _walk)
    for module in modules.values():
        if not module.walked:
            analysis.walk(module)
    analysis.settle()
    _walk_uncalled(analysis)
    for path in analysis.too_deep:
        unreadable[path] = "is nested too deeply to be followed"
    return results.project(analysis, unreadable, named)


def _walk_uncalled(analysis: Analysis) -> None:
    """Functions without a caller in the run; walking them may bring up more."""
    found = True
    while found:
        found = False
        for module in analysis.modules.values():
            for unit in list(module.units.values()):
                if not unit.walked:
                    found = True
                    analysis.walk(unit)
        analysis.settle()


def _walk(analysis: Analysis, unit: Unit, depth: int) -> None:
    walk = Walk(analysis, unit, depth)
    if isinstance(unit, ModuleUnit):
        if unit.source.notebook:
            importing.run_files(walk)
        walk.run(unit.source.tree.body)
        return
    assert isinstance(unit, FunctionUnit)
    _parameters(walk, unit)
    if isinstance(unit.node, ast.Lambda):
        statements.returned(walk, unit, walk.eval(unit.node.body))
        return
    declared = annotated(walk, unit.node.returns, unit.node, unit.name)
    if not walk.run(unit.node.body):
        statements.returned(walk, unit, NONE)
    if declared and not any(things(part) for part in (unit.result, elements(unit.result))):
        statements.returned(walk, unit, declared)


def _parameters(walk: Walk, unit: FunctionUnit) -> None:
    arguments = unit.node.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        given = unit.given.get(argument.arg, UNKNOWN)
        declared = annotated(walk, argument.annotation, argument, argument.arg)
        walk.bind(argument.arg, _parameter(walk, unit, argument, given, declared))
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            annotated(walk, extra.annotation, extra, extra.arg)
            walk.bind(extra.arg, unit.given.get(extra.arg, UNKNOWN))


def _parameter(
    walk: Walk, unit: FunctionUnit, argument: ast.arg, given: Value, declared: Value
) -> Value:
    owner = unit.owner
    if owner is not None and unit.kind != "staticmethod" and argument.arg == unit.positional[0]:
        if unit.kind == "classmethod":
            return given | {walk.analysis.class_(owner)}
        return given | {owner.instance} | owner.constructed
    if any(type(atom) is not Opaque for atom in given - NONE):
        return given if things(given) or not declared else given | declared
    if declared:
        return declared
    return given - NONE or frozenset({walk.analysis.opaque(unit, argument.arg, argument)})
