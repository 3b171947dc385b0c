"""Any file that parses is walked to the end."""

from __future__ import annotations

import ast
import pathlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrator.model.inference import analyse
from migrator.text.source import PythonSource
from tests.migrator.model.inference import HEAD, operations, project


def test_what_does_not_parse_is_said_and_the_others_are_read() -> None:
    of = project({"bad.py": "print 'x'\n", "job.py": HEAD + "lines.pprint()\n"})
    assert list(of.unreadable) == ["bad.py"]
    assert operations(of.modules["job.py"]) == ["pprint"]


def test_a_very_long_chain_is_followed_or_said_to_be_too_deep() -> None:
    deep = HEAD + "x = lines" + ".map(str)" * 3000 + "\n"
    of = project({"deep.py": deep, "job.py": HEAD + "lines.pprint()\n"})
    assert "nested too deeply" in of.unreadable["deep.py"]
    assert operations(of.modules["job.py"]) == ["pprint"]


def test_a_chain_of_a_hundred_calls_is_followed() -> None:
    of = project(HEAD + "x = lines" + ".map(str)" * 100 + "\n")
    assert len(of.streams) == 101


@pytest.mark.parametrize(
    "code",
    [
        "",
        "\n\n# only a comment\n",
        "from . import x\nfrom .. import y\nfrom ...a.b import *\nfrom . import *\n",
        "import\\\n  os\n",
        "def f(a, /, b, *c, d=1, **e): yield a\nf(*f, **f)\n",
        "class A(A, *b, metaclass=c): x = A\nA.A.A()()()\n",
        "global x\nx = 1\ndel x\nx\n",
        "def f():\n    a = 1\n    def g():\n        nonlocal a\n        a += 1\n",
        "lambda *a, **k: (yield)\n",
        "async def f():\n    async with a as b:\n        async for c in d:\n            await e\n",
        "match x:\n    case {'a': y, **z}: y\n    case [1, *w]: w\n    case A(b=c) | D(c): c\n",
        "try:\n    pass\nfinally:\n    pass\n",
        "x: int\nx.y: int = 5\nx[0]: str\n",
        "getattr()\ngetattr(1)\nsuper()\nmap()\nzip()\nreduce()\nenumerate()\nnext()\niter()\n",
        "from functools import partial, reduce\npartial()\nreduce()\npartial(partial)()\n",
        "import threading, signal\nthreading.Thread()\nsignal.signal()\n",
        "import importlib\nimportlib.import_module()\n__import__()\n",
        "f'{x!r:>{width}}'\nx[1:2, ::3]\n{**a, 'b': 1}\n[*a, *b]\n",
        "from pyspark.streaming import *\nStreamingContext\nDStream.x.y.z = 1\nDStream()()\n",
    ],
)
def test_odd_code_is_walked(code: str) -> None:
    of = project(code)
    assert of.unreadable == {}


def test_the_standard_library_is_walked() -> None:
    folder = pathlib.Path(ast.__file__).parent
    paths = [p for p in sorted(folder.glob("*.py")) if p.stat().st_size < 60_000][:60]
    of = analyse(PythonSource.read(str(p), p.read_bytes()) for p in paths)
    assert of.unreadable == {}
    assert not any(module.calls_of and operations(module) for module in of.modules.values())


PIECES = [
    "ssc = StreamingContext(sc, 1)",
    "s = ssc.socketTextStream(h, p)",
    "s = s.map(f)",
    "t = s, ssc",
    "u, v = t",
    "u = [u, s]",
    "def f(x, *y):\n    return x.map(y), f",
    "class A:\n    def g(self, x):\n        self.x = x; return self.g(self.x)",
    "A().g(s)",
    "f = f(s)",
    "s.foreachRDD(f)",
    "s.foreachRDD(lambda rdd: f(rdd, s))",
    "for s in u:\n    s = f(s)\n    u.append(s)",
    "f(*u, **t)",
    "x.pprint()",
    "ssc.start()",
    "A = f(A)",
    "del s",
    "g = globals()",
    "s = g['s'](s)",
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PIECES), max_size=14), st.booleans())
def test_any_mixture_of_statements_comes_to_an_end(pieces: list[str], inside: bool) -> None:
    body = "\n".join(pieces) or "pass"
    if inside:
        body = "def main():\n" + "\n".join("    " + line for line in body.splitlines()) + "\nmain()"
    of = project("from pyspark.streaming import StreamingContext\n" + body + "\n")
    numbers = {stream.number for stream in of.streams}
    assert numbers == set(range(len(of.streams)))
    assert all(parent in numbers for stream in of.streams for parent in stream.parents)
    for module in of.modules.values():
        assert {call.stream for call in module.calls} - {None} <= numbers
