"""The rooms of each package and their order: a module imports from its own room and those below.

An import counts wherever it stands: in a function, and under TYPE_CHECKING, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from dstream_compat.engine.shipping import shipped_modules

ROOT = Path(__file__).resolve().parents[1]
TOP = "*"  # whatever has no room of its own: the names that jobs, tests and commands import
ROOMS = {
    "dstream_compat": ["base", "stages", "graph", "input", "connectors", "engine", TOP],
    "dstream_parity": ["base", "engines+strategies", f"verify+{TOP}"],
    # `__init__` has the version; `core` the words that a rule and the model have in common
    "migrator": [
        *("__init__", "text", "files", "model+core", "rules", "run", "report", "commands"),
        TOP,
    ],
}
FORBIDDEN = {
    "dstream_compat": {"dstream_parity", "migrator"},
    "migrator": {"pyspark", "py4j", "dstream_compat", "dstream_parity"},
}


@cache
def modules(package: str) -> dict[str, Path]:
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imported(package: str, name: str) -> set[str]:
    return set(_imported(modules(package), name)) - {name}


def _imported(known: dict[str, Path], name: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(known[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} has a relative import"
            source = str(node.module)
            for alias in node.names:
                submodule = f"{source}.{alias.name}"
                yield submodule if submodule in known else source


def level(package: str, name: str) -> int:
    """How high the room of a module is; what is not in a listed room is on top."""
    room = [*name.split("."), "__init__"][1]
    rooms = [listed.split("+") for listed in ROOMS[package]]
    return next((at for at, names in enumerate(rooms) if room in names), len(rooms) - 1)


@pytest.mark.parametrize("package", ROOMS)
def test_no_module_imports_from_a_higher_room(package: str) -> None:
    upward = [
        f"{name} imports {other}"
        for name in modules(package)
        for other in sorted(imported(package, name))
        if other in modules(package) and level(package, other) > level(package, name)
    ]
    assert upward == []


@pytest.mark.parametrize("package", ROOMS)
def test_every_folder_is_a_room(package: str) -> None:
    listed = {room for rooms in ROOMS[package] for room in rooms.split("+")}
    folders = {name.split(".")[1] for name in modules(package) if name.count(".") > 1}
    assert folders - listed <= {"kafka"}  # the module that jobs import, which has several files


@pytest.mark.parametrize("package", FORBIDDEN)
def test_packages_keep_apart(package: str) -> None:
    found = [
        f"{name} imports {other}"
        for name in modules(package)
        for other in sorted(imported(package, name))
        if other.partition(".")[0] in FORBIDDEN[package]
    ]
    assert found == []


def in_room(room: str) -> set[str]:
    start = f"dstream_compat.{room}"
    return {
        name for name in modules("dstream_compat") if name == start or name.startswith(f"{start}.")
    }


def test_executors_import_two_rooms_and_nothing_else_of_ours() -> None:
    needed: set[str] = set()
    found = ["dstream_compat.stages.worker"]
    while found:
        name = found.pop()
        if name not in needed:
            needed.add(name)
            ours = imported("dstream_compat", name) & modules("dstream_compat").keys()
            found += [*ours, *_packages(name)]
    needed.discard("dstream_compat")
    assert needed <= in_room("base") | in_room("stages")
    assert in_room("stages") <= needed  # what executors do not need is not in their room


def _packages(name: str) -> list[str]:
    parent = name.rpartition(".")[0]
    return [parent] if parent.count(".") else []


def test_what_ships_is_these_rooms_the_packages_names_and_the_recorder() -> None:
    others = {"dstream_compat", "dstream_compat.record"}
    assert shipped_modules().keys() == in_room("base") | in_room("stages") | others
