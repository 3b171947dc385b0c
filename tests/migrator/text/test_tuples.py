"""Tuple parameters of Python 2: what becomes of them means the same."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from migrator.text.opening import open_document
from migrator.text.python2 import modernise
from migrator.text.source import Unreadable


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("lambda (a, b), (c, d): (a + c, b)", "lambda a_b, c_d: (a_b[0] + c_d[0], a_b[1])"),
        ("lambda acc, (k, v): acc + v", "lambda acc, k_v: acc + k_v[1]"),
        ("lambda acc,(k,v):acc", "lambda acc,k_v:acc"),
        ("lambda(k, v): k", "lambda k_v: k_v[0]"),
        ("lambda (a, (b, (c, d))): d", "lambda a_b_c_d: a_b_c_d[1][1][1]"),
        ("lambda (a, b)=(1, 2), *c: a", "lambda a_b=(1, 2), *c: a_b[0]"),
        ("lambda (a,): a", "lambda a1: a1[0]"),
        ("lambda (a), b: a", "lambda a, b: a"),
        ("lambda (id, user): (user.id, id)", "lambda id_user: (id_user[1].id, id_user[0])"),
        ("lambda (k, v): f(k=k, v=v)", "lambda k_v: f(k=k_v[0], v=k_v[1])"),
        ("lambda (k, d): d.has_key(k)", "lambda k_d: k_d[0] in k_d[1]"),
        ("lambda (k, it): it.next()", "lambda k_it: next(k_it[1])"),
        ("lambda (long, lat): long", "lambda long_lat: long_lat[0]"),
        ("lambda (k, v): k_v + k", "lambda k_v1: k_v + k_v1[0]"),
    ],
)
def test_lambdas(before: str, after: str) -> None:
    assert modernise(f"{before}\n") == f"{after}\n"


USER = SimpleNamespace(id=7, k="attribute")


@pytest.mark.parametrize(
    ("code", "given", "result"),
    [
        ("lambda (id, user): (user.id, id)", [(1, USER)], (7, 1)),
        ("lambda (k, vs): (k, [k for k in vs])", [(1, [2, 3])], (1, [2, 3])),
        ("lambda (k, vs): [(k, v) for v in vs]", [(1, [2, 3])], [(1, 2), (1, 3)]),
        ("lambda (k, v): [k for k in k if k > v]", [([1, 5], 2)], [5]),
        ("lambda (k, v): [v for k in k for v in k]", [([[1], [2]], 0)], [1, 2]),
        ("lambda (k, v): {v: k for v, n in v}", [(1, [(2, 3)])], {2: 1}),
        ("lambda (k, v): sum(k for v in v)", [(2, [1, 1])], 4),
        ("lambda (k, v): (lambda k: k + v)(10)", [(1, 2)], 12),
        ("lambda (k, v): (lambda k=k, (a, v)=(v, 5): (k, a, v))()", [(1, 2)], (1, 2, 5)),
        ("lambda (k, v): (lambda (k, a): (k, a, v))((8, 9))", [(1, 2)], (8, 9, 2)),
        ("lambda (a, b_c): (lambda (a_b, c): (a, b_c, a_b, c))((8, 9))", [(1, 2)], (1, 2, 8, 9)),
        ("lambda (a, b), (c, d): dict(a=c, b=d)", [(1, 2), (3, 4)], {"a": 3, "b": 4}),
    ],
)
def test_a_lambda_gives_what_it_gave(code: str, given: list[object], result: object) -> None:
    new = modernise(f"f = {code}\n")
    assert new is not None
    names: dict[str, object] = {}
    exec(new, names)
    assert names["f"](*given) == result  # type: ignore[operator]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'def f((a, b)):\n    """Doc."""\n    # why\n    return a\n',
            'def f(a_b):\n    """Doc."""\n    # why\n    (a, b) = a_b\n    return a\n',
        ),
        (
            "def f((a, b), c=1, (d, (e,))=x, *f):\n  print a\n",
            "def f(a_b, c=1, d_e=x, *f):\n  (a, b) = a_b\n  (d, (e,)) = d_e\n  print(a)\n",
        ),
        ("def f((a, b)): 'Doc.'; return a\n", "def f(a_b): 'Doc.'; (a, b) = a_b; return a\n"),
        ("def f((a), b):\n    return a\n", "def f(a, b):\n    return a\n"),
        (
            "def f((a, b), g=lambda (a, b): b):\n    h(lambda (c, d): a + c)\n",
            "def f(a_b, g=lambda a_b: a_b[1]):\n    (a, b) = a_b\n    h(lambda c_d: a + c_d[0])\n",
        ),
    ],
)
def test_functions(before: str, after: str) -> None:
    assert modernise(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "try: f()\nexcept E, (a, b): print a\n",
            "try: f()\nexcept E as a_b: (a, b) = a_b.args; print(a)\n",
        ),
        (
            "try:\n  f()\nexcept (E, F), (a, b):\n  # why\n  print a\n",
            "try:\n  f()\nexcept (E, F) as a_b:\n  # why\n  (a, b) = a_b.args\n  print(a)\n",
        ),
        ("try: f()\nexcept E, (e): print e\n", "try: f()\nexcept E as e: print(e)\n"),
    ],
)
def test_handlers(before: str, after: str) -> None:
    assert modernise(before) == after


@pytest.mark.parametrize("python2", [False, True])
def test_what_modernising_cannot_mend_is_what_is_reported(python2: bool) -> None:
    code = b"def f((a, b)):\n    print a\n\ng(async=True)\n"
    with pytest.raises(Unreadable) as caught:
        open_document("job.py", code, python2)
    assert str(caught.value) == "is Python 2 that cannot be modernised: line 4: invalid syntax"


def test_the_same_error_before_and_after_says_nothing_of_python_2() -> None:
    with pytest.raises(Unreadable) as caught:
        open_document("job.py", b"g(async=True)\nprint(unicode(1))\n")
    assert str(caught.value) == "is not Python 3: line 1: invalid syntax"
