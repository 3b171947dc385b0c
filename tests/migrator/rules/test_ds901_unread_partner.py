"""DS901: a module of the job could not be read."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from migrator.core import Finding
from migrator.rules import ds901_unread_partner as rule
from tests.migrator.rules import HEAD, JOB, analysed, check_noop


def found(code: str, unreadable: Mapping[str, str]) -> list[Finding]:
    project = replace(analysed(code), unreadable=unreadable)
    return list(rule.check(project.modules[JOB], project))


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("import old", "old.py"),
        ("from old import f", "jobs/old.py"),
        ("from . import old", "jobs/old.py"),
        ("import lib.old as o", "jobs/lib/old.py"),
        ("from lib import old", "lib/old.py"),
        ("import lib", "lib/__init__.py"),
    ],
)
def test_the_partner_is_named_at_its_import(line: str, path: str) -> None:
    (finding,) = found(f"{line}\n" + HEAD, {path: "is not Python 3"})
    assert path in finding.message
    assert finding.line == 1


@pytest.mark.parametrize(
    "line", ["import json", "import older", "from new import old_f", "old = 1"]
)
def test_other_imports(line: str) -> None:
    assert not found(f"{line}\n" + HEAD, {"old.py": "is not Python 3"})


def test_a_module_without_streams_does_not_matter() -> None:
    assert not found("import old\n", {"old.py": "is not Python 3"})


def test_partners_that_were_read() -> None:
    check_noop(
        "DS901", {"helpers.py": "def f(x):\n    return x\n", "job.py": "import helpers\n" + HEAD}
    )
