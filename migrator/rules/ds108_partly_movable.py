"""Another module of the job cannot be moved along.

## Why

A stream of the legacy engine cannot be joined with one of `dstream_compat`, and neither engine can
start the other's. If one module of a job moves and another one stays, the job breaks where they
meet.

## What to do

First deal with what is reported for the other module, then rewrite all modules of the job together.
If a comment (`# migrate: ignore`) or a setting (`per-file-ignores`) keeps the other module as it
is, exclude all modules of the job or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._moves import plans
from migrator.rules._names import legacy_imports

RULE = Rule(
    "DS108",
    "partly-movable",
    "Some of the job's modules cannot be moved",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="{path} belongs to the same job and cannot be moved as it is",
    help="deal with the imports there first, then rewrite both together",
)

VALID = ["from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 1)\n"]
INVALID: list[Example] = []
"""It takes two files: see the tests."""


def check(module: Module, project: Project) -> Iterator[Finding]:
    statements = legacy_imports(module)
    if not statements or not any(len(paths) > 1 for paths in project.jobs_of(module)):
        return
    if not any(plan.edits for plan in plans(module)):
        return
    for path in sorted(_others(module, project)):
        if _stays(project.modules.get(path)):
            yield RULE.at(module, next(iter(statements)), path=path)


def beside(module: Module, project: Project, staying: Set[str]) -> Iterator[Finding]:
    """What to say where comments or settings keep the imports of other modules as they are."""
    statements = legacy_imports(module)
    if module.path in staying or not any(plan.edits for plan in plans(module)):
        return
    for path in sorted(_others(module, project) & staying):
        yield RULE.at(
            module,
            next(iter(statements)),
            message="{path} belongs to the same job, and a comment or a setting keeps it as it is",
            help="exclude both modules or neither",
            path=path,
        )


def _stays(module: Module | None) -> bool:
    """Whether something of the legacy API is left in a module after rewriting."""
    return module is not None and any(plan.missing or plan.unreachable for plan in plans(module))


def _others(module: Module, project: Project) -> set[str]:
    return {path for paths in project.jobs_of(module) for path in paths} - {module.path}
