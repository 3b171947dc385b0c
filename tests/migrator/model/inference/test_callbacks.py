"""Functions that are handed to operations: found, walked, known to run in batches."""

from __future__ import annotations

import ast

import pytest

from migrator.model.jobmodel import Call, Kind, Module
from tests.migrator.model.inference import HEAD, job, project, streaming


def last(of: Module) -> Call:
    return streaming(of)[-1]


GETS_THE_RDD = {
    "one parameter": "def f(rdd):\n    rdd.collect()\nlines.foreachRDD(f)\n",
    "time and RDD": "def f(time, rdd):\n    rdd.collect()\nlines.foreachRDD(f)\n",
    "whatever they are called": "def f(rdd, x):\n    x.collect()\nlines.foreachRDD(f)\n",
    "a lambda": "lines.foreachRDD(lambda rdd: rdd.collect())\n",
    "a lambda with time": "lines.foreachRDD(lambda t, rdd: rdd.collect())\n",
    "a lambda that hands it on": (
        "def f(rdd, extra):\n    rdd.collect()\nlines.foreachRDD(lambda r: f(r, 5))\n"
    ),
    "a name for it": "def f(rdd):\n    rdd.collect()\ng = f\nlines.foreachRDD(func=g)\n",
    "functools.partial": (
        "from functools import partial\ndef f(extra, rdd):\n    rdd.collect()\n"
        "lines.foreachRDD(partial(f, 5))\n"
    ),
    "a bound method": (
        "class A:\n    def f(self, time, rdd):\n        rdd.collect()\nlines.foreachRDD(A().f)\n"
    ),
    "a bound method without room for the time": (
        "class A:\n    def f(self, rdd):\n        rdd.collect()\nlines.foreachRDD(A().f)\n"
    ),
    "a callable object": (
        "class A:\n    def __call__(self, rdd):\n        rdd.collect()\nlines.foreachRDD(A())\n"
    ),
    "a static method": (
        "class A:\n    @staticmethod\n    def f(rdd):\n        rdd.collect()\n"
        "lines.foreachRDD(A.f)\n"
    ),
    "a decorated function": (
        "def deco(f):\n    def wrapper(*args):\n        return f(*args)\n    return wrapper\n"
        "@deco\ndef f(time, rdd):\n    rdd.collect()\nlines.foreachRDD(f)\n"
    ),
    "a function that makes it": (
        "def make(n):\n    def f(rdd):\n        rdd.collect()\n    return f\n"
        "lines.foreachRDD(make(5))\n"
    ),
    "transform": "lines.transform(lambda rdd: rdd.collect())\n",
    "transformWith": "lines.transformWith(lambda a, b: b.collect(), lines)\n",
    "transformWith and time": "lines.transformWith(lambda t, a, b: b.collect(), lines)\n",
    "transform of several": "ssc.transform([lines], lambda rdds: rdds[0].collect())\n",
    "what is made from it": "lines.foreachRDD(lambda rdd: rdd.map(str).distinct().collect())\n",
}


@pytest.mark.parametrize("body", GETS_THE_RDD.values(), ids=GETS_THE_RDD.keys())
def test_a_function_gets_the_rdd(body: str) -> None:
    of = job(body)
    calls = list(of.calls_of(Kind.RDD, "collect"))
    assert len(calls) == 1
    assert calls[0].in_batch in ("foreachRDD", "transform", "transformWith")
    assert last(of).functions


def test_the_time_is_no_rdd() -> None:
    of = job("lines.foreachRDD(lambda t, rdd: (t.strftime(f), rdd.count()))\n")
    assert [(str(c.on), c.method) for c in of.calls[3:]] == [
        ("batch time", "strftime"),
        ("RDD", "count"),
    ]


def test_elements_are_not_known() -> None:
    of = job("lines.map(lambda x: x.count()).filter(lambda x: x.join(y))\n")
    assert [c.method for c in of.calls[2:]] == ["map", "filter"]


def test_functions_are_found_by_their_parameter() -> None:
    of = job(
        """
        def add(a, b): return a + b
        lines.reduceByKeyAndWindow(add, lambda a, b: a - b, 30, filterFunc=None)
        """
    )
    functions = last(of).functions
    assert list(functions) == ["func", "invFunc"]
    assert isinstance(functions["func"].node, ast.FunctionDef)
    assert isinstance(functions["invFunc"].node, ast.Lambda)


