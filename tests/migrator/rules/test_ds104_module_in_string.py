"""DS104: modules that are loaded by name."""

import pytest

from migrator.core import Readiness
from tests.migrator.rules import check_found, check_noop, check_rewritten, rewritten


@pytest.mark.parametrize(
    "call",
    [
        "importlib.import_module('pyspark.streaming')",
        'import_module("pyspark.streaming.kafka")',
        'import_module(name="pyspark.streaming.kinesis")',
        'import_module(".kafka", "pyspark.streaming")',
    ],
)
def test_what_import_module_is_given_is_edited(call: str) -> None:
    before = f"import importlib\nfrom importlib import import_module\nm = {call}\n"
    check_rewritten(before, before.replace("pyspark.streaming", "dstream_compat"))
    (finding,) = check_found("DS104", before, 3)
    assert finding.readiness is Readiness.READY


@pytest.mark.parametrize(
    "code",
    [
        'find_spec("pyspark.streaming")\n',
        'mock.patch("pyspark.streaming.StreamingContext")\n',
        'sys.modules["pyspark.streaming.kafka"] = fake\n',
        'import_module("pyspark.streaming." + name)\n',
        'import_module(f"pyspark.streaming.{name}")\n',
        'import_module(f"pyspark.streaming.{kind}_source.{name}")\n',
        '__import__("pyspark.streaming")\n',
        'import_module("pyspark.streaming.tests")\n',
    ],
)
def test_other_names_need_a_look(code: str) -> None:
    (finding,) = check_found("DS104", code, 1)
    assert finding.readiness is Readiness.DECIDE
    assert rewritten(code) == code
    assert rewritten(code, unsafe=True) == code.replace("pyspark.streaming", "dstream_compat")


def test_code_in_strings_is_found_and_left_alone() -> None:
    code = (
        'exec("import os; from pyspark.streaming import DStream")\nx = """\n'
        'import pyspark.streaming\n"""\n'
    )
    check_found("DS104", code, 1, 2)
    assert rewritten(code, unsafe=True) == code


@pytest.mark.parametrize(
    "code",
    [
        '"""Job.\n\nimport pyspark.streaming\n"""\n',
        'parser.error("needs pyspark.streaming")\n',
        'url = "https://spark.apache.org/docs/pyspark.streaming.html"\n',
        'import pyspark.streaming\nx: "pyspark.streaming.DStream" = y\n',
        "# pyspark.streaming\nimport pyspark.streaming\nprint(pyspark.streaming.DStream)\n",
    ],
)
def test_prose_and_annotations_are_not_meant(code: str) -> None:
    check_noop("DS104", code)
