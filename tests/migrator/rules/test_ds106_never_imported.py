"""DS106: names of the API that are used and never imported."""

import json

import pytest

from migrator.core import Readiness, Severity
from tests.migrator.rules import check_found, check_noop, rewritten

USE = "ssc = StreamingContext(sc, 1)\nlines = ssc.socketTextStream('h', 1)\nlines.pprint()\n"


def test_the_first_use_is_reported_once() -> None:
    check_found("DS106", f"{USE}other = StreamingContext(sc, 1)\n", 1)


def test_the_import_is_added_only_where_asked_for() -> None:
    assert rewritten(USE) == USE
    assert rewritten(USE, unsafe=True) == "from dstream_compat import StreamingContext\n" + USE


def test_it_goes_beside_other_imports_of_pyspark() -> None:
    code = (
        '"""Job."""\nfrom __future__ import annotations\nimport os\n'
        "from pyspark import SparkContext\n" + USE
    )
    assert rewritten(code, unsafe=True).splitlines()[2:5] == [
        "import os",
        "from dstream_compat import StreamingContext",
        "from pyspark import SparkContext",
    ]


def test_it_never_goes_in_front_of_docstring_and_future() -> None:
    code = '"""Job."""\nfrom __future__ import annotations\n' + USE
    assert rewritten(code, unsafe=True).splitlines()[2] == (
        "from dstream_compat import StreamingContext"
    )


@pytest.mark.parametrize(
    "head",
    [
        "from pyspark.streaming import StreamingContext\n",
        "from common import StreamingContext\n",
        "from pyspark.streaming import *\n",
        "from dstream_compat import *\n",
        "import common as StreamingContext\n",
        "StreamingContext = load()\n",
        "class StreamingContext:\n    pass\n",
        "def StreamingContext(*a):\n    pass\n",
        "for StreamingContext in engines:\n    pass\n",
    ],
)
def test_a_name_that_anything_binds_is_known(head: str) -> None:
    check_noop("DS106", head + USE)


def test_files_without_streams_are_not_looked_at() -> None:
    check_noop("DS106", "print(Broker)\n")


def test_all_of_them_are_added_at_once() -> None:
    code = "KafkaUtils.createDirectStream(StreamingContext(sc, 1), topics, params)\nDStream\n"
    after = rewritten(code, unsafe=True)
    assert after == (
        "from dstream_compat import DStream, StreamingContext\n"
        f"from dstream_compat.kafka import KafkaUtils\n{code}"
    )
    assert rewritten(after, unsafe=True) == after


def test_imports_that_are_edited_themselves_are_not_in_the_way() -> None:
    code = f"from pyspark import streaming, RDD\nprint(streaming, RDD, KafkaUtils)\n{USE}"
    after = rewritten(code, unsafe=True)
    assert after.splitlines()[:4] == [
        "import dstream_compat as streaming",
        "from pyspark import RDD",
        "from dstream_compat import StreamingContext",
        "from dstream_compat.kafka import KafkaUtils",
    ]
    assert rewritten(after, unsafe=True) == after


@pytest.mark.parametrize("decorator", ["@cached", "@ (cached)", "@a.b(\n    c @ d)\n@other"])
@pytest.mark.parametrize("thing", ["def f(): ...", "class A: ..."])
def test_a_decorator_stays_with_what_it_decorates(decorator: str, thing: str) -> None:
    code = f"{decorator}\n{thing}\n{USE}"
    after = rewritten(code, unsafe=True)
    assert after == f"from dstream_compat import StreamingContext\n{code}"


@pytest.mark.parametrize("module", ["pyspark", "pyspark.sql.functions", "os", "math", "numpy"])
def test_a_star_of_a_module_that_does_not_have_it_brings_nothing(module: str) -> None:
    (found,) = check_found("DS106", f"from {module} import *\n{USE}", 2)
    assert found.severity is Severity.ERROR


def test_what_a_star_of_a_file_that_was_not_given_brings_is_unknown() -> None:
    (found,) = check_found("DS106", f"from common import *\n{USE}", 2)
    assert (found.readiness, found.severity) == (Readiness.UNKNOWN, Severity.WARNING)
    assert found.fix is None


@pytest.mark.parametrize(
    "star", ["from .common import *", "from jobs.common import *", "from common import *"]
)
def test_a_star_of_a_file_of_the_run_brings_what_is_bound_there(star: str) -> None:
    job = {"jobs/__init__.py": "", "jobs/job.py": f"{star}\n{USE}"}
    brings = {**job, "jobs/common.py": "from pyspark.streaming import StreamingContext\n"}
    check_noop("DS106", brings)
    through = {**job, "jobs/common.py": "from .deep import *\n"}
    check_noop("DS106", {**through, "jobs/deep.py": "from pyspark.streaming import *\n"})
    (found,) = check_found("DS106", {**job, "jobs/common.py": "X = 1\n"}, ("jobs/job.py", 2))
    assert found.severity is Severity.ERROR


RUN = "# Databricks notebook source\n# MAGIC %run ./common\n# COMMAND ----------\n" + USE


def test_what_is_run_brings_its_names() -> None:
    common = "from pyspark.streaming import StreamingContext\n"
    check_noop("DS106", {"n/job.py": RUN, "n/common.py": common})


def test_what_a_file_that_was_not_given_brings_by_being_run_is_unknown() -> None:
    (found,) = check_found("DS106", RUN, 4)
    assert found.readiness is Readiness.UNKNOWN


def test_in_a_notebook_too() -> None:
    cell = {"cell_type": "code", "source": f"%run common.py\n{USE}"}
    notebook = json.dumps({"cells": [cell]})
    common = "from pyspark.streaming import StreamingContext\n"
    check_noop("DS106", {"n/job.ipynb": notebook, "n/common.py": common})
    check_found("DS106", {"n/job.ipynb": notebook}, ("n/job.ipynb", 2))
