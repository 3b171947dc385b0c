"""A batch is computed once.

## Why

On the legacy engine every action on an RDD, and every output on a stream, runs the functions
upstream of it again unless the stream is cached. Now they run once per batch. So accumulators in
`map` and the like count once, and other side effects happen once.

## What to do

Nothing in most jobs: results are the same and come sooner. If a report relied on counts that came
out too high, correct it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._functions import names_read, positional

RULE = Rule(
    "DS315",
    "computed-once",
    "Functions run once per batch, not once per action",
    Severity.INFO,
    Readiness.READY,
    message="the RDD has more than one action here; what is upstream of it now runs only once",
    help="nothing to do, unless functions upstream have side effects that were counted twice",
    differences=("D01",),
)

_ACTIONS = frozenset(
    {
        "collect",
        "collectAsMap",
        "count",
        "countByKey",
        "countByValue",
        "first",
        "foreach",
        "foreachPartition",
        "isEmpty",
        "max",
        "min",
        "reduce",
        "saveAsTextFile",
        "sum",
        "take",
        "takeOrdered",
        "top",
    }
)
_PER_RECORD = ("map", "flatMap", "filter", "mapValues", "flatMapValues", "mapPartitions")

VALID = [
    HEAD + "pairs.foreachRDD(lambda rdd: print(rdd.count()))\n",
    HEAD + "pairs.cache().foreachRDD(lambda rdd: print(rdd.cache().count(), rdd.collect()))\n",
]
INVALID = [
    Example(HEAD + "pairs.foreachRDD(lambda rdd: print(rdd.count(), rdd.collect()))\n", lines=(5,)),
    Example(
        HEAD
        + """\
seen = sc.accumulator(0)
def note(pair):
    seen.add(1)
    return pair
pairs.map(note).pprint()
""",
        lines=(9,),
    ),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in project.first(module, _twice):
        yield RULE.at(module, call)
    for call in _accumulating(module):
        yield RULE.at(
            module,
            call,
            message="an accumulator in this {method} now counts every element once per batch",
            help="nothing to do; counts of the legacy engine may have been too high",
        )


def _twice(module: Module, project: Project) -> Iterator[Call]:
    for call in module.calls_of(Kind.STREAM, "foreachRDD"):
        function = call.function("func")
        if function is None:
            continue
        own = set(positional(function.node))
        used = [
            node.func.attr
            for node in ast.walk(function.node)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in own
        ]
        if not {"cache", "persist"} & set(used) and sum(name in _ACTIONS for name in used) > 1:
            yield call


def _accumulating(module: Module) -> Iterator[Call]:
    if ".accumulator(" not in module.source.text:
        return
    accumulators = {
        target.id
        for node in module.source.of(ast.Assign)
        if isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr == "accumulator"
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in module.calls_of(Kind.STREAM, *_PER_RECORD):
        function = call.function("f")
        if function is None or function.module != module.path:
            continue
        stored = {
            node.id
            for node in ast.walk(function.node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        if (names_read(function.node) | stored) & accumulators:
            yield call
