"""Another module of the job cannot be moved along.

## Why

A stream of the legacy engine and one of the shim cannot be joined, and neither engine can start
the other's. If one module of a job moves and another one stays, the job breaks where they meet.

## What to do

Deal with what is reported for the other module first, then rewrite all modules of the job
together. Where a comment (`# migrate: ignore`) or a setting (`per-file-ignores`) keeps the other
module back, exclude all modules of the job or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._moves import plans
from migrator.rules._names import legacy_imports
from migrator.rules._support import jobs_of

RULE = Rule(
    "DS108",
    "partly-movable",
    "A part of the job's modules cannot be moved",
    Severity.ERROR,
    Readiness.BLOCKED,
)

VALID = ["from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 1)\n"]
INVALID: list[Example] = []
"""It takes two files: see the tests."""


def check(module: Module, project: Project) -> Iterator[Finding]:
    statements = legacy_imports(module)
    if not statements or not any(len(paths) > 1 for paths in jobs_of(module, project)):
        return
    if not any(plan.edits for plan in plans(module)):
        return
    others = {path for paths in jobs_of(module, project) for path in paths} - {module.path}
    for path in sorted(others):
        if _stays(project.modules.get(path)):
            yield RULE.finding(
                module.source,
                next(iter(statements)),
                f"{path} belongs to the same job and cannot be moved along as it is",
                "deal with the imports there first, then rewrite both together",
            )


def beside(module: Module, project: Project, staying: Set[str]) -> Iterator[Finding]:
    """What to say where comments or settings keep the imports of other modules as they are."""
    statements = legacy_imports(module)
    if module.path in staying or not any(plan.edits for plan in plans(module)):
        return
    others = {path for paths in jobs_of(module, project) for path in paths}
    for path in sorted(others & staying):
        yield RULE.finding(
            module.source,
            next(iter(statements)),
            f"{path} belongs to the same job and is kept as it is by a comment or a setting",
            "keep both modules back, or neither",
        )


def _stays(module: Module | None) -> bool:
    """Whether something of the legacy API is left in a module after rewriting."""
    return module is not None and any(plan.missing or plan.unreachable for plan in plans(module))
