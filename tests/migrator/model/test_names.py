"""What a path is called in imports, and what an import in it means."""

from __future__ import annotations

import pytest

from migrator.model.names import Modules, is_standard

PATHS = [
    "job.py",
    "helper.py",
    "app/__init__.py",
    "app/main.py",
    "app/deep/__init__.py",
    "app/deep/inner.py",
    "scripts/tool.py",
    "scripts/helper.py",
    "lib/only_here.py",
    "lib/json.py",
    "books/report.ipynb",
]
MODULES = Modules(PATHS)

NAMES = {
    "job.py": "job",
    "app/__init__.py": "app",
    "app/deep/inner.py": "app.deep.inner",
    "scripts/tool.py": "tool",
    "books/report.ipynb": "report",
}


@pytest.mark.parametrize(("path", "name"), NAMES.items())
def test_a_module_is_called_by_its_packages(path: str, name: str) -> None:
    assert MODULES.name(path) == name


FOUND = [
    ("helper", "job.py", "helper.py"),
    ("helper", "scripts/tool.py", "scripts/helper.py"),
    ("app", "job.py", "app/__init__.py"),
    ("app.main", "job.py", "app/main.py"),
    ("app.deep.inner", "app/main.py", "app/deep/inner.py"),
    ("only_here", "job.py", "lib/only_here.py"),
    ("json", "job.py", None),
    ("os", "job.py", None),
    ("pyspark.streaming", "job.py", None),
    ("dstream_compat", "job.py", None),
    ("main.app", "job.py", None),
    ("", "job.py", None),
]


@pytest.mark.parametrize(("dotted", "importer", "path"), FOUND)
def test_a_module_is_found_from_the_importer_upwards(
    dotted: str, importer: str, path: str | None
) -> None:
    assert MODULES.find(dotted, importer) == path


RELATIVE = [
    ("main", 1, "app/__init__.py", "app.main", "app/main.py"),
    ("deep.inner", 1, "app/main.py", "app.deep.inner", "app/deep/inner.py"),
    ("main", 2, "app/deep/inner.py", "app.main", "app/main.py"),
    (None, 1, "app/deep/inner.py", "app.deep", "app/deep/__init__.py"),
    (None, 9, "job.py", "", None),
]


@pytest.mark.parametrize(("module", "level", "importer", "name", "path"), RELATIVE)
def test_relative_imports_are_made_absolute(
    module: str | None, level: int, importer: str, name: str, path: str | None
) -> None:
    assert MODULES.absolute(module, level, importer) == name
    assert MODULES.find_relative(module, level, importer) == path


def test_a_module_does_not_find_itself() -> None:
    assert Modules(["kafka.py"]).find("kafka", "kafka.py") is None


def test_pythons_own_modules_are_known() -> None:
    assert is_standard("os.path")
    assert not is_standard("kafka")