def test_functions_say_how_they_are_bound() -> None:
    bodies = {
        "def f(rdd): ...\nlines.foreachRDD(f)\n": (False, False),
        "class A:\n    def f(self, rdd): ...\nlines.foreachRDD(A().f)\n": (True, False),
        "import functools\ndef f(a, rdd): ...\nlines.foreachRDD(functools.partial(f, 1))\n": (
            False,
            True,
        ),
        "class A:\n    def __call__(self, rdd): ...\nlines.foreachRDD(A())\n": (True, True),
    }
    for body, expected in bodies.items():
        function = last(job(body)).functions["func"]
        assert (function.bound_method, function.partial) == expected, body


def test_a_decorated_function_is_the_wrapper() -> None:
    of = job(
        """
        def deco(f):
            def wrapper(*args):
                return f(*args)
            return wrapper
        @deco
        def f(time, rdd): ...
        lines.foreachRDD(f)
        """
    )
    node = last(of).functions["func"].node
    assert isinstance(node, ast.FunctionDef)
    assert node.name == "wrapper"


def test_a_function_from_another_module_is_found() -> None:
    of = project(
        {
            "sinks.py": "def write(rdd):\n    rdd.collect()\n",
            "job.py": HEAD + "import sinks\nlines.foreachRDD(sinks.write)\n",
        }
    )
    assert last(of.modules["job.py"]).functions["func"].module == "sinks.py"
    assert [c.in_batch for c in of.modules["sinks.py"].calls] == ["foreachRDD"]


IN_BATCH = {
    "directly": "lines.foreachRDD(lambda rdd: ssc.stop())\n",
    "through a call": (
        "def inner():\n    ssc.stop()\ndef f(rdd):\n    inner()\nlines.foreachRDD(f)\n"
    ),
    "in a function inside": (
        "def f(rdd):\n    def inner():\n        ssc.stop()\n    inner()\nlines.foreachRDD(f)\n"
    ),
    "in a function for the RDD": (
        "lines.foreachRDD(lambda rdd: rdd.foreach(lambda x: ssc.stop()))\n"
    ),
    "in a map function": "lines.map(lambda x: ssc.stop())\n",
    "in a method": (
        "class A:\n    def f(self, t, rdd):\n        self.end()\n"
        "    def end(self):\n        ssc.stop()\nlines.foreachRDD(A().f)\n"
    ),
}


@pytest.mark.parametrize("body", IN_BATCH.values(), ids=IN_BATCH.keys())
def test_a_call_in_a_batch_is_known_as_such(body: str) -> None:
    [call] = job(body).calls_of(Kind.CONTEXT, "stop")
    assert call.in_batch in ("foreachRDD", "map")


def test_a_call_outside_is_not_in_a_batch() -> None:
    of = job("def f(rdd): ...\nlines.foreachRDD(f)\nf(None)\nssc.stop()\n")
    assert [c.in_batch for c in streaming(of)] == [None] * 4


def test_the_setup_function_gives_the_context() -> None:
    of = project(
        """
        from pyspark.streaming import StreamingContext
        def setup():
            ssc = StreamingContext(sc, 1)
            ssc.socketTextStream(host, port).pprint()
            return ssc
        ssc = StreamingContext.getOrCreate(path, setup)
        ssc.start()
        """
    )
    assert len(of.contexts) == 1
    assert of.contexts[0].checkpointed
    assert of.contexts[0].started == (("job.py", 8),)
    calls = streaming(of.modules["job.py"])
    assert [c.method for c in calls if c.in_batch] == []
    assert list(calls[-2].functions) == ["setupFunc"]


def test_a_setup_function_that_is_not_found_gives_a_context_all_the_same() -> None:
    of = project(
        """
        from pyspark.streaming import StreamingContext
        from helper import setup
        ssc = StreamingContext.getOrCreate(path, setup)
        ssc.start()
        """
    )
    assert [c.checkpointed for c in of.contexts] == [True]


def test_a_state_spec_is_followed() -> None:
    of = job(
        """
        from dstream_compat import StateSpec
        spec = StateSpec.function(lambda k, v, s: s.get()).numPartitions(4).timeout(60)
        lines.mapWithState(spec).stateSnapshots().pprint()
        """
    )
    assert [f"{c.owner}.{c.method}" for c in streaming(of)[2:]] == [
        "StateSpec.function",
        "StateSpec.numPartitions",
        "StateSpec.timeout",
        "DStream.mapWithState",
        "DStream.stateSnapshots",
        "DStream.pprint",
    ]
