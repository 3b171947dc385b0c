"""Streams and contexts across the modules of a run, and the imports themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from migrator.model.inference import analyse
from migrator.text.source import PythonSource
from tests.migrator.model.inference import escapes, found, graph, module, operations, project

IMPORTS = {
    "from pyspark.streaming import StreamingContext": "StreamingContext",
    "from pyspark.streaming import StreamingContext as SC": "SC",
    "from pyspark.streaming.context import StreamingContext": "StreamingContext",
    "import pyspark.streaming": "pyspark.streaming.StreamingContext",
    "import pyspark.streaming.context": "pyspark.streaming.context.StreamingContext",
    "import pyspark.streaming as pss": "pss.StreamingContext",
    "import pyspark as ps, pyspark.streaming": "ps.streaming.StreamingContext",
    "from pyspark import streaming": "streaming.StreamingContext",
    "from pyspark import streaming as s": "s.StreamingContext",
    "from pyspark.streaming import *": "StreamingContext",
    "from dstream_compat import StreamingContext": "StreamingContext",
    "from dstream_compat.context import StreamingContext": "StreamingContext",
    "import dstream_compat as dc": "dc.StreamingContext",
    "try:\n    from pyspark.streaming import StreamingContext\nexcept ImportError:\n    pass": (
        "StreamingContext"
    ),
    "import importlib\nps = importlib.import_module('pyspark.streaming')": "ps.StreamingContext",
}


@pytest.mark.parametrize(("statement", "name"), IMPORTS.items(), ids=IMPORTS.keys())
def test_a_context_is_found_whatever_it_is_called(statement: str, name: str) -> None:
    of = module(f"{statement}\nssc = {name}(sc, 1)\nssc.socketTextStream(host, port).pprint()\n")
    assert [f"{c.owner}.{c.method}" for c in of.calls] == [
        "StreamingContext.__init__",
        "StreamingContext.socketTextStream",
        "DStream.pprint",
    ]


def test_an_import_knows_its_uses_as_the_largest_dotted_names() -> None:
    of = module(
        """
        import pyspark.streaming
        from pyspark.streaming.kafka import KafkaUtils
        def f():
            pyspark.streaming.StreamingContext.getOrCreate(path, make)
            return KafkaUtils
        KafkaUtils.createStream
        KafkaUtils = None
        """
    )
    uses = {i.bound: [of.source.code(use) for use in i.uses] for i in of.imports}
    assert uses == {
        "pyspark": ["pyspark.streaming.StreamingContext.getOrCreate"],
        "KafkaUtils": ["KafkaUtils", "KafkaUtils.createStream"],
    }


def test_an_import_says_where_it_is_from_and_what_it_binds() -> None:
    of = module(
        """
        import pyspark.streaming.kafka
        import pyspark.streaming as pss
        from pyspark.streaming import StreamingContext as SC, DStream
        from pyspark.streaming.kafka import *
        from pyspark import SparkContext, streaming
        import os
        """
    )
    assert [(i.module, i.name, i.bound) for i in of.imports] == [
        ("pyspark.streaming.kafka", None, "pyspark"),
        ("pyspark.streaming", None, "pss"),
        ("pyspark.streaming", "StreamingContext", "SC"),
        ("pyspark.streaming", "DStream", "DStream"),
        ("pyspark.streaming.kafka", "*", "*"),
        ("pyspark", "streaming", "streaming"),
    ]


def test_an_unused_import_has_no_uses() -> None:
    [one] = module("from pyspark.streaming import StreamingContext\n").imports
    assert (one.uses, one.string_uses, one.exported) == ((), (), False)


def test_a_star_import_knows_the_uses_of_all_its_names() -> None:
    of = module("from pyspark.streaming import *\nssc = StreamingContext(sc, 1)\nx: DStream\n")
    assert [of.source.code(use) for use in of.imports[0].uses] == ["StreamingContext", "DStream"]


def test_names_in_strings_and_in_all_are_uses_too() -> None:
    of = module(
        """
        from pyspark.streaming import DStream, StreamingContext
        __all__ = ["StreamingContext"]
        def f(x: "DStream[int]"): ...
        """
    )
    uses = {i.bound: [c.value for c in i.string_uses] for i in of.imports}
    assert uses == {"DStream": ["DStream[int]"], "StreamingContext": ["StreamingContext"]}
    assert {i.bound: i.exported for i in of.imports} == {"DStream": False, "StreamingContext": True}


def test_names_have_their_absolute_names() -> None:
    of = module("from pyspark import streaming as s\nx = s.StreamingContext\ny = s\n")
    named = {of.source.code(node): name for node, name in of.qualified.items()}
    assert named == {
        "s.StreamingContext": "pyspark.streaming.StreamingContext",
        "s": "pyspark.streaming",
    }


def test_a_name_that_was_never_imported_is_noted_and_followed() -> None:
    of = module("ssc = StreamingContext(sc, 1)\nKafkaUtils.createStream(ssc, z, g, t).pprint()\n")
    assert [(u.name, u.home) for u in of.unimported] == [
        ("StreamingContext", "pyspark.streaming"),
        ("KafkaUtils", "pyspark.streaming.kafka"),
    ]
    assert operations(of) == ["pprint"]


def test_a_name_that_is_bound_below_is_not_missing() -> None:
    of = module(
        """
        def main():
            return StreamingContext(sc, 1)
        from pyspark.streaming import StreamingContext
        main()
        """
    )
    assert of.unimported == ()
    assert len(of.imports[0].uses) == 1


HELPER = """
from pyspark.streaming import StreamingContext

