"""Streams in lists, tuples and dictionaries."""

from __future__ import annotations

import pytest

from tests.migrator.model.inference import HEAD, escapes, graph, job, operations, project

FOLLOWED = {
    "a list": "streams = [lines, lines]\nstreams[0].pprint()\n",
    "a tuple": "pair = lines, 5\npair[0].pprint()\n",
    "a dictionary": "streams = {'a': lines}\nstreams['a'].pprint()\n",
    "dict()": "streams = dict(a=lines)\nstreams['a'].pprint()\n",
    "get": "streams = {'a': lines}\nstreams.get('a').pprint()\n",
    "a key that is not known": "streams = {'a': lines}\nstreams[name].pprint()\n",
    "append": "streams = []\nstreams.append(lines)\nstreams[-1].pprint()\n",
    "extend": "streams = []\nstreams.extend([lines])\nfor s in streams:\n    s.pprint()\n",
    "an item that is set": "streams = {}\nstreams[name] = lines\nstreams['a'].pprint()\n",
    "a slice": "streams = [lines]\nstreams[:1][0].pprint()\n",
    "a sum of lists": "streams = [1] + [lines]\nstreams[1].pprint()\n",
    "an augmented list": "streams = []\nstreams += [lines]\nstreams[0].pprint()\n",
    "a list comprehension": "streams = [lines.map(f) for f in fs]\nstreams[0].pprint()\n",
    "a loop in a comprehension": "[s.pprint() for s in [lines]]\n",
    "a dictionary comprehension": "streams = {k: lines for k in ks}\nstreams['a'].pprint()\n",
    "items": "for name, s in {'a': lines}.items():\n    s.pprint()\n",
    "values": "for s in {'a': lines}.values():\n    s.pprint()\n",
    "enumerate": "for i, s in enumerate([lines]):\n    s.pprint()\n",
    "zip": "for s, n in zip([lines], [1]):\n    s.pprint()\n",
    "map": "for s in map(lambda f: lines.map(f), fs):\n    s.pprint()\n",
    "next": "next(iter([lines])).pprint()\n",
    "list": "list((lines,))[0].pprint()\n",
    "a list of lists": "rows = [[lines]]\nrows[0][0].pprint()\n",
    "a list that is filled in a function": """
        streams = []
        def fill():
            streams.append(lines)
        fill()
        streams[0].pprint()
        """,
    "a list that is filled in a function that is walked later": """
        streams = []
        def show():
            for stream in streams:
                stream.pprint()
        def fill():
            streams.append(lines)
        """,
    "a list in an attribute": """
        class Job:
            def __init__(self):
                self.streams = []
            def add(self, stream):
                self.streams.append(stream)
            def show(self):
                for stream in self.streams:
                    stream.pprint()
        job = Job()
        job.show()
        job.add(lines)
        """,
}


@pytest.mark.parametrize("body", FOLLOWED.values(), ids=FOLLOWED.keys())
def test_a_stream_is_followed_through(body: str) -> None:
    of = job(body)
    assert "pprint" in operations(of)
    assert not escapes(of)


UNIONS = {
    "a list": "streams = [ssc.textFileStream(p) for p in paths]\nssc.union(*streams).pprint()\n",
    "a list with append": """\
streams = []
for p in paths:
    streams.append(ssc.textFileStream(p))
ssc.union(*streams).pprint()
""",
    "a tuple": "a = ssc.textFileStream(p)\nssc.union(a).pprint()\n",
    "a generator": "ssc.union(*(ssc.textFileStream(p) for p in paths)).pprint()\n",
    "a list and more": "a = [ssc.textFileStream(p)]\nssc.union(*a[:5]).pprint()\n",
}


@pytest.mark.parametrize("body", UNIONS.values(), ids=UNIONS.keys())
def test_a_union_of_a_list_has_its_elements_as_parents(body: str) -> None:
    made = graph(project(HEAD + body))
    assert sorted(made[1:]) == ["pprint <- union", "textFileStream", "union <- textFileStream"]


def test_transform_of_several_streams_has_them_as_parents() -> None:
    code = HEAD + "ssc.transform([lines, lines.map(str)], lambda rdds: rdds[0]).pprint()\n"
    assert "transform <- socketTextStream + map" in graph(project(code))


def test_a_union_in_a_loop_is_its_own_parent_no_more() -> None:
    code = (
        HEAD + "for p in paths:\n    lines = lines.union(ssc.textFileStream(p))\nlines.pprint()\n"
    )
    assert graph(project(code)) == [
        "socketTextStream",
        "union <- socketTextStream + textFileStream",
        "textFileStream",
        "pprint <- socketTextStream + union",
    ]


def test_a_container_that_leaves_the_run_is_an_escape() -> None:
    of = job("import helper\nstreams = {'a': [lines]}\nhelper.run(streams['a'])\n")
    assert escapes(of) == ["6 CONTAINER helper.run"]
