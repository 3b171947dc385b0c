"""When code runs: in every batch, after ``start()``, or while the job is being built."""

from __future__ import annotations

import ast

from migrator.model.inference.analysis import Analysis
from migrator.model.inference.units import Edge, FunctionUnit, Later, ModuleUnit, Unit
from migrator.model.inference.values import UNKNOWN, Value


class Timing:
    """Asked once everything is walked."""

    def __init__(self, analysis: Analysis) -> None:
        self._started = analysis.started_at
        self._ever: Value = UNKNOWN.union(
            *(unit.starts for module in analysis.modules.values() for unit in _units(module))
        )
        self.any_start = bool(self._ever)
        self._callers: dict[Unit, list[Edge]] = {}
        callees: dict[Unit, list[FunctionUnit]] = {}
        for edge in analysis.edges.values():
            self._callers.setdefault(edge.callee, []).append(edge)
            callees.setdefault(edge.caller, []).append(edge.callee)
        self._batch: dict[Unit, str] = {}
        self._elsewhere: dict[Unit, str] = {}
        for edge in analysis.edges.values():
            if edge.batch is not None:
                _spread(edge.callee, edge.batch, self._batch, callees)
            if edge.later is Later.ELSEWHERE:
                _spread(edge.callee, edge.later.value, self._elsewhere, callees)
        self._entries: dict[Unit, Value] = {}

    def batch(self, unit: Unit) -> str | None:
        """The operation in whose function a unit runs."""
        return _around(unit, self._batch)

    def elsewhere(self, unit: Unit) -> bool:
        """Whether a unit runs in another process that the job starts."""
        return bool(self._elsewhere) and _around(unit, self._elsewhere) is not None

    def after_start(self, node: ast.AST, unit: Unit, contexts: set[int]) -> bool:
        """Whether a call comes after the start of one of its contexts; of any context where they
        are not known."""
        started = self._started.get(node, UNKNOWN) | self._at_entry(unit)
        numbers = {getattr(thing, "number", None) for thing in started}
        return bool(numbers & contexts if contexts else numbers)

    def _at_entry(self, unit: Unit) -> Value:
        """Contexts that are started whenever a function is called."""
        if unit not in self._entries:
            self._entries[unit] = UNKNOWN  # for functions that call themselves
            edges = [e for e in self._callers.get(unit, ()) if e.batch is None]
            ways = [self._of_edge(edge) for edge in edges if edge.caller is not unit]
            self._entries[unit] = ways[0].intersection(*ways[1:]) if ways else UNKNOWN
        return self._entries[unit]

    def _of_edge(self, edge: Edge) -> Value:
        if edge.later is not None:
            # at some time, most likely when the job runs; not if it starts the job itself
            return self._ever - edge.callee.starts
        return edge.started | self._at_entry(edge.caller)


def _spread(
    unit: FunctionUnit,
    where: str,
    found: dict[Unit, str],
    callees: dict[Unit, list[FunctionUnit]],
) -> None:
    """A function runs somewhere, and with it all that it calls."""
    todo = [unit]
    while todo:
        at = todo.pop()
        if at not in found:
            found[at] = where
            todo += callees.get(at, [])


def _around(unit: Unit | None, found: dict[Unit, str]) -> str | None:
    while unit is not None:
        if unit in found:
            return found[unit]
        unit = unit.parent
    return None


def _units(module: ModuleUnit) -> list[Unit]:
    return [module, *module.units.values()]
