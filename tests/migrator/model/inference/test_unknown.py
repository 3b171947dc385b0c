"""What cannot be followed is said; what only looks like a DStream is not one."""

from __future__ import annotations

import pytest

from migrator.core import Confidence
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

FALSE_FRIENDS = {
    "pandas": "import pandas as pd\ndf = pd.read_csv(p)\ndf.transform(f).join(o).count()\n",
    "sklearn": "from sklearn.decomposition import PCA\nPCA().fit(x).transform(x)\n",
    "strings": "', '.join(parts)\nline.count(',')\n",
    "a map of something": "def f(frame):\n    return frame.map(str).reduce(g).union(o).window(5)\n",
    "RDDs": "rdd = sc.textFile(p)\nrdd.flatMap(f).map(g).reduceByKey(h).saveAsTextFile(p)\n",
    "records called rdd": "def f(records):\n    for rdd in records:\n        rdd.map(str)\n",
    "PrettyPrinter": "import pprint\npprint.PrettyPrinter().pprint(x)\npprint.pprint(y)\n",
    "a printer of unknown origin": "def f(pp, x):\n    pp.pprint(x)\n",
    "a method of one's own class": (
        "class A:\n    def foreachRDD(self, f): ...\n"
        "    def run(self):\n        self.foreachRDD(g)\n"
    ),
    "Structured Streaming": (
        "q = df.writeStream.start()\nq.awaitTermination()\nspark.streams.awaitAnyTermination()\n"
    ),
    "start and stop of anything": "server.start()\nserver.stop()\nserver.checkpoint(x)\n",
}


@pytest.mark.parametrize("code", FALSE_FRIENDS.values(), ids=FALSE_FRIENDS.keys())
def test_a_method_name_proves_nothing(code: str) -> None:
    of = module(code)
    assert found(of) == []
    assert escapes(of) == []


def test_an_import_that_is_never_used_makes_no_calls() -> None:
    of = module("from pyspark.streaming import StreamingContext\ndf.transform(f)\n")
    assert (found(of), escapes(of), of.uses_streams) == ([], [], True)


UNKNOWN_ORIGIN = {
    "a parameter": "def run(stream):\n    stream.foreachRDD(f)\n",
    "a constructor": (
        "class A:\n    def __init__(self, stream):\n        self.stream = stream\n"
        "    def run(self):\n        self.stream.updateStateByKey(f)\n"
    ),
    "a name that nobody binds": "stream.pprint()\n",
    "a result from elsewhere": "from helper import make\nssc, stream = make()\nstream.pprint()\n",
    "an attribute that nobody sets": "class A:\n    def run(self):\n        self.s.foreachRDD(f)\n",
    "a dictionary from elsewhere": "import helper\nhelper.streams['a'].foreachRDD(f)\n",
    "a context": "def run(context):\n    context.socketTextStream(host, port)\n",
    "a call in a chain": "import helper\nhelper.make().map(f).countByWindow(30, 10)\n",
}


@pytest.mark.parametrize("code", UNKNOWN_ORIGIN.values(), ids=UNKNOWN_ORIGIN.keys())
def test_something_used_as_only_a_stream_can_be_is_an_escape(code: str) -> None:
    of = module(code)
    assert [escape.how.name for escape in of.escapes] == ["UNKNOWN_ORIGIN"]
    assert of.uses_streams


def test_an_escape_says_what_was_called_on_what() -> None:
    [escape] = module("def run(stream):\n    stream.map(f).foreachRDD(g)\n").escapes
    assert (escape.kind, escape.name, escape.method) == (Kind.STREAM, "stream", "foreachRDD")


def test_a_value_of_unknown_origin_is_followed_from_where_it_comes_in() -> None:
    code = """
        def run(stream):
            words = stream.flatMap(str.split)
            words.window(30).count()
            words.foreachRDD(lambda rdd: rdd.collect())
        """
    of = module(code)
    assert found(of) == [
        "3 DStream.flatMap",
        "4 DStream.window",
        "4 DStream.count",
        "5 DStream.foreachRDD",
    ]
    assert {c.confidence for c in of.calls_of(Kind.STREAM)} == {Confidence.GUESS}
    assert escapes(of) == ["5 UNKNOWN_ORIGIN stream"]
    assert graph(project(code))[0] == "?"


