"""What the legacy modules have and the shim has of it; which imports are of the legacy API."""

from __future__ import annotations

import ast

from migrator.model import api
from migrator.model.jobmodel import Import, Module
from migrator.text import imports
from migrator.text.source import PythonSource

PYSPARK = "pyspark"
# Names that the legacy modules happen to have because they import them.
BORROWED = frozenset({"RDD", "SparkConf", "SparkContext", "StorageLevel"})
_NOT_IN_SHIM = {".util": frozenset({"TransformFunction", "TransformFunctionSerializer"})}


def target(dotted: str) -> str | None:
    """The shim's module for a legacy one.

    >>> target("pyspark.streaming.kafka"), target("pyspark.streaming.tests")
    ('dstream_compat.kafka', None)
    """
    below = dotted.removeprefix(api.LEGACY)
    return api.SHIM + below if below in api.MODULES else None


def in_shim(module: str, name: str) -> bool:
    """Whether the shim has under the same name what a legacy module has (or is)."""
    below = module.removeprefix(api.LEGACY)
    if below == "" and target(f"{module}.{name}"):
        return True
    if below == ".kinesis" and name == "StorageLevel":
        return True
    return name in api.MODULES.get(below, ()) and name not in _NOT_IN_SHIM.get(below, ())


def is_legacy(node: imports.Statement, alias: ast.alias) -> bool:
    if isinstance(node, ast.Import):
        return f"{alias.name}.".startswith(f"{api.LEGACY}.")
    if node.level or node.module is None:
        return False
    return f"{node.module}.".startswith(f"{api.LEGACY}.") or (
        node.module == PYSPARK and alias.name == "streaming"
    )


def legacy_imports(module: Module) -> dict[imports.Statement, list[Import]]:
    """The imports of the legacy API, by statement."""
    found: dict[imports.Statement, list[Import]] = {}
    for item in module.imports:
        if is_legacy(item.node, item.alias):
            found.setdefault(item.node, []).append(item)
    return found


def is_bare(item: Import) -> bool:
    """``import pyspark.streaming``: it binds ``pyspark``."""
    return isinstance(item.node, ast.Import) and item.alias.asname is None


def spare_imports(source: PythonSource) -> set[ast.AST]:
    """What is imported where the shim is not there: it is meant to be the legacy API."""
    return {
        node
        for block in source.of(ast.Try)
        if any(map(_is_shims, block.body))
        for handler in block.handlers
        if _awaits_import_error(handler)
        for node in ast.walk(handler)
        if isinstance(node, imports.Statement)
    }


def _is_shims(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        names = [] if node.level else [str(node.module)]
    else:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    return any(name.partition(".")[0] == api.SHIM for name in names)


def _awaits_import_error(handler: ast.ExceptHandler) -> bool:
    expected = ("ImportError", "ModuleNotFoundError", "Exception")
    return handler.type is None or any(
        isinstance(node, ast.Name) and node.id in expected for node in ast.walk(handler.type)
    )
