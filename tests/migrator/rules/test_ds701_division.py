"""DS701: divisions in Python 2 code."""

import pytest

from tests.migrator.rules import check_found, check_noop

PY2 = "n = long(1)\n"


@pytest.mark.parametrize("line", ["x = a / b", "x /= 2", "x = sum(v) / len(v)", "x = -a / 3"])
def test_a_division_of_what_may_be_whole_numbers_is_found(line: str) -> None:
    check_found("DS701", f"{PY2}{line}\n", 2)


@pytest.mark.parametrize(
    "line", ["x = a / 2.0", "x = float(a) / b", "x = a * 1.0 / b", "x = a // b"]
)
def test_a_division_of_floats_is_not(line: str) -> None:
    check_noop("DS701", f"{PY2}{line}\n")


def test_python_3_code_is_left_alone() -> None:
    check_noop("DS701", "x = a / b\n")


def test_the_division_import_settles_it() -> None:
    check_noop("DS701", f"from __future__ import division\n{PY2}x = a / b\n")
