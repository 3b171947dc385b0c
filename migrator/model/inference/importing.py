"""Import statements: what they bind, and those of the API with all their uses."""

from __future__ import annotations

import ast

from migrator.model import api
from migrator.model.inference.units import ImportRecord, ModuleUnit
from migrator.model.inference.values import UNKNOWN, Value
from migrator.model.inference.walk import Walk
from migrator.text import magics


def import_modules(walk: Walk, node: ast.Import) -> bool:
    for alias in node.names:
        bound = alias.asname or alias.name.partition(".")[0]
        if api.submodule(alias.name) is not None:
            _record(walk, node, alias, alias.name, None, bound)
        target = alias.name if alias.asname else bound
        local = local_module(walk, walk.analysis.names.find(target, walk.module.path))
        if not alias.asname and "." in alias.name:
            # The submodule is loaded as well: a.b is found as an attribute of a.
            whole = local_module(walk, walk.analysis.names.find(alias.name, walk.module.path))
            if whole:
                walk.analysis.submodules[alias.name] = whole
        walk.bind(bound, local or frozenset({walk.analysis.named(target)}))
    return False


def import_from(walk: Walk, node: ast.ImportFrom) -> bool:
    names = walk.analysis.names
    module = names.absolute(node.module, node.level, walk.module.path)
    home = _load(walk, names.of(node.module, node.level, walk.module.path))
    for alias in node.names:
        bound = alias.asname or alias.name
        record = None
        if _belongs_to_the_api(module, alias.name):
            record = _record(walk, node, alias, module, alias.name, bound)
        if alias.name == "*":
            _star(walk, module, home, record)
            continue
        value = _member(walk, node, module, home, alias.name)
        walk.bind(bound, value)
    return False


def run_files(walk: Walk) -> None:
    """``%run common`` in a notebook: what the file binds is bound here from the start."""
    for path in magics.run_files(walk.module.source.text):
        home = _load(walk, walk.analysis.names.find_file(path, walk.module.path))
        if home is not None and home is not walk.module:
            _star(walk, home.name, home, None)


def _belongs_to_the_api(module: str, name: str) -> bool:
    if api.submodule(module) is not None:
        return True
    if module == "pyspark" and name == "streaming":
        return True
    # Perhaps a class that makes streams; dropped at the end unless one is made with it.
    return name.endswith("Utils")


def _record(
    walk: Walk,
    node: ast.Import | ast.ImportFrom,
    alias: ast.alias,
    module: str,
    name: str | None,
    bound: str,
) -> ImportRecord:
    for record in walk.module.all_imports:
        if record.alias is alias:
            return record
    record = ImportRecord(node, alias, module, name, bound)
    walk.module.all_imports.append(record)
    walk.unit.imports.setdefault(bound, []).append(record)
    return record


def local_module(walk: Walk, path: str | None) -> Value:
    home = _load(walk, path)
    return UNKNOWN if home is None else frozenset({walk.analysis.module_atom(home)})


def _load(walk: Walk, path: str | None) -> ModuleUnit | None:
    """A module of the run, walked before the importing one goes on."""
    if path is None or path not in walk.analysis.modules:
        return None
    home = walk.analysis.modules[path]
    walk.module.local_imports.add(path)
    if not home.walked:
        walk.analysis.walk(home, walk.depth + 1)
    return home


def _member(
    walk: Walk, node: ast.ImportFrom, module: str, home: ModuleUnit | None, name: str
) -> Value:
    if home is not None:
        home.readers.setdefault(name, set()).add(walk.unit)
        for record in home.imports.get(name, ()):
            record.exported = True
        if name in home.joined:
            return home.joined[name]
        below = walk.analysis.names.find_relative(
            f"{node.module}.{name}" if node.module else name, node.level, walk.module.path
        )
        below = below or walk.analysis.names.find(f"{module}.{name}", walk.module.path)
        return local_module(walk, below)
    below = walk.analysis.names.find(f"{module}.{name}", walk.module.path)
    if node.level and below is None:
        prefix = f"{node.module}." if node.module else ""
        below = walk.analysis.names.find_relative(prefix + name, node.level, walk.module.path)
    found = local_module(walk, below)
    return found or frozenset({walk.analysis.named(f"{module}.{name}" if module else name)})


def _star(walk: Walk, module: str, home: ModuleUnit | None, record: ImportRecord | None) -> None:
    if home is not None:
        home.readers.setdefault("*", set()).add(walk.unit)
        for name, value in list(home.joined.items()):
            if not name.startswith("_"):
                for inner in home.imports.get(name, ()):
                    inner.exported = True
                walk.bind(name, value)
        return
    for name in _public_names(module):
        walk.bind(name, frozenset({walk.analysis.named(f"{module}.{name}")}))
        if record is not None and record not in walk.unit.imports.setdefault(name, []):
            walk.unit.imports[name].append(record)


def _public_names(module: str) -> tuple[str, ...]:
    """What ``*`` gives of a module outside the run."""
    if module == "pyspark":
        return api.PYSPARK_NAMES
    if module == "pyspark.sql":
        return ("SparkSession", "SQLContext", "HiveContext")
    if module == api.SHIM:
        return api.SHIM_NAMES
    below = api.submodule(module)
    return () if below is None else api.MODULES.get(below, ())
