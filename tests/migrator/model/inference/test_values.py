"""A stream is followed through assignments, expressions and blocks."""

from __future__ import annotations

import pytest

from migrator.core import Confidence
from tests.migrator.model.inference import HEAD, escapes, found, graph, job, operations, project

FOLLOWED = {
    "an assignment": """
        words = lines
        words.pprint()
        """,
    "a chain of calls": """
        lines.map(str).filter(len).pprint()
        """,
    "a chain over several lines with comments": """
        (lines
            .map(str)  # to text
            # .filter(len)
            .pprint())
        """,
    "several targets": """
        a = b = lines
        b.pprint()
        """,
    "tuple unpacking": """
        a, (b, c) = 1, (lines, 2)
        b.pprint()
        """,
    "starred unpacking": """
        first, *rest = [lines, lines]
        rest[0].pprint()
        """,
    "a conditional expression": """
        chosen = lines if flag else None
        chosen.pprint()
        """,
    "or and and": """
        chosen = None or lines
        chosen.pprint()
        """,
    "a walrus": """
        if (words := lines.map(str)) is not None:
            words.pprint()
        """,
    "cache, persist and checkpoint, which give the stream itself": """
        lines.cache().persist(level).checkpoint(10).pprint()
        """,
    "a method that is called later": """
        show = lines.pprint
        show()
        """,
    "getattr with a constant name": """
        getattr(lines, "pprint")()
        """,
    "both branches of an if": """
        if flag:
            words = lines.map(str)
        else:
            words = lines
        words.pprint()
        """,
    "a name bound in try": """
        try:
            words = lines.map(str)
        except ValueError:
            words = None
        words.pprint()
        """,
    "a with block": """
        with lock as held, lines as words:
            words.pprint()
        """,
    "a loop over a list": """
        for stream in [lines, lines.map(str)]:
            stream.pprint()
        """,
    "a name bound in an earlier round of a loop": """
        words = None
        for f in functions:
            if words is not None:
                words.pprint()
            words = lines.map(f)
        """,
    "match": """
        match mode:
            case "all":
                words = lines
            case _:
                words = lines.map(str)
        words.pprint()
        """,
    "code behind a return": """
        def build():
            return None
            lines.pprint()
        """,
    "del of another name": """
        words = lines
        del lines
        words.pprint()
        """,
    "isinstance": """
        from pyspark.streaming import DStream
        def show(thing):
            if isinstance(thing, DStream):
                thing.pprint()
        """,
}


@pytest.mark.parametrize("body", FOLLOWED.values(), ids=FOLLOWED.keys())
def test_a_stream_is_followed_through(body: str) -> None:
    module = job(body)
    assert "pprint" in operations(module)
    assert not escapes(module)


NOT_STREAMS = {
    "a name that is bound to something else since": """
        lines = open(path)
        lines.map(str)
        """,
    "elements in a map function": """
        lines.map(lambda line: line.count(",") and line.join(parts))
        """,
    "the records of a loop": """
        for rdd in records:
            rdd.map(str).join(other)
        """,
    "a loop variable of a comprehension, outside": """
        found = [lines for lines in texts]
        """,
    "a class attribute of the same name": """
        class Config:
            lines = 5
        Config.lines.count(5)
        """,
    "a parameter of the same name": """
        def clean(lines):
            return lines.filter(None)
        clean(text)
        """,
}


@pytest.mark.parametrize("body", NOT_STREAMS.values(), ids=NOT_STREAMS.keys())
def test_a_name_alone_proves_nothing(body: str) -> None:
    assert [m for m in operations(job(body)) if m != "map"] == []


def test_a_rebound_name_is_the_newer_stream_and_not_both() -> None:
    code = HEAD + "lines = lines.map(str)\nlines = lines.filter(len)\nlines.pprint()\n"
    assert graph(project(code)) == [
        "socketTextStream",
        "map <- socketTextStream",
        "filter <- map",
        "pprint <- filter",
    ]


def test_two_ways_meet_in_one_operation() -> None:
    code = HEAD + "words = lines\nif flag:\n    words = lines.map(str)\nwords.pprint()\n"
    assert graph(project(code))[-1] == "pprint <- socketTextStream + map"


def test_a_branch_that_leaves_does_not_count_behind_it() -> None:
    code = HEAD + (
        "def build():\n"
        "    words = lines.map(str)\n"
        "    if flag:\n"
        "        words = lines.filter(len)\n"
        "        return words\n"
        "    words.pprint()\n"
    )
    assert graph(project(code))[-1] == "pprint <- map"


