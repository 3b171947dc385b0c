"""Streams in attributes, methods, properties and subclasses."""

from __future__ import annotations

import pytest

from migrator.model.jobmodel import Kind
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
    "an attribute set in __init__": """
        class Job:
            def __init__(self, stream):
                self.stream = stream
            def run(self):
                self.stream.pprint()
        Job(lines).run()
        """,
    "an attribute set by another method": """
        class Job:
            def __init__(self):
                self.stream = None
                self.connect()
                self.stream.pprint()
            def connect(self):
                self.stream = lines.map(str)
        """,
    "an attribute of an attribute": """
        class Inner:
            def __init__(self):
                self.stream = lines
        class Outer:
            def __init__(self):
                self.inner = Inner()
            def run(self):
                self.inner.stream.pprint()
        """,
    "a class attribute": """
        class Job:
            stream = lines
            def run(self):
                self.stream.pprint()
        """,
    "a property": """
        class Job:
            @property
            def stream(self):
                return lines
            def run(self):
                self.stream.pprint()
        """,
    "a static method": """
        class Job:
            @staticmethod
            def show(stream):
                stream.pprint()
        Job.show(lines)
        """,
    "a class method": """
        class Job:
            @classmethod
            def show(cls, stream):
                cls.inner(stream)
            @classmethod
            def inner(cls, stream):
                stream.pprint()
        Job.show(lines)
        """,
    "an inherited method": """
        class Base:
            def show(self, stream):
                stream.pprint()
        class Job(Base):
            def run(self):
                self.show(lines)
        """,
    "an inherited attribute": """
        class Base:
            def __init__(self):
                self.stream = lines
        class Job(Base):
            def run(self):
                self.stream.pprint()
        """,
    "super": """
        class Base:
            def __init__(self, stream):
                self.stream = stream
        class Job(Base):
            def __init__(self, stream):
                super().__init__(stream)
                self.stream.pprint()
        Job(lines)
        """,
    "the old way of super": """
        class Base(object):
            def __init__(self, stream):
                self.stream = stream
        class Job(Base):
            def __init__(self, stream):
                Base.__init__(self, stream)
                self.stream.pprint()
        Job(lines)
        """,
    "an abstract method": """
        from abc import ABC, abstractmethod
        class Base(ABC):
            @abstractmethod
            def make(self): ...
            def run(self):
                self.make().pprint()
        class Job(Base):
            def make(self):
                return lines
        """,
    "an abstract property": """
        class Base:
            stream = None
            def run(self):
                self.stream.pprint()
        class Job(Base):
            @property
            def stream(self):
                return lines
        """,
    "a callable object": """
        class Show:
            def __call__(self, stream):
                stream.pprint()
        Show()(lines)
        """,
    "a dataclass": """
        from dataclasses import dataclass
        @dataclass
        class Job:
            name: str
            stream: object = None
            def run(self):
                self.stream.pprint()
        Job("a", stream=lines).run()
        """,
    "a method that gives self": """
        class Job:
            def connect(self):
                self.stream = lines
                return self
        Job().connect().stream.pprint()
        """,
    "a context manager": """
        class Job:
            def __enter__(self):
                return lines
        with Job() as stream:
            stream.pprint()
        """,
}


@pytest.mark.parametrize("body", FOLLOWED.values(), ids=FOLLOWED.keys())
def test_a_stream_is_followed_through(body: str) -> None:
    of = job(body)
    assert "pprint" in operations(of)
    assert not escapes(of)


def test_an_attribute_that_is_set_anew_is_the_newer_stream() -> None:
    code = HEAD + (
        "class Job:\n"
        "    def run(self):\n"
        "        self.stream = lines\n"
        "        self.stream = self.stream.map(str)\n"
        "        self.stream.pprint()\n"
    )
    assert graph(project(code)) == [
        "socketTextStream",
        "map <- socketTextStream",
        "pprint <- map",
    ]


def test_a_method_that_a_subclass_overrides_is_handed_over_as_both() -> None:
    code = """
        from pyspark.streaming import StreamingContext
        class Base:
            def __init__(self, sc):
                self.ssc = StreamingContext(sc, 1)
            def run(self):
                self.ssc.socketTextStream(host, port).foreachRDD(self.process)
            def process(self, time, rdd):
                raise NotImplementedError
        class Job(Base):
            def process(self, time, rdd):
                rdd.collect()
        """
    of = module(code)
    assert operations(of) == ["foreachRDD"]
    assert [c.in_batch for c in of.calls_of(Kind.RDD, "collect")] == ["foreachRDD"]
    [call] = of.calls_of(Kind.STREAM)
    assert call.functions["func"].bound_method


def test_a_class_that_inherits_the_context_is_one() -> None:
    code = """
        from pyspark.streaming import StreamingContext
        class Mine(StreamingContext):
            def lines(self):
                return self.socketTextStream(host, port)
        ssc = Mine(sc, 1)
        ssc.lines().pprint()
        ssc.start()
        """
    assert found(module(code)) == [
        "5 StreamingContext.socketTextStream",
        "7 DStream.pprint",
        "8 StreamingContext.start",
    ]


def test_a_method_put_onto_the_class_is_followed() -> None:
    code = """
        from pyspark.streaming import StreamingContext, DStream
        def save(self, table):
            self.foreachRDD(lambda rdd: rdd.collect())
        DStream.saveToCassandra = save
        ssc = StreamingContext(sc, 1)
        ssc.socketTextStream(host, port).saveToCassandra(table)
        """
    of = module(code)
    assert operations(of) == ["foreachRDD", "saveToCassandra"]
    assert all(call.known for call in of.calls)
    assert [(a.name, a.stored) for a in of.attributes] == [("saveToCassandra", True)]
