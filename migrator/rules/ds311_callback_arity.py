"""How many arguments a batch function takes.

## Why

`foreachRDD` and `transform` look at `f.__code__.co_argcount`: one argument means `f(rdd)`,
anything else `f(time, rdd)`. So

- the `self` of a bound method counts: `foreachRDD(self.process)` with `def process(self, rdd)` is
  called with the time, too, and fails;
- arguments with defaults count: in `lambda rdd, table=t: …` the time arrives as `rdd` and the RDD
  as `table`;
- a wrapper `def wrapper(*args)` gets the time and the RDD;
- `functools.partial` and objects with `__call__` have no `__code__`, and are refused.

Both engines do this.

## What to do

Say it with a lambda: `foreachRDD(lambda rdd: self.process(rdd))`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Function, Kind, Module, Project
from migrator.rules._support import HEAD, at_most, function_of, positional

RULE = Rule(
    "DS311",
    "callback-arity",
    "A batch function that is called with other arguments than it takes",
    Severity.ERROR,
    Readiness.BLOCKED,
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
        function = function_of(call, "func")
        argument = (call.arguments or {}).get("func")
        if function is None or argument is None:
            continue
        trouble = _trouble(function, call.method, _RDDS[call.method])
        if trouble is None:
            continue
        message, severity = trouble
        yield RULE.finding(
            module.source,
            argument,
            message,
            "write a lambda that takes exactly what is to be given, and calls the function",
            severity=severity,
            readiness=Readiness.READY if severity is Severity.INFO else None,
            confidence=at_most(
                call.confidence, Confidence.LIKELY if function.bound_method else Confidence.SURE
            ),
        )


def _trouble(function: Function, method: str, rdds: int) -> tuple[str, Severity] | None:
    if function.partial:
        return f"{method} refuses an object without __code__, such as a partial", Severity.ERROR
    node = function.node
    if any(not _transparent(decorator) for decorator in getattr(node, "decorator_list", ())):
        return f"{method} counts the arguments of the decorated function's wrapper", Severity.INFO
    counted = len(positional(node))
    if method != "foreachRDD" and counted not in (rdds, rdds + 1):
        return f"{method} refuses a function that seems to take {_of(counted)}", Severity.ERROR
    timed = counted != rdds
    given = rdds + timed + function.bound_method
    required = counted - len(node.args.defaults)
    if given < required or (given > counted and node.args.vararg is None):
        return f"{method} calls this function with {_called(timed)}, which it does not take", (
            Severity.ERROR
        )
    if timed and node.args.vararg is not None and counted == 0:
        return f"{method} calls a function of *args with the time and the RDD", Severity.INFO
    if timed and required == rdds and node.args.defaults and not function.bound_method:
        return (
            f"{method} counts arguments with defaults, so this function gets the time as its first",
            Severity.ERROR,
        )
    return None


def _transparent(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "classmethod")


def _of(count: int) -> str:
    return f"{count} argument{'s' if count != 1 else ''}"


def _called(timed: bool) -> str:
    return "the time in front" if timed else "no time"
