"""Rules that only note a difference: declarations without code of their own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from migrator.core import Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project

Calls: TypeAlias = Callable[[Module, Project], Iterable[Call]]


@dataclass(frozen=True, kw_only=True)
class Note(Rule):
    """Said once per job, at the first call that it is about."""

    on: Calls
    severity: Severity = Severity.INFO
    readiness: Readiness = Readiness.READY

    def check(self, module: Module, project: Project) -> Iterator[Finding]:
        for call in project.first(module, self.on):
            yield self.at(module, call)


def calls(
    kind: Kind, *methods: str, given: Collection[str] = (), owners: Collection[str] = ()
) -> Calls:
    """Calls of these methods; with ``given``, those that have an argument for one of these
    parameters; with ``owners``, those on these classes."""

    def found(module: Module, project: Project) -> Iterator[Call]:
        return (
            call
            for call in module.calls_of(kind, *methods)
            if (not given or any(call.given(name) is not None for name in given))
            and (not owners or call.owner in owners)
        )

    return found


def either(*kinds: Calls) -> Calls:
    """Calls of several kinds, in this order."""

    def found(module: Module, project: Project) -> Iterator[Call]:
        for kind in kinds:
            yield from kind(module, project)

    return found