def test_one_escape_per_origin() -> None:
    of = module("def run(s):\n    s.foreachRDD(f)\n    s.map(g).foreachRDD(h)\n")
    assert escapes(of) == ["2 UNKNOWN_ORIGIN s"]


def test_no_escape_is_left_once_a_caller_is_known() -> None:
    of = job(
        """
        def run(stream):
            stream.foreachRDD(f)
        def main():
            run(lines)
        """
    )
    assert escapes(of) == []
    assert operations(of) == ["foreachRDD"]


ESCAPES = {
    "a function from elsewhere": ("import helper\nhelper.run(lines)\n", "UNKNOWN_CALL helper.run"),
    "by name": ("import helper\nhelper.run(stream=lines)\n", "UNKNOWN_CALL helper.run"),
    "a context": ("from helper import run\nrun(ssc)\n", "UNKNOWN_CALL run"),
    "a method of something": ("thing.run(lines)\n", "UNKNOWN_CALL thing.run"),
    "a container": ("import helper\nhelper.run([lines])\n", "CONTAINER helper.run"),
    "getattr of a module": (
        "import pipelines\ngetattr(pipelines, name)(lines)\n",
        "DYNAMIC_NAME getattr(pipelines, …)",
    ),
    "getattr of a stream": ("getattr(lines, name)()\n", "DYNAMIC_NAME getattr(lines, …)"),
    "getattr of what no stream has": (
        "getattr(lines, 'collect')()\n",
        "DYNAMIC_NAME getattr(lines, …)",
    ),
    "globals": ("globals()[name](lines)\n", "DYNAMIC_NAME globals()[…]"),
    "eval": ("eval(name)(lines)\n", "DYNAMIC_NAME eval(…)"),
    "import_module": (
        "import importlib\nimportlib.import_module(name).run(lines)\n",
        "DYNAMIC_NAME import_module(…)",
    ),
    "an attribute of something": ("other.s = lines\n", "CONTAINER other.s"),
    "an attribute of a function": ("def f(): pass\nf.s = [lines]\n", "CONTAINER f.s"),
    "an attribute of a context": ("ssc.mine = lines\n", "CONTAINER ssc.mine"),
    "setattr": ("setattr(other, 's', lines)\n", "CONTAINER other.s"),
    "setattr by any name": ("setattr(other, name, lines)\n", "DYNAMIC_NAME setattr(…)"),
    "an item of something": ("other['s'] = lines\n", "CONTAINER other"),
    "globals by any name": ("globals()[name] = lines\n", "DYNAMIC_NAME globals()[…]"),
    "locals": ("locals()['s'] = lines\n", "DYNAMIC_NAME globals()[…]"),
    "code in a string": ("exec('ssc.start()')\n", "DYNAMIC_NAME exec(…)"),
    "code in an f-string": ("exec(f'lines.{name}()')\n", "DYNAMIC_NAME exec(…)"),
    "an expression in a string": ("eval('lines.count()')\n", "DYNAMIC_NAME eval(…)"),
    "code from anywhere": ("exec(code)\n", "DYNAMIC_NAME exec(…)"),
}


@pytest.mark.parametrize(("body", "expected"), ESCAPES.values(), ids=ESCAPES.keys())
def test_a_stream_that_leaves_is_an_escape(body: str, expected: str) -> None:
    assert [entry.partition(" ")[2] for entry in escapes(job(body))] == [expected]


STAYS = [
    "print(lines)\n",
    "import logging\nlogging.info('%s', lines)\nlogger.info(lines)\n",
    "type(lines), isinstance(lines, object), id(lines), repr(lines)\n",
    "self.assertEqual(lines, other)\n",
    "import helper\nhelper.run(5)\n",
    "other.x = 5\nother['x'] = 5\nsetattr(other, 'x', 5)\nglobals()['x'] = 5\n",
    "exec('import os')\neval('1 + 1')\nx = eval(line)\n",
    "class A: pass\na = A()\na.s = lines\nsetattr(a, 't', lines)\n",
]


@pytest.mark.parametrize("body", STAYS)
def test_looking_at_a_stream_is_no_escape(body: str) -> None:
    assert escapes(job(body)) == []


