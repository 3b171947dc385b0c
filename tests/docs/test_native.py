"""Spark accepts the native column of docs/operator-table.md, and refuses what the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext, TaskContext
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming import StatefulProcessor
from pyspark.sql.types import StructType

from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs/operator-table.md").read_text(encoding="utf-8")
COLUMNS = "value string, word string, k string, v int, n int, vs array<int>, at timestamp"
FILLED = {
    "window(…)": 'window("at", "30 seconds", "10 seconds")',
    "agg(…)": 'agg(collect_list("v"))',
    "collect_list(…)": 'collect_list("v")',
    "lambda batch, number: …": "lambda batch, number: None",
}
ON_A_STREAM = re.compile(rf"({'|'.join(name for name in dir(DataFrame) if name[0] != '_')})\b.*\)")
BY_NAME = re.compile(r"(spark\.readStream|batch|a|stream|udf|col)\b.*\)")


def native() -> Iterator[str]:
    """The code in the third and fourth columns that is a complete call."""
    for row in re.findall(r"^\| .*\|$", PAGE, re.M):
        for code in re.findall("`([^`]+)`", " ".join(row.split(" | ")[2:])):
            for dots, filled in FILLED.items():
                code = code.replace(dots, filled)
            if "…" not in code and (ON_A_STREAM.fullmatch(code) or BY_NAME.fullmatch(code)):
                yield code


class Count(StatefulProcessor):
    def init(self, handle: Any) -> None: ...
    def handleInputRows(self, key: Any, rows: Any, timers: Any) -> Iterator[Any]: ...
    def close(self) -> None: ...


@pytest.fixture
def names(sc: SparkContext, tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "row.json").write_text('{"k": "a"}', encoding="utf-8")
    spark = SparkSession(sc).newSession()
    stream = spark.readStream.schema(COLUMNS).json(str(tmp_path))
    return {
        **vars(functions),
        "spark": spark,
        "TaskContext": TaskContext,
        "stream": stream,
        "batch": spark.createDataFrame([], COLUMNS + ", count long"),
        "static": spark.createDataFrame([], "k string, name string"),
        "a": stream.withWatermark("at", "1 minute").alias("a"),
        "b": stream.withWatermark("at", "1 minute").alias("b"),
        "schema": "k string",
        "f": lambda one, other: one,
        "processor": Count(),
        "writer": print,
        **{"d": str(tmp_path), "h": "localhost", "p": 9999, "n": 2},
    }


@pytest.mark.parametrize("code", sorted(set(native())))
def test_spark_knows_it(code: str, names: dict[str, Any]) -> None:
    if '"kafka"' in code:
        names["b"] = "kafka:9092"
        if "kafka" not in names["spark"].sparkContext.getConf().get("spark.jars", ""):
            pytest.skip("Spark's Kafka connector could not be had from Maven Central")
    made = eval(code if BY_NAME.fullmatch(code) else f"stream.{code}", names)
    if isinstance(made, DataFrame):
        assert isinstance(made.schema, StructType)  # which has Spark analyse the plan


def test_most_of_the_table_is_looked_at() -> None:
    assert len(set(native())) > 40


@pytest.mark.parametrize(
    ("code", "mode"),
    [
        ('stream.orderBy(desc("n"))', "append"),
        ('stream.groupBy("k").agg(count_distinct("v"))', "update"),
        ('a.join(b, "k", "leftOuter")', "append"),
        ("stream.crossJoin(b)", "append"),
        ('stream.groupBy("k").count()', "append"),
    ],
)
def test_spark_refuses_what_the_page_calls_refused(
    code: str, mode: str, names: dict[str, Any]
) -> None:
    """At the start of the query, or when its first batch is planned."""
    writer = eval(code, names).writeStream.format("noop").outputMode(mode)
    with pytest.raises((AnalysisException, StreamingQueryException)):
        writer.trigger(availableNow=True).start().awaitTermination(60)


def test_a_streaming_data_frame_has_no_rdd(names: dict[str, Any]) -> None:
    with pytest.raises(Exception, match=r"writeStream.start|WITHOUT_SINK"):
        names["stream"].rdd.count()
