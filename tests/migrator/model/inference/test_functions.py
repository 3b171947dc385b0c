"""Streams go into functions and come out of them."""

from __future__ import annotations

import pytest

from tests.migrator.model.inference import (
    HEAD,
    escapes,
    found,
    graph,
    job,
    module,
    operations,
    project,
)

FOLLOWED = {
    "a parameter": """
        def show(stream):
            stream.pprint()
        show(lines)
        """,
    "a parameter by name": """
        def show(*, stream):
            stream.pprint()
        show(stream=lines)
        """,
    "a result": """
        def make():
            return ssc.socketTextStream(host, port)
        make().pprint()
        """,
    "several results": """
        def make():
            a = ssc.socketTextStream(host, port)
            return ssc, a
        context, stream = make()
        stream.pprint()
        """,
    "a function that is defined below": """
        def main():
            show(lines)
        def show(stream):
            stream.pprint()
        main()
        """,
    "a function that nobody calls": """
        def main():
            show(lines)
        def show(stream):
            stream.pprint()
        """,
    "through two functions": """
        def outer(a):
            inner(a)
        def inner(b):
            b.pprint()
        outer(lines)
        """,
    "a default value": """
        def show(stream=lines):
            stream.pprint()
        """,
    "star arguments": """
        def show(*streams):
            streams[0].pprint()
        show(lines)
        """,
    "star arguments handed on": """
        def outer(*args, **kwargs):
            inner(*args, **kwargs)
        def inner(a, b=None):
            b.pprint()
        outer(1, b=lines)
        """,
    "an argument list": """
        def show(a, b):
            b.pprint()
        show(*[1, lines])
        """,
    "a dictionary of arguments": """
        def show(a, b):
            b.pprint()
        show(**{"a": 1, "b": lines})
        """,
    "a closure": """
        def outer():
            words = lines.map(str)
            def inner():
                words.pprint()
            inner()
        outer()
        """,
    "global": """
        words = None
        def make():
            global words
            words = lines.map(str)
        make()
        words.pprint()
        """,
    "nonlocal": """
        def outer():
            words = None
            def make():
                nonlocal words
                words = lines.map(str)
            make()
            words.pprint()
        outer()
        """,
    "a lambda": """
        count = lambda stream: stream.count()
        count(lines).pprint()
        """,
    "functools.partial": """
        from functools import partial
        def show(n, stream):
            stream.pprint()
        partial(show, 5)(lines)
        """,
    "functools.reduce": """
        from functools import reduce
        steps = [str, len]
        reduce(lambda stream, f: stream.map(f), steps, lines).pprint()
        """,
    "a decorator of the run": """
        def logged(function):
            def wrapper(*args):
                return function(*args)
            return wrapper
        @logged
        def show(stream):
            stream.pprint()
        show(lines)
        """,
    "a decorator from elsewhere": """
        import click
        @click.command()
        def show(stream=lines):
            stream.pprint()
        """,
    "recursion": """
        def repeat(stream, n):
            if n == 0:
                stream.pprint()
            repeat(stream.map(str), n - 1)
        repeat(lines, 3)
        """,
    "a function chosen by a dictionary": """
        def show(stream):
            stream.pprint()
        outputs = {"show": show}
        outputs[name](lines)
        """,
    "a function handed to a function": """
        def apply(function, value):
            return function(value)
        def show(stream):
            stream.pprint()
        apply(show, lines)
        """,
    "a generator": """
        def streams():
            yield lines
        for stream in streams():
            stream.pprint()
        """,
    "a context manager": """
        from contextlib import contextmanager
        @contextmanager
        def running():
            yield lines
        with running() as stream:
            stream.pprint()
        """,
    "an async function": """
        async def main():
            lines.pprint()
        """,
}


@pytest.mark.parametrize("body", FOLLOWED.values(), ids=FOLLOWED.keys())
def test_a_stream_is_followed_through(body: str) -> None:
    of = job(body)
    assert "pprint" in operations(of)
    assert not escapes(of)


ANNOTATIONS = [
    "DStream",
    "'DStream'",
    "Optional[DStream]",
    "'Optional[DStream]'",
    "DStream | None",
    "'DStream[str]'",
    "streaming.DStream",
    "streaming.dstream.DStream",
    "Union[None, DStream]",
]


@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_annotations_count(annotation: str) -> None:
    code = (
        "from typing import Optional, Union\n"
        "from pyspark import streaming\n"
        "from pyspark.streaming import DStream\n"
        f"def show(stream: {annotation}) -> None:\n"
        "    stream.map(str).pprint()\n"
    )
    assert operations(module(code)) == ["map", "pprint"]


def test_annotations_of_results_and_variables_count() -> None:
    code = """
        from pyspark.streaming import DStream, StreamingContext
        import helper
        def make() -> "tuple[StreamingContext, DStream]":
            return helper.make()
        ssc, stream = make()
        stream.pprint()
        ssc.start()
        other: DStream = helper.other()
        other.pprint()
        """
    assert found(module(code)) == [
        "7 DStream.pprint",
        "8 StreamingContext.start",
        "10 DStream.pprint",
    ]


def test_a_real_stream_is_better_than_an_annotation() -> None:
    code = HEAD + (
        "from pyspark.streaming import DStream\n"
        "def show(stream: DStream):\n    stream.pprint()\nshow(lines)\n"
    )
    assert graph(project(code)) == ["socketTextStream", "pprint <- socketTextStream"]


def test_a_function_called_with_two_streams_is_one_operation_with_two_parents() -> None:
    code = HEAD + (
        "def count(stream):\n    return stream.count()\n"
        "count(lines).pprint()\ncount(lines.map(str)).pprint()\n"
    )
    assert graph(project(code)) == [
        "socketTextStream",
        "count <- socketTextStream + map",
        "pprint <- count",
        "map <- socketTextStream",
        "pprint <- count",
    ]


def test_many_callers_of_one_function_all_count() -> None:
    body = "def apply(f):\n    f(lines)\n"
    body += "".join(
        f"def f{n}(stream):\n    stream.updateStateByKey(str)\napply(f{n})\n" for n in range(50)
    )
    assert operations(job(body)) == ["updateStateByKey"] * 50


def test_functions_that_call_each_other_come_to_an_end() -> None:
    body = """
        def a(x, n):
            return b([x, a(x, n)], n)
        def b(x, n):
            return a((x, b(x, n)), n)
        a(lines, 3)
        """
    assert project(HEAD + "lines.pprint()\n").unreadable == {}
    assert job(body).path == "job.py"
