"""A stream goes through a name chosen at run time.

## Why

`getattr(module, name)(stream)`, `globals()[name]` and the like decide at run time what is called.
What happens to the stream there cannot be seen.

## What to do

Nothing has to change for the move: what is called gets a DStream as before. Look through the
functions that can be chosen, and give their files to `migrate` as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Escape, Escaping, Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS902",
    "dynamic-name",
    "A stream goes through a name chosen at run time",
    Severity.WARNING,
    Readiness.UNKNOWN,
    message="a {kind} goes through a name chosen at run time and is not followed",
    help="look through what can be chosen, and give those files to migrate too",
)

VALID = [HEAD + "pairs.map(getattr(functions, name)).pprint()\n"]
INVALID = [Example(HEAD + "getattr(pipelines, name)(lines)\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for escape in module.escapes:
        if is_dynamic(escape):
            yield RULE.at(module, escape)


def is_dynamic(escape: Escape) -> bool:
    """Including calls of what ``getattr`` and the like returned."""
    called = escape.name.startswith(("getattr(", "globals(", "locals(", "import_module("))
    return escape.how is Escaping.DYNAMIC_NAME or called
