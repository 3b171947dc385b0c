"""DS702: what is a list in Python 2 only."""

import pytest

from tests.migrator.rules import check_found, check_noop

PY2 = "n = long(1)\n"


@pytest.mark.parametrize(
    "line",
    [
        "x = map(f, y)",
        "x = filter(None, y)[0]",
        "x = len(zip(a, b))",
        "x = [1] + map(f, y)",
        "print(map(f, y))",
        "json.dumps(zip(a, b))",
        "def g(): return filter(f, y)",
        "x = d.keys()[0]",
        "d.values().sort()",
        "x = len(d.items()) + map(f, y)[0]",
    ],
)
def test_use_as_a_list_is_found(line: str) -> None:
    found = check_found("DS702", f"{PY2}{line}\n", *[2] * (2 if "+ map(f, y)[0]" in line else 1))
    assert all("list" in finding.help for finding in found)


@pytest.mark.parametrize(
    "line",
    [
        "for a in map(f, y): pass",
        "x = list(map(f, y))",
        "x = sorted(d.keys())",
        "x = dict(zip(a, b))",
        "x = rdd.map(f).filter(g)",
        "x = lines.map(f)[0]",
        "ks = d.keys()",
        "dict(rdd.keys().collect(), n=rdd.values().count())",
    ],
)
def test_other_uses_are_fine(line: str) -> None:
    check_noop("DS702", f"{PY2}{line}\n")


def test_python_3_code_is_left_alone() -> None:
    check_noop("DS702", "x = map(f, y)[0]\n")