def make(sc):
    ssc = StreamingContext(sc, 1)
    return ssc, ssc.socketTextStream(host, port)
"""
MAIN = "{}\nssc, stream = {}(sc)\nstream.map(str).pprint()\nssc.start()\n"

ACROSS = {
    "import helper": "helper.make",
    "import helper as h": "h.make",
    "from helper import make": "make",
    "from helper import make as build": "build",
    "from helper import *": "make",
    "import importlib\nhelper = importlib.import_module('helper')": "helper.make",
}


@pytest.mark.parametrize(("statement", "name"), ACROSS.items(), ids=ACROSS.keys())
def test_context_and_stream_come_from_another_module(statement: str, name: str) -> None:
    of = project({"jobs/main.py": MAIN.format(statement, name), "jobs/helper.py": HELPER})
    assert operations(of.modules["jobs/main.py"]) == ["map", "pprint"]
    assert {"map <- socketTextStream", "pprint <- map"} < set(graph(of))
    assert of.modules["jobs/main.py"].local_imports == {"jobs/helper.py"}
    assert [(job.path, job.modules) for job in of.jobs] == [
        ("jobs/main.py", ("jobs/main.py", "jobs/helper.py"))
    ]


PACKAGES = {
    "from . import helper": "helper.make",
    "from .helper import make": "make",
    "from app.helper import make": "make",
    "import app.helper": "app.helper.make",
    "from app import helper": "helper.make",
    "from .deep.inner import make": "make",
    "from .deep import make": "make",
}


@pytest.mark.parametrize(("statement", "name"), PACKAGES.items(), ids=PACKAGES.keys())
def test_modules_of_a_package_are_found(statement: str, name: str) -> None:
    of = project(
        {
            "src/app/__init__.py": "",
            "src/app/main.py": MAIN.format(statement, name),
            "src/app/helper.py": HELPER,
            "src/app/deep/__init__.py": "from ..helper import make\n",
            "src/app/deep/inner.py": "from app.helper import make\n",
        }
    )
    assert operations(of.modules["src/app/main.py"]) == ["map", "pprint"]
    assert not escapes(of.modules["src/app/main.py"])


def test_the_order_of_the_files_does_not_matter() -> None:
    files = {"helper.py": HELPER, "main.py": MAIN.format("from helper import make", "make")}
    backwards = dict(reversed(files.items()))
    for path in files:
        assert found(module(files, path)) == found(module(backwards, path))


def test_modules_that_import_each_other_are_followed() -> None:
    files = {
        "a.py": "import b\nfrom pyspark.streaming import StreamingContext\n"
        "ssc = StreamingContext(sc, 1)\ndef main():\n    b.show(ssc.textFileStream(p))\nmain()\n",
        "b.py": "import a\ndef show(stream):\n    stream.pprint()\n    a.ssc.start()\n",
    }
    assert found(module(files, "b.py")) == ["3 DStream.pprint", "4 StreamingContext.start"]


def test_a_name_that_another_module_takes_from_here_is_exported() -> None:
    files = {
        "names.py": "from pyspark.streaming import StreamingContext, DStream\n",
        "job.py": "from names import StreamingContext\nssc = StreamingContext(sc, 1)\n",
    }
    imports = project(files).modules["names.py"].imports
    assert {i.name: i.exported for i in imports} == {"StreamingContext": True, "DStream": False}
    assert found(module(files)) == ["2 StreamingContext.__init__"]


def test_jobs_are_modules_that_belong_together() -> None:
    files = {
        "one.py": MAIN.format("from helper import make", "make"),
        "two.py": MAIN.format("from helper import make", "make"),
        "helper.py": HELPER,
        "alone.py": "from pyspark.streaming import StreamingContext\nStreamingContext(sc, 1)\n",
        "lib.py": "from pyspark.streaming import DStream\ndef f(x: DStream):\n    x.pprint()\n",
        "other.py": "import os\n",
    }
    assert [(job.path, job.modules) for job in project(files).jobs] == [
        ("one.py", ("one.py", "helper.py")),
        ("two.py", ("two.py", "helper.py")),
        ("alone.py", ("alone.py",)),
        ("lib.py", ("lib.py",)),
    ]


def test_a_module_of_the_same_name_elsewhere_is_not_taken_for_pysparks() -> None:
    files = {
        "tools/streaming.py": "class StreamingContext: ...\n",
        "job.py": "from pyspark.streaming import StreamingContext\nStreamingContext(sc, 1)\n",
    }
    assert found(module(files)) == ["2 StreamingContext.__init__"]


@pytest.mark.parametrize("packages", [(), ("p",), ("p", "p/q")])
def test_a_module_is_followed_by_its_dotted_name_also_without_init_files(
    packages: tuple[str, ...],
) -> None:
    files = {f"{package}/__init__.py": "" for package in packages}
    files["p/q/sinks.py"] = "def go(ssc):\n    ssc.socketTextStream(h, 1).pprint()\n"
    files["job.py"] = (
        "import p.q.sinks\nfrom pyspark.streaming import StreamingContext\n"
        "p.q.sinks.go(StreamingContext(sc, 1))\n"
    )
    of = project(files)
    assert not of.modules["job.py"].escapes
    assert found(of.modules["p/q/sinks.py"]) == [
        "2 StreamingContext.socketTextStream",
        "2 DStream.pprint",
    ]


def test_streams_are_followed_out_of_a_file_that_a_notebook_runs() -> None:
    common = "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 1)\n"
    notebook = replace(
        PythonSource.read("n/job.py", b"#run ./common\nssc.socketTextStream(h, 1).pprint()\n"),
        notebook=True,
    )
    of = analyse([notebook, PythonSource.read("n/common.py", common.encode())])
    assert found(of.modules["n/job.py"]) == [
        "2 StreamingContext.socketTextStream",
        "2 DStream.pprint",
    ]
    assert of.modules["n/job.py"].local_imports == {"n/common.py"}
    assert not of.modules["n/job.py"].escapes
