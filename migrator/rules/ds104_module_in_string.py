"""A string names `pyspark.streaming`.

## Why

Modules can be loaded by name (`import_module`), looked up (`find_spec`) or patched in tests
(`mock.patch`), and strings can hold code. None of these is an import that can be followed.

## What to do

`migrate rewrite` changes the argument of `import_module`. It changes other names of modules and
classes only with `--unsafe-fixes`, since only you know what the string is for. Change strings that
hold code by hand.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Fix, Readiness, Rule, Safety, Severity
from migrator.model import api
from migrator.model.jobmodel import Module, Project
from migrator.rules._names import legacy_imports, target
from migrator.rules._strings import String, edits, strings

RULE = Rule(
    "DS104",
    "module-in-string",
    "A string names pyspark.streaming, which may be loaded by that name",
    Severity.WARNING,
    Readiness.DECIDE,
    message="a string names pyspark.streaming, which is loaded or looked up at run time",
    help="name dstream_compat instead",
    fix=Safety.UNSAFE,
)

VALID = [
    'from importlib import import_module\nimport_module("pyspark.sql")\n',
    'print("see pyspark.streaming for more")\n',
    'def f():\n    """from pyspark.streaming import StreamingContext"""\n',
]
INVALID = [
    Example(
        'import importlib\nkafka = importlib.import_module("pyspark.streaming.kafka")\n',
        'import importlib\nkafka = importlib.import_module("dstream_compat.kafka")\n',
        lines=(2,),
    ),
    Example(
        'exec("from pyspark.streaming import StreamingContext")\n',
        lines=(1,),
    ),
]

_NAME = re.compile(r"pyspark\.streaming((?:\.[\w\0]+)*)(\.?)")  # NUL: computed in an f-string
_CODE = re.compile(r"(?:^|[\n;:])[ \t]*(?:from|import)[ \t]+[^\n]*\bpyspark\.streaming\b")
_LEGACY = re.compile(r"\bpyspark\.streaming\b")


def check(module: Module, project: Project) -> Iterator[Finding]:
    source = module.source
    in_imports = sum(source.code(node).count(api.LEGACY) for node in legacy_imports(module))
    if source.text.count(api.LEGACY) <= in_imports:
        return
    found = [(node, text) for node, text in strings(source.tree) if api.LEGACY in text]
    if not found:
        return
    annotations = {constant for item in module.imports for constant in item.string_uses}
    loaded = _loaded(source.tree)
    for node, text in found:
        if node in annotations:
            continue
        name = _NAME.fullmatch(text)
        if name is None and not _CODE.search(text):
            continue
        yield _finding(module, node, name, node in loaded)


def _loaded(tree: ast.Module) -> set[ast.AST]:
    """The arguments of ``import_module``."""
    return {
        argument
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Attribute) and node.func.attr == "import_module")
            or (isinstance(node.func, ast.Name) and node.func.id == "import_module")
        )
        for argument in (*node.args, *(keyword.value for keyword in node.keywords))
    }


def _finding(module: Module, node: String, name: re.Match[str] | None, loaded: bool) -> Finding:
    fix = None
    readiness = RULE.readiness
    if name is not None and (changes := edits(module.source, node, _LEGACY, api.SHIM)):
        sure = loaded and not name[2] and target(name[0]) is not None
        fix = Fix(changes, Safety.SAFE if sure else Safety.UNSAFE)
        readiness = Readiness.READY if sure else readiness
    return RULE.at(
        module,
        node,
        message=None if name else "a string holds code that imports pyspark.streaming",
        help=None if fix else "change that code as an import is changed",
        fix=fix,
        readiness=readiness,
        confidence=Confidence.SURE if loaded else Confidence.LIKELY,
    )
