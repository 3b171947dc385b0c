"""DS907: cells that are not Python."""

import json

import pytest

from migrator.core import Changed, Readiness, Result
from migrator.run.rewriting import rewrite
from migrator.run.running import Options, Report, check
from tests.migrator.rules import check_found, check_noop, rewritten

HEAD = "# Databricks notebook source\nfrom pyspark.streaming import StreamingContext\n"
BORDER = "\n# COMMAND ----------\n"


def notebook(*cells: str) -> bytes:
    listed = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": listed, "metadata": {}, "nbformat": 4}, indent=1).encode()


def of(raw: bytes) -> tuple[Report, Result]:
    report = check(["-"], Options(handler=rewrite), stdin=raw)
    (result,) = report.results
    return report, result


BROKEN = "x = 1\nfor each word in lines:\n    count it\n"


def test_the_other_cells_of_a_notebook_are_rewritten() -> None:
    raw = notebook(
        "from pyspark.streaming import StreamingContext", BROKEN, "StreamingContext(sc, 1)"
    )
    report, result = of(raw)
    assert isinstance(result, Changed)
    assert result.after == raw.replace(b"pyspark.streaming", b"dstream_compat")
    (finding,) = [f for f in result.findings if f.code == "DS907"]
    assert (finding.cell, finding.line) == (2, 2)
    assert [job.readiness for job in report.jobs] == [Readiness.UNKNOWN]


def test_a_second_run_changes_nothing() -> None:
    raw = notebook(
        "from pyspark.streaming import StreamingContext", BROKEN, "StreamingContext(sc, 1)"
    )
    _, first = of(raw)
    assert isinstance(first, Changed)
    _, second = of(first.after)
    assert not isinstance(second, Changed)


def test_half_a_character_stays_what_it_is() -> None:
    half = notebook("from pyspark.streaming import DStream", "x = 'HERE'").replace(
        b"HERE", b"\\ud83d"
    )
    _, result = of(half)
    assert isinstance(result, Changed)
    assert result.after == half.replace(b"pyspark.streaming", b"dstream_compat")


def test_a_job_that_stands_in_the_broken_cell_alone_is_unknown() -> None:
    report, result = of(
        notebook("import time", "from pyspark.streaming import StreamingContext\nx = (")
    )
    assert not isinstance(result, Changed)
    assert [job.readiness for job in report.jobs] == [Readiness.UNKNOWN]


def test_names_that_the_broken_cell_may_import_are_not_missed() -> None:
    raw = notebook(
        "from pyspark.streaming import DStream, StreamingContext\nx = (",
        "from pyspark.streaming.kafka import KafkaUtils",
        "KafkaUtils.createStream(StreamingContext(sc, 1), 'h', 'g', {})",
    )
    _, result = of(raw)
    assert isinstance(result, Changed)
    assert "DS106" not in {finding.code for finding in result.findings}


def test_cells_in_python_2_are_left_to_its_option() -> None:
    report, _ = of(notebook("from pyspark.streaming import DStream", "print DStream"))
    (failed,) = report.failed
    assert "--python2" in failed.reason


def test_in_python_2_too_the_broken_cell_alone_stays() -> None:
    raw = notebook("from pyspark.streaming import DStream\nprint DStream", BROKEN)
    (result,) = check(["-"], Options(handler=rewrite, python2=True), stdin=raw).results
    assert isinstance(result, Changed)
    after = raw.replace(b"pyspark.streaming", b"dstream_compat")
    assert result.after == after.replace(b"print DStream", b"print(DStream)")


def test_values_in_the_broken_cell_are_not_told() -> None:
    _, result = of(notebook("from pyspark.streaming import DStream", "connect('hunter2' 'x y = ("))
    assert isinstance(result, Changed)
    assert all("hunter2" not in f.message + f.help for f in result.findings)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_command_of_databricks_is_a_cell(end: str) -> None:
    code = HEAD + BORDER + "ok = 1\nssc = StreamingContext(sc 1)" + BORDER + "print(ssc)"
    code = code.replace("\n", end)
    check_found("DS907", code, 6)
    assert rewritten(code) == code.replace("from pyspark.streaming", "from dstream_compat")


