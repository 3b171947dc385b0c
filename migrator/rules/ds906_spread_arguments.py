"""Arguments that are known only at run time.

## Why

`window(*DURATIONS)` and `createStream(**settings)` cannot be matched with the signature without
running the job, so other rules did not check these arguments.

## What to do

Nothing has to change for the move: the signature is the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS906",
    "spread-arguments",
    "Arguments given with * or ** were not checked",
    Severity.INFO,
    Readiness.READY,
    message="the arguments of this {method} are known only at run time",
    help="nothing to do; they were not checked",
)

VALID = [HEAD + "lines.window(4, 2).pprint()\n", HEAD + "ssc.union(*streams).pprint()\n"]
INVALID = [Example(HEAD + "lines.window(*durations).pprint()\n", lines=(5,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls:
        if call.on not in (Kind.STREAM, Kind.CONTEXT, Kind.UTILS) or not call.known:
            continue
        if call.method == "union" and call.on is Kind.CONTEXT:
            continue  # takes any number of streams
        spread = any(isinstance(argument, ast.Starred) for argument in call.node.args)
        if spread or any(keyword.arg is None for keyword in call.node.keywords):
            yield RULE.at(module, call)