def test_operators_with_two_streams_have_two_parents() -> None:
    code = HEAD + "other = lines.map(str)\nlines.join(other, 4).union(lines).pprint()\n"
    assert graph(project(code))[2:] == [
        "join <- socketTextStream + map",
        "union <- socketTextStream + join",
        "pprint <- union",
    ]


def test_a_stream_is_called_by_its_first_variable() -> None:
    code = HEAD + "words = lines.map(str)\nother = words\nlines.count().pprint()\n"
    assert [s.name for s in project(code).streams] == ["lines", "words", None, None]


def test_a_stream_stands_where_its_operation_is_written() -> None:
    code = HEAD + "(lines\n    .map(str)\n    .pprint())\n"
    places = [(s.operation, s.line, s.column) for s in project(code).streams]
    assert places == [("socketTextStream", 3, 13), ("map", 5, 6), ("pprint", 6, 6)]


def test_streams_and_their_batch_length_belong_to_a_context() -> None:
    code = HEAD + (
        "other = StreamingContext(sc, batchDuration=0.5)\nother.checkpoint(path)\n"
        "other.textFileStream(path).map(str).pprint()\n"
    )
    of = project(code)
    assert [(s.operation, s.context) for s in of.streams] == [
        ("socketTextStream", 0),
        ("textFileStream", 1),
        ("map", 1),
        ("pprint", 1),
    ]
    assert [(c.batch_seconds, c.checkpointed) for c in of.contexts] == [(2.0, False), (0.5, True)]


def test_what_comes_through_a_parameter_or_attribute_is_likely() -> None:
    module = job(
        """
        def show(stream):
            stream.pprint()
        show(lines)
        class Box:
            def __init__(self):
                self.stream = lines
            def show(self):
                self.stream.pprint()
        lines.pprint()
        """
    )
    likely, sure = Confidence.LIKELY, Confidence.SURE
    assert [c.confidence for c in module.calls if c.method == "pprint"] == [likely, likely, sure]


def test_a_stream_that_may_be_something_else_is_likely() -> None:
    module = job("words = lines\nif flag:\n    words = open(path)\nwords.pprint()\n")
    assert module.calls[-1].confidence is Confidence.LIKELY


def test_private_attributes_are_noted_where_they_are_read_and_set() -> None:
    module = job("ssc._jssc.stop()\nssc._jvm = None\nlines._jdstream.dstream()\n")
    noted = [(a.node.lineno, str(a.on), a.name, a.stored) for a in module.attributes]
    assert noted == [
        (4, "StreamingContext", "_jssc", False),
        (5, "StreamingContext", "_jvm", True),
        (6, "DStream", "_jdstream", False),
    ]


def test_the_spark_context_of_a_context_is_known() -> None:
    module = job("ssc.sparkContext.setLogLevel(level)\nlines.context().sparkContext.stop()\n")
    assert [c.method for c in module.calls if c.owner == "SparkContext"] == ["setLogLevel", "stop"]


TESTS = {
    "if lines: pass": [4],
    "while lines: pass": [4],
    "not lines": [4],
    "lines and x": [4],
    "x and lines": [],
    "if x and lines: pass": [4],
    "if lines is not None: pass": [],
    "assert lines": [4],
    "y = 1 if lines else 2": [4],
    "bool(lines)": [4],
    "[x for x in y if lines]": [4],
    "if lines.count() > 5: pass": [],
    "if ssc: pass": [],
}


@pytest.mark.parametrize(("body", "lines"), TESTS.items(), ids=TESTS.keys())
def test_the_truth_of_a_stream_is_asked(body: str, lines: list[int]) -> None:
    assert [test.node.lineno for test in job(body + "\n").tests] == lines


def test_calls_no_stream_has_are_found_and_what_would_give_an_rdd_goes_on() -> None:
    module = job("lines.sortByKey().pprint()\nlines.collect().pprint()\n")
    assert [(c.method, c.known) for c in module.calls[2:]] == [
        ("sortByKey", False),
        ("pprint", True),
        ("collect", False),
    ]


def test_everything_is_in_the_order_of_the_source() -> None:
    assert found(job("lines.map(str).pprint()\nssc.start()\n")) == [
        "4 DStream.map",
        "4 DStream.pprint",
        "5 StreamingContext.start",
    ]


def test_a_cast_says_what_something_is() -> None:
    code = """\
    from typing import cast
    from pyspark.streaming import DStream
    def f(x, y):
        cast(DStream, x).map(str).pprint()
        cast("int", x).map(str)
    """
    assert found(project(code).modules["job.py"]) == ["4 DStream.map", "4 DStream.pprint"]
