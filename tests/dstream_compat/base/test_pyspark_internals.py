"""What is private in PySpark is borrowed in one module, and nowhere else."""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator

import pytest

import dstream_compat

ROOT = pathlib.Path(dstream_compat.__file__).parent
INTERNALS = ROOT / "base" / "pyspark_internals.py"
# record.py is copied next to jobs of other Spark versions, where there is nothing of ours
MODULES = sorted(set(ROOT.rglob("*.py")) - {INTERNALS, ROOT / "record.py"})
PUBLIC = {
    "pyspark",
    "pyspark.errors",
    "pyspark.sql",
    "pyspark.sql.datasource",
    "pyspark.sql.streaming.stateful_processor",
    "pyspark.sql.types",
}
PYTHON = {"_asdict", "_getframe"}  # documented: of named tuples, of sys


def private_attributes(tree: ast.AST) -> Iterator[ast.Attribute]:
    """``x._name``, unless ``x`` is ``self`` or ``cls``."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not node.attr.startswith("_"):
            continue
        if node.attr.startswith("__") or node.attr in PYTHON:
            continue
        if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
            yield node


def defined(tree: ast.AST) -> Iterator[str]:
    """The names that a module gives to something: classes, functions and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value  # __slots__


def borrowed(path: pathlib.Path) -> Iterator[str]:
    """What a module uses that only ``pyspark_internals`` should."""
    tree = TREES[path]
    for node in private_attributes(tree):
        if node.attr not in OURS or node.attr in BORROWED:
            yield f"{node.lineno}: {ast.unparse(node)}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        elif isinstance(node, ast.Attribute) and ast.unparse(node).endswith(".org.apache.spark"):
            yield f"{node.lineno}: {ast.unparse(node)}"
            continue
        else:
            continue
        for module in modules:
            if module.split(".")[0] in ("py4j", "pyspark") and module not in PUBLIC:
                yield f"{node.lineno}: import of {module}"


TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in [*MODULES, INTERNALS]}
BORROWED = {node.attr for node in private_attributes(TREES[INTERNALS])}
OURS = {name for path in MODULES for name in defined(TREES[path])}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_other_module_uses_what_is_private_in_pyspark(path: pathlib.Path) -> None:
    assert list(borrowed(path)) == []


def test_the_module_imports_nothing_of_ours() -> None:
    imports = [node for node in ast.walk(TREES[INTERNALS]) if isinstance(node, ast.ImportFrom)]
    assert [node.module for node in imports if "dstream" in (node.module or "")] == []
