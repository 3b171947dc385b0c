"""A class of the DStream API is used and never imported.

## Why

Python raises a NameError there, on both engines: the code was cut out of a larger file, or the name
is put there at run time. Where a star import or `%run` may bring the name from a file that was not
given, it cannot be known which engine it belongs to.

## What to do

Import it from `dstream_compat`; `--unsafe-fixes` does that. If a file was not given, give it to
`migrate` as well, in the same run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from migrator.core import Confidence, Example, Finding, Fix, Readiness, Rule, Safety, Severity
from migrator.model import api
from migrator.model.jobmodel import Module, Project
from migrator.model.names import Modules, is_standard
from migrator.rules._names import PYSPARK, is_legacy, target
from migrator.text import imports
from migrator.text.magics import run_files
from migrator.text.source import Edit, PythonSource

RULE = Rule(
    "DS106",
    "never-imported",
    "A class of the DStream API is used and never imported",
    Severity.ERROR,
    Readiness.DECIDE,
    message="{name} is used here and never imported",
    help="import it from {home}",
    fix=Safety.UNSAFE,
)

_NAMES = frozenset(name for name in api.HOMES if name[0].isupper())
# Packages that bind none of them and that people take all of.
_WITHOUT = frozenset({PYSPARK, "matplotlib", "numpy", "pandas", "pylab", "scipy"})
_MENTIONED = re.compile(rf"\b(?:{'|'.join(sorted(_NAMES))})\b")

VALID = [
    "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 1)\n",
    "from pyspark.streaming import *\nssc = StreamingContext(sc, 1)\n",
    "def run(StreamingContext):\n    return StreamingContext(sc, 1)\n",
    "class DStream:\n    pass\nprint(DStream())\n",
]
INVALID = [
    Example(
        "from pyspark import SparkContext\nssc = StreamingContext(SparkContext(), 1)\n", lines=(2,)
    ),
    Example("from jobs.common import *\nssc = StreamingContext(sc, 1)\n", lines=(2,)),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    source = module.source
    if not (module.imports or module.calls) or _MENTIONED.search(source.text) is None:
        return
    read = _read(source)
    if not read:
        return
    bound, followed = _bound(source), True
    if read.keys() - bound:
        bound, followed = _bound_or_brought(source, project)
    bound |= {word for gap in source.gaps for word in _MENTIONED.findall(gap.code)}
    homes = {
        name: home for name in sorted(read.keys() - bound) if (home := target(api.HOMES[name]))
    }
    if not homes:
        return
    if not followed:
        for name in homes:
            yield RULE.at(
                module,
                read[name],
                message="{name} is never imported, unless a file that was not given brings it",
                help="give migrate the file that the star import or %run reads as well",
                severity=Severity.WARNING,
                readiness=Readiness.UNKNOWN,
                confidence=Confidence.LIKELY,
                name=name,
            )
        return
    fix = Fix((_insertion(source, homes),), Safety.UNSAFE)  # one for all: they go to one place
    for name, home in homes.items():
        yield RULE.at(
            module, read[name], fix=fix, confidence=Confidence.LIKELY, name=name, home=home
        )


def _read(source: PythonSource) -> dict[str, ast.Name]:
    """The first reading of each name of ours."""
    found: dict[str, ast.Name] = {}
    for node in source.of(ast.Name):
        if node.id in _NAMES and isinstance(node.ctx, ast.Load):
            found.setdefault(node.id, node)
    return found


def _bound_or_brought(source: PythonSource, project: Project) -> tuple[set[str], bool]:
    """Names that a module binds or gets by star imports and ``%run``, and whether all of these
    could be followed."""
    found: set[str] = set()
    followed = True
    modules = Modules({source.path, *project.modules})
    waiting, seen = [source], {source.path}
    while waiting:
        at = waiting.pop()
        names, paths = _brought(at, modules)
        found |= _bound(at) | names
        for path in paths:
            home = project.modules.get(path) if path else None
            if home is None:
                followed = False
            elif home.path not in seen:
                seen.add(home.path)
                waiting.append(home.source)
    return found, followed


def _names_of(module: str) -> set[str] | None:
    """What a star import of a module outside the run brings of our names, if that is known."""
    below = api.submodule(module)
    if below is not None:
        return {*api.MODULES.get(below, ()), *(api.SHIM_NAMES if module == api.SHIM else ())}
    return set() if module.partition(".")[0] in _WITHOUT or is_standard(module) else None


def _bound(source: PythonSource) -> set[str]:
    """Names that anything in a module binds."""
    found = {node.id for node in source.of(ast.Name) if not isinstance(node.ctx, ast.Load)}
    found |= {node.arg for node in source.of(ast.arg)}
    found |= {node.name for node in source.of(ast.FunctionDef)}
    found |= {node.name for node in source.of(ast.AsyncFunctionDef)}
    found |= {node.name for node in source.of(ast.ClassDef)}
    found |= {node.name for node in source.of(ast.ExceptHandler) if node.name}
    found |= {node.name for node in source.of(ast.MatchAs) if node.name}
    found |= {name for node in source.of(ast.Global) for name in node.names}
    found |= {name for node in source.of(ast.Nonlocal) for name in node.names}
    return found | {a.asname or a.name.partition(".")[0] for a in source.of(ast.alias)}


def _insertion(source: PythonSource, homes: Mapping[str, str]) -> Edit:
    """Imports in front of the last one of pyspark at the top level, or else of the first statement
    that may follow one.
    """
    statements = [
        f"from {home} import {', '.join(name for name in homes if homes[name] == home)}"
        for home in sorted(set(homes.values()))
    ]
    edit = imports.in_front(source, _neighbour(source.tree.body), statements)
    assert edit is not None
    return edit


def _neighbour(body: list[ast.stmt]) -> ast.stmt:
    """Not an import of the legacy API: that is edited itself."""
    docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    free = [node for node in body[int(docstring) :] if not _is_taken(node)] or body[-1:]
    return next((node for node in reversed(free) if _is_sparks(node)), free[0])


def _is_taken(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return False
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return future or any(is_legacy(node, alias) for alias in node.names)


def _is_sparks(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return str(node.module).partition(".")[0] in (PYSPARK, api.SHIM)
    return isinstance(node, ast.Import) and any(
        alias.name.partition(".")[0] in (PYSPARK, api.SHIM) for alias in node.names
    )


def _brought(source: PythonSource, modules: Modules) -> tuple[set[str], list[str | None]]:
    """What star imports and ``%run`` bring: names, and paths to look into, None if not known."""
    names: set[str] = set()
    paths: list[str | None] = []
    for node in source.of(ast.ImportFrom):
        if any(alias.name == "*" for alias in node.names):
            path = modules.of(node.module, node.level, source.path)
            known = None if path or node.level else _names_of(node.module or "")
            if known is None:
                paths.append(path)
            else:
                names |= known
    if source.notebook:
        paths += [modules.find_file(path, source.path) for path in run_files(source.text)]
    return names, paths
