"""A function with the wrong number of arguments.

## Why

`map` calls its function with one element, `reduceByKey` with two values, `updateStateByKey` with
the list of new values and the state. A function that takes more or fewer arguments fails on the
first record, on both engines. Often it is a Python 2 lambda whose tuple parameter became two
parameters.

## What to do

Take one argument and unpack it: `map(lambda pair: (pair[1], pair[0]))`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Function, Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._functions import positional

RULE = Rule(
    "DS304",
    "function-arguments",
    "A function that does not take the arguments the operator passes to it",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="{method} calls this function with {count}, and it takes another number",
    help="take as many arguments as are passed; a pair is one argument",
)

_GIVEN = {
    "map": {"f": 1},
    "flatMap": {"f": 1},
    "filter": {"f": 1},
    "mapValues": {"f": 1},
    "flatMapValues": {"f": 1},
    "mapPartitions": {"f": 1},
    "mapPartitionsWithIndex": {"f": 2},
    "reduce": {"func": 2},
    "reduceByKey": {"func": 2},
    "combineByKey": {"createCombiner": 1, "mergeValue": 2, "mergeCombiners": 2},
    "partitionBy": {"partitionFunc": 1},
    "reduceByWindow": {"reduceFunc": 2, "invReduceFunc": 2},
    "reduceByKeyAndWindow": {"func": 2, "invFunc": 2, "filterFunc": 1},
    "updateStateByKey": {"updateFunc": 2},
}

VALID = [
    HEAD + "pairs.map(lambda pair: (pair[1], pair[0])).pprint()\n",
    HEAD + "pairs.map(lambda pair, sign=-1: sign * pair[1]).pprint()\n",
]
INVALID = [
    Example(HEAD + "pairs.map(lambda key, value: (value, key)).pprint()\n", lines=(5,)),
    Example(HEAD + "pairs.reduceByKey(lambda pair: pair[0] + pair[1]).pprint()\n", lines=(5,)),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.STREAM, *_GIVEN):
        for parameter, count in _GIVEN[call.method].items():
            function = call.function(parameter)
            argument = call.argument(parameter)
            if function is None or argument is None or _takes(function, count):
                continue
            yield RULE.at(
                module,
                call,
                argument,
                harmless=not project.is_asked_for(module, call),
                confidence=function.confidence,
                count=f"{count} argument{'s'[: count - 1]}",
            )


def _takes(function: Function, count: int) -> bool:
    node = function.node
    if function.partial or getattr(node, "decorator_list", None):
        return True  # what is called is another function
    count += function.bound_method
    names = positional(node)
    required = len(names) - len(node.args.defaults)
    missing = any(default is None for default in node.args.kw_defaults)
    return required <= count and not missing and (count <= len(names) or bool(node.args.vararg))
