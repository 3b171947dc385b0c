"""The rules, one module each, found by being here.

A rule's module has a docstring (its documentation page), ``RULE``, examples in ``VALID`` (sources
in which it finds nothing) and ``INVALID``, and a function ``check``:

    def check(module: Module, project: Project) -> Iterator[Finding]: ...

A rule that only notes a difference needs no ``check``: its ``RULE`` is a ``Note``, which says at
which calls.

A rule about what lies around jobs (scripts, requirements, settings) has ``check_text`` instead, and
its examples are texts of a file called ``EXAMPLE_PATH``:

    def check_text(source: PythonSource) -> Iterator[Finding]: ...
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING

from migrator.core import Check, Example, Finding, Rule
from migrator.rules._notes import Note
from migrator.text.source import PythonSource

if TYPE_CHECKING:
    from migrator.model.jobmodel import Module, Project


@lru_cache(maxsize=1)
def modules() -> dict[str, ModuleType]:
    """The rules' modules by code, in order."""
    found = [
        importlib.import_module(f"{__name__}.{info.name}")
        for info in pkgutil.iter_modules(__path__)
        if not info.name.startswith("_")
    ]
    by_code = {module.RULE.code: module for module in found}
    assert len(by_code) == len(found), "two rules share a code"
    return dict(sorted(by_code.items()))


def rules() -> dict[str, Rule]:
    return {code: module.RULE for code, module in modules().items()}


def examples(code: str) -> tuple[Sequence[str], Sequence[Example]]:
    """VALID and INVALID of a rule."""
    return modules()[code].VALID, modules()[code].INVALID


def findings(module: Module, project: Project) -> list[Finding]:
    """What all rules have to say about a module of a run."""
    return [finding for check in _checks() for finding in check(module, project)]


def text_findings(source: PythonSource) -> list[Finding]:
    """What the rules about what lies around jobs have to say about a file that is not Python."""
    return [
        finding
        for rule in modules().values()
        if hasattr(rule, "check_text")
        for finding in rule.check_text(source)
    ]


@lru_cache(maxsize=1)
def _checks() -> list[Check]:
    with_check = (rule.RULE if isinstance(rule.RULE, Note) else rule for rule in modules().values())
    return [rule.check for rule in with_check if hasattr(rule, "check")]