def test_an_import_there_stays_although_nobody_reads_it() -> None:
    code = HEAD + BORDER + "ssc = (" + BORDER + "x = 1\n"
    assert rewritten(code) == code.replace("from pyspark.streaming", "from dstream_compat")


def test_commands_that_are_all_python() -> None:
    check_noop("DS907", HEAD + BORDER + "# MAGIC %sql select (\n" + BORDER + "x = 1\n")


MOVED = "from dstream_compat import StreamingContext\nssc = StreamingContext(sc, 1)\n"
MAGICS = [
    "%%spark\nfrom pyspark.streaming import StreamingContext\n",
    "%%pyspark\nlines.foreachRDD(show)\n",
    "%%local\nssc.start()\n",
    "%%writefile job.py\nfrom pyspark.streaming import StreamingContext\n",
    "%time ssc.awaitTermination()\n",
    "%env PYSPARK_SUBMIT_ARGS=--packages org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.0\n",
    '%%configure\n{"conf": {"p": "org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.0"}}\n',
    "!spark-submit \\\n  --packages org.apache.spark:spark-sql-kafka-0-10_2.11:2.4.0 job.py\n",
]


@pytest.mark.parametrize("code", MAGICS)
def test_streams_and_old_connectors_behind_magics_are_reported(code: str) -> None:
    report, result = of(notebook(MOVED, code))
    assert not isinstance(result, Changed)
    (finding,) = [f for f in result.findings if f.code == "DS907"]
    assert (finding.cell, finding.line) == (2, 1 if code.startswith(("%time", "%env")) else 2)
    assert [job.readiness for job in report.jobs] == [Readiness.UNKNOWN]


@pytest.mark.parametrize(
    "code",
    [
        "%matplotlib inline\n",
        "!pip install pyspark dstream-migrate\n",
        "%%markdown\nThis makes a StreamingContext.\n",
        "%%sql\nselect 'DStream'\n",
        "# %time ssc.start()\n",
        "%%time\nssc.start()\n",
    ],
)
def test_other_magics_are_not(code: str) -> None:
    _, result = of(notebook(MOVED, code))
    assert "DS907" not in {finding.code for finding in result.findings}


def test_a_notebook_of_nothing_else_is_a_job_that_is_unknown() -> None:
    report, result = of(notebook("%%spark\nssc = StreamingContext(sc, 1)\n"))
    assert not report.failed
    assert [finding.code for finding in result.findings] == ["DS907"]
    assert [job.readiness for job in report.jobs] == [Readiness.UNKNOWN]


def test_a_magic_in_a_cell_that_is_modernised_is_reported_too() -> None:
    raw = notebook(MOVED, "x = 1\nprint x\n%time ssc.start()\n")
    (result,) = check(["-"], Options(handler=rewrite, python2=True), stdin=raw).results
    assert isinstance(result, Changed)
    assert [f.cell for f in result.findings if f.code == "DS907"] == [2]


def test_commands_of_databricks_in_other_languages_are_reported() -> None:
    magic = "# MAGIC %python\n# MAGIC import os\n# MAGIC ssc = StreamingContext(sc, 1)\n"
    check_found("DS907", HEAD + BORDER + magic + BORDER + "x = 1\n", 7)
    check_noop("DS907", HEAD + BORDER + magic.replace("%python", "%md") + BORDER + "x = 1\n")


@pytest.mark.parametrize("language", ["ipython", "Python", "python3", "pyspark", ""])
def test_notebooks_of_every_kernel_for_python_are_read(language: str) -> None:
    code = "from pyspark.streaming import StreamingContext\nStreamingContext(sc, 1)"
    data = {"cells": [{"cell_type": "code", "source": code}]}
    raw = json.dumps({**data, "metadata": {"language_info": {"name": language}}}).encode()
    assert isinstance(of(raw)[1], Changed)
