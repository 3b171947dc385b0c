"""A batch function that does not take the arguments it gets.

## Why

`foreachRDD` and `transform` look at `f.__code__.co_argcount`: with one argument they call `f(rdd)`,
with any other number `f(time, rdd)`. So

- the `self` of a bound method counts: `foreachRDD(self.process)` with `def process(self, rdd)` also
  gets the time, and fails;
- arguments with defaults count: in `lambda rdd, table=t: …` the time arrives as `rdd` and the RDD
  as `table`;
- a wrapper `def wrapper(*args)` gets the time and the RDD;
- `functools.partial` and objects with `__call__` have no `__code__`, and are refused.

Both engines do this.

## What to do

Write a lambda: `foreachRDD(lambda rdd: self.process(rdd))`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Function, Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._functions import positional

RULE = Rule(
    "DS311",
    "callback-arity",
    "A batch function that does not take the arguments it gets",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="{method} {trouble}",
    help="write a lambda that takes exactly these arguments and calls the function",
)

VALID = [
    HEAD + "pairs.foreachRDD(lambda rdd: print(rdd.count()))\n",
    HEAD + "pairs.foreachRDD(lambda time, rdd: print(time, rdd.count()))\n",
]
INVALID = [
    Example(HEAD + "pairs.foreachRDD(lambda rdd, table=t: save(rdd, table))\n", lines=(5,)),
    Example(
        HEAD
        + """\
class Sink:
    def save(self, rdd):
        print(rdd.count())
pairs.foreachRDD(Sink().save)
""",
        lines=(8,),
    ),
]

_RDDS = {"foreachRDD": 1, "transform": 1, "transformWith": 2}


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, *_RDDS):
        function, argument = call.function("func"), call.argument("func")
        if function is None or argument is None:
            continue
        rdds = _RDDS[call.method]
        trouble, odd = _trouble(function, call.method, rdds), _oddity(function)
        if trouble or odd:
            yield RULE.at(
                module,
                call,
                argument,
                harmless=trouble is None,
                confidence=function.confidence,
                trouble=trouble or odd,
            )


def _trouble(function: Function, method: str, rdds: int) -> str | None:
    """Why the call fails, or passes other things than the function expects."""
    if function.partial:
        return "refuses an object without __code__, such as a partial"
    if _is_wrapped(function):
        return None
    node = function.node
    counted = len(positional(node))
    if method != "foreachRDD" and counted not in (rdds, rdds + 1):
        return f"refuses a function that seems to take {_of(counted)}"
    timed = counted != rdds
    given = rdds + timed + function.bound_method
    required = counted - len(node.args.defaults)
    if given < required or (given > counted and node.args.vararg is None):
        how = "the time as its first argument" if timed else "no time"
        return f"calls this function with {how}, which it does not take"
    if timed and required == rdds and node.args.defaults and not function.bound_method:
        return "counts arguments with defaults, so this function gets the time as its first"
    return None


def _transparent(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "classmethod")


def _of(count: int) -> str:
    return f"{count} argument{'s' if count != 1 else ''}"


def _oddity(function: Function) -> str | None:
    """What is worth knowing where nothing fails."""
    if _is_wrapped(function):
        return "counts the arguments of the decorated function's wrapper"
    if not positional(function.node) and function.node.args.vararg is not None:
        return "calls a function of *args with the time and the RDD"
    return None


def _is_wrapped(function: Function) -> bool:
    decorators = getattr(function.node, "decorator_list", ())
    return any(not _transparent(decorator) for decorator in decorators)
