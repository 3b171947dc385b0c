"""A transform function that does not return an RDD.

## Why

What `transform` returns is the RDD of the batch. A list, a number or a DataFrame fails the batch
("object has no attribute '_jrdd'"). `None`, or an empty list, means that there is no RDD: the
output downstream is not called for that batch, and a reduced window downstream fails as long as the
batch is in it. Both engines do this.

## What to do

Return an RDD: `rdd.sortBy(…)` instead of `sorted(rdd.collect())`,
`rdd.context.parallelize(rdd.take(10))` instead of `rdd.take(10)`, `df.rdd` instead of `df`,
`rdd.context.emptyRDD()` instead of nothing. If you only want to look at the result, use
`foreachRDD`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model import api
from migrator.model.jobmodel import Call, Function, Kind, Module, Project
from migrator.rules._examples import HEAD
from migrator.rules._functions import (
    FunctionNode,
    falls_through,
    inside,
    is_generator,
    positional,
    results,
)
from migrator.rules._literals import is_none

RULE = Rule(
    "DS310",
    "transform-returns-no-rdd",
    "A transform function that returns a list, a number or nothing",
    Severity.ERROR,
    Readiness.BLOCKED,
    message="this {method} function returns {what}, not an RDD",
    help="return an RDD (rdd.context.emptyRDD() for none), or use foreachRDD if nothing follows",
)

_ACTIONS = frozenset({"collect", "take", "takeOrdered", "takeSample", "top", "collectAsMap"})
_BUILTINS = frozenset({"list", "sorted", "dict", "set", "tuple", "len", "sum", "str", "int"})

VALID = [
    HEAD + "pairs.transform(lambda rdd: rdd.sortByKey()).pprint()\n",
    HEAD + "pairs.transform(lambda rdd: sc.parallelize(rdd.take(3))).pprint()\n",
]
INVALID = [
    Example(HEAD + "pairs.transform(lambda rdd: rdd.take(3)).pprint()\n", lines=(5,)),
    Example(
        HEAD + "def show(rdd):\n    print(rdd.collect())\npairs.transform(show).pprint()\n",
        lines=(7,),
    ),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls:
        if call.on not in (Kind.STREAM, Kind.CONTEXT) or call.method not in api.TRANSFORMS:
            continue
        function = call.function("func", "transformFunc")
        if function is None or getattr(function.node, "decorator_list", None):
            continue
        home = project.modules.get(function.module)
        wrong = _wrong(function, {} if home is None else _helpers(home))
        if wrong is not None:
            harmless = not project.is_asked_for(module, call)
            yield _finding(module, call, function, wrong, harmless)
        elif isinstance(function.node, ast.FunctionDef) and _may_be_none(function.node):
            yield _finding(module, call, function, "nothing on some paths", harmless=True)


def _finding(module: Module, call: Call, function: Function, what: str, harmless: bool) -> Finding:
    matters = ", which matters only if an output follows"
    return RULE.at(
        module,
        call,
        call.argument("func") or call.argument("transformFunc"),
        message=RULE.message + matters if harmless else None,
        harmless=harmless,
        confidence=function.confidence,
        what=what,
    )


def _helpers(module: Module) -> dict[str, ast.FunctionDef]:
    """Functions of a module whose names certainly mean them."""
    defined = [node for node in module.source.tree.body if isinstance(node, ast.FunctionDef)]
    bound = Counter(node.name for node in module.source.of(ast.FunctionDef))
    bound.update(n.id for n in module.source.of(ast.Name) if not isinstance(n.ctx, ast.Load))
    bound.update(node.arg for node in module.source.of(ast.arg))
    return {
        node.name: node for node in defined if bound[node.name] == 1 and not node.decorator_list
    }


def _wrong(function: Function, helpers: Mapping[str, ast.FunctionDef]) -> str | None:
    """What is returned that is certainly not an RDD."""
    node = function.node
    if is_generator(node):
        return "a generator"
    if isinstance(node, ast.AsyncFunctionDef):
        return "a coroutine"
    returned = results(node)
    for result in returned:
        wrong = _Returned(node, helpers).kind(result)
        if wrong is not None:
            return wrong
    if isinstance(node, ast.FunctionDef):
        raises = isinstance(node.body[-1], ast.Raise)
        never = all(result is None or is_none(result) for result in returned)
        if never and not raises and not _is_abstract(node):
            return "nothing"
    return None


@dataclass(frozen=True)
class _Returned:
    """What a function returns, seen from inside it."""

    function: FunctionNode
    helpers: Mapping[str, ast.FunctionDef]
    deep: int = 3
    """How many names and calls are followed."""

    def kind(self, result: ast.expr | None) -> str | None:
        """What is certainly not an RDD, in a word or two."""
        if isinstance(result, (ast.List, ast.ListComp)):
            return "a list"
        if isinstance(result, (ast.Tuple, ast.Set, ast.SetComp, ast.Dict, ast.DictComp)):
            return "a value"
        if isinstance(result, ast.JoinedStr):
            return "a value"
        if isinstance(result, ast.GeneratorExp):
            return "a generator"
        if isinstance(result, ast.Constant) and result.value is not None:
            return "a value"
        if isinstance(result, ast.Name) and self.deep:
            bound = _bound_once(self.function, result.id)
            return None if bound is None else replace(self, deep=self.deep - 1).kind(bound)
        return self._of_call(result) if isinstance(result, ast.Call) else None

    def _of_call(self, call: ast.Call) -> str | None:
        function = call.func
        if isinstance(function, ast.Name):
            if function.id in _BUILTINS:
                return "a list" if function.id in ("list", "sorted") else "a value"
            if function.id == "print":
                return "nothing"
            return self._of_helper(function.id)
        if not isinstance(function, ast.Attribute):
            return None
        if _root(function.value) in positional(self.function):
            if function.attr in _ACTIONS:
                return "a list"
            if function.attr in ("count", "isEmpty"):
                return "a value"
            if function.attr in ("foreach", "foreachPartition", "saveAsTextFile"):
                return "nothing"
        return "a DataFrame" if _is_frame(call) else None

    def _of_helper(self, name: str) -> str | None:
        helper = self.helpers.get(name)
        if helper is None or not self.deep or is_generator(helper):
            return None
        there = _Returned(helper, self.helpers, self.deep - 1)
        return next(filter(None, map(there.kind, results(helper))), None)


def _bound_once(function: FunctionNode, name: str) -> ast.expr | None:
    """What a local name is bound to, if that is one thing."""
    if name in positional(function):
        return None
    stores = [
        node
        for node in inside(function)
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
    ]
    for node in inside(function):
        if isinstance(node, ast.Assign) and len(stores) == 1 and node.targets == stores:
            return node.value
    return None


def _is_frame(call: ast.Call) -> bool:
    """``rdd.toDF()``, ``spark.createDataFrame(rdd)`` and methods of these."""
    node: ast.expr = call
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("toDF", "createDataFrame"):
            return True
        if node.func.attr == "toJSON":
            return False
        node = node.func.value
    return False


def _root(node: ast.expr) -> str | None:
    """``rdd`` of ``rdd.map(f).filter(g)`` and ``rdds[0].map(f)``: nothing but calls and items."""
    while True:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return None


def _may_be_none(function: ast.FunctionDef) -> bool:
    """Returns something on some paths and nothing on others."""
    return any(result is None or is_none(result) for result in results(function)) or falls_through(
        function.body
    )


def _is_abstract(function: ast.FunctionDef) -> bool:
    """``pass``, ``…``, only a docstring: a place for another function."""
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in function.body
    )