def test_a_streaming_model_is_an_output_and_an_operator() -> None:
    body = """
        from pyspark.mllib.clustering import StreamingKMeans
        model = StreamingKMeans(k=2).setRandomCenters(5, 1.0, 0)
        model.trainOn(lines)
        model.predictOn(lines).pprint()
        """
    of = project(HEAD + "\n".join(line.strip() for line in body.strip().splitlines()) + "\n")
    assert graph(of)[1:] == [
        "trainOn <- socketTextStream",
        "predictOn <- socketTextStream",
        "pprint <- predictOn",
    ]
    calls = of.modules["job.py"].calls_of(Kind.MODEL, "trainOn")
    assert [c.owner for c in calls] == ["StreamingKMeans"]


UTILS = [
    "from mqtt import MQTTUtils\nMQTTUtils.createStream(ssc, url, topic).pprint()\n",
    "from amqp import AMQPUtils\nAMQPUtils.createStream(ssc, url).pprint()\n",
]


@pytest.mark.parametrize("body", UTILS)
def test_a_utils_class_from_elsewhere_makes_a_source(body: str) -> None:
    of = job(body)
    [call] = of.calls_of(Kind.UTILS)
    assert call.owner.endswith("Utils")
    assert (call.method, call.stream is not None) == ("createStream", True)
    assert operations(of) == ["pprint"]


def test_a_utils_class_of_the_run_is_followed_to_the_stream_it_makes() -> None:
    code = """
        from pyspark.streaming import DStream, StreamingContext
        class AMQPUtils(object):
            @staticmethod
            def createStream(ssc, url):
                return DStream(ssc._jvm.Helper().createStream(ssc._jssc, url), ssc, None)
        ssc = StreamingContext(sc, 1)
        AMQPUtils.createStream(ssc, url).pprint()
        """
    assert graph(project(code)) == ["DStream", "pprint <- DStream"]


def test_the_import_of_a_vendored_utils_class_is_noted_if_it_makes_streams() -> None:
    of = job(
        "from amqp import AMQPUtils, StringUtils\nAMQPUtils.createStream(ssc)\nStringUtils.x()\n"
    )
    assert [(i.module, i.name) for i in of.imports[1:]] == [("amqp", "AMQPUtils")]


def test_an_attribute_of_something_unknown_is_followed_where_it_is_set() -> None:
    of = job("config.lines = lines\nconfig.lines.pprint()\n")
    assert operations(of) == ["pprint"]
    assert escapes(of) == ["4 CONTAINER config.lines"]


RETURNED = [
    "import copy\ncopy.copy(lines).pprint()\n",
    "import copy\ncopy.deepcopy(lines).pprint()\n",
    "import copy\ncopy.copy([lines])[0].pprint()\n",
    "max([lines]).pprint()\n",
    "min([lines], key=str).pprint()\n",
    "max(lines, lines).pprint()\n",
    "globals()['s'] = lines\ns.pprint()\n",
    "globals()['s'] = lines\ndef f():\n    s.pprint()\n",
]


@pytest.mark.parametrize("body", RETURNED)
def test_what_gives_back_a_stream_is_followed(body: str) -> None:
    of = job(body)
    assert operations(of) == ["pprint"]
    assert escapes(of) == []


SET_ON_A_MODULE = {
    "assigned": "import config\nconfig.ssc = StreamingContext(sc, 1)\n",
    "setattr": "import config\nsetattr(config, 'ssc', StreamingContext(sc, 1))\n",
    "as": "import config as c\ndef make():\n    c.ssc = StreamingContext(sc, 1)\nmake()\n",
}


@pytest.mark.parametrize("code", SET_ON_A_MODULE.values(), ids=SET_ON_A_MODULE.keys())
def test_what_is_set_on_a_module_of_the_run_is_there_for_all(code: str) -> None:
    reader = "import config\ndef go():\n    config.ssc.socketTextStream(h, 1).pprint()\n"
    of = project(
        {
            "config.py": "ssc = None\n",
            "reader.py": reader,
            "job.py": f"from pyspark.streaming import StreamingContext\n{code}"
            "import reader\nreader.go()\n",
        }
    )
    assert graph(of) == ["socketTextStream", "pprint <- socketTextStream"]
    assert not any(module.escapes for module in of.modules.values())
