"""DStreams and streaming DataFrames in one job, either way round."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.ml.linalg import Vectors
from pyspark.sql import Row, SparkSession
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from dstream_compat.base.durations import to_datetime
from tests.dstream_compat.engine.hand_driven import ByHand, by_hand, collected

SCHEMA = StructType([StructField("name", StringType()), StructField("n", IntegerType())])


def rows_of(df: Any, tmp_path: Path) -> tuple[Any, list[Any]]:
    """A query on ``df``, and what it has written so far."""
    written: list[Any] = []

    def write(batch: Any, number: int) -> None:
        written.extend(map(tuple, batch.collect()))

    query = df.writeStream.foreachBatch(write)
    return query.option("checkpointLocation", str(tmp_path / "query")).start(), written


def batch_times(job: ByHand, count: int) -> list[Any]:
    return [to_datetime((number + 1) * job.ssc._interval_ms) for number in range(count)]


@pytest.mark.parametrize(
    ("schema", "elements", "rows"),
    [
        (SCHEMA, [("a", 1), ["b", 2]], [("a", 1), ("b", 2)]),
        ("name string, n int", [Row(name="a", n=1), ("b", None)], [("a", 1), ("b", None)]),
        (SCHEMA, [{"n": 1, "name": "a"}, {"name": "b"}], [("a", 1), ("b", None)]),
        ("word string", ["a", "b"], [("a",), ("b",)]),
    ],
    ids=["tuples", "rows", "dicts", "scalars"],
)
def test_elements_become_rows_with_their_batch_time(
    sc: SparkContext, tmp_path: Path, schema: Any, elements: list[Any], rows: list[Any]
) -> None:
    with by_hand(sc) as job:
        df = job.partitioned([elements[:1], elements[1:]], [[]], [elements]).toDF(schema)
        assert df.isStreaming
        assert df.columns[-1] == "batch_time"
        query, written = rows_of(df, tmp_path)
        try:
            job.ssc.start()
            job.tick()
            query.processAllAvailable()
            job.tick(2)
            job.ssc.stop(stopSparkContext=False)
            query.processAllAvailable()  # the rest of it can be read when the job is over
        finally:
            query.stop()
    first, _, third = batch_times(job, 3)
    assert sorted(written, key=str) == sorted(
        [(*row, time) for row in rows for time in (first, third)], key=str
    )


def test_a_native_aggregation_can_follow_a_legacy_part(sc: SparkContext, tmp_path: Path) -> None:
    with by_hand(sc) as job:
        lines = job.partitioned([["a b"], ["a"]], [["b a"]])
        counts = lines.flatMap(str.split).map(lambda word: (word, 1)).reduceByKey(max, 2)
        df = counts.toDF("word string, n int").groupBy("word").count()
        session = SparkSession(sc)
        partitions = session.conf.get("spark.sql.shuffle.partitions")
        session.conf.set("spark.sql.shuffle.partitions", "2")  # 200 state stores take their time
        query = df.writeStream.format("memory").queryName("words").outputMode("complete").start()
        session.conf.set("spark.sql.shuffle.partitions", str(partitions))
        try:
            job.ssc.start()
            job.tick()
            job.tick()
            query.processAllAvailable()
            table = session.table("words")
            assert sorted(map(tuple, table.collect())) == [("a", 2), ("b", 2)]
        finally:
            query.stop()


def test_an_element_of_the_wrong_width_is_one_clear_sentence(
    sc: SparkContext, tmp_path: Path
) -> None:
    with by_hand(sc) as job:
        df = job.partitioned([[("a", 1, "surplus")]]).toDF(SCHEMA)
        query, _ = rows_of(df, tmp_path)
        job.ssc.start()
        job.tick()
        with pytest.raises(Exception, match="an element has 3 fields, the schema has 2 columns"):
            query.processAllAvailable()
        assert job.error() == ""  # the legacy part does not suffer for it


def test_what_no_schema_can_mean_is_refused_at_once(sc: SparkContext) -> None:
    with by_hand(sc) as job:
        numbers = job.partitioned([[1]])
        with pytest.raises(ValueError, match="batch_time is the column of the batch time"):
            numbers.toDF("batch_time timestamp")
        with pytest.raises(TypeError, match="schema should be a StructType or a DDL string"):
            numbers.toDF(3)  # type: ignore[arg-type]


def test_a_streaming_dataframe_joins_and_unites_with_streams(
    sc: SparkContext, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    drop(folder, "1", [{"name": "a", "n": 1}, {"name": "b", "n": 2}])
    df = SparkSession(sc).readStream.schema(SCHEMA).json(str(folder))
    with by_hand(sc) as job:
        rows = job.ssc.dataFrameStream(df.where("n > 0"))
        queued = job.ssc.queueStream([[("a", "x")], [("a", "y")], [("c", "z")]])
        seen: list[Any] = []
        joined: list[Any] = []
        united: list[Any] = []
        rows.foreachRDD(lambda rdd: seen.append(sorted(rdd.collect())))
        pairs = rows.map(lambda row: (row.name, row.n))
        pairs.join(queued).foreachRDD(lambda rdd: joined.append(rdd.collect()))
        pairs.union(queued).foreachRDD(lambda rdd: united.append(sorted(map(str, rdd.collect()))))
        job.ssc.start()
        job.tick()
        job.tick()
        drop(folder, "2", [{"name": "c", "n": 3}, {"name": "c", "n": 0}])
        job.tick()
    assert seen == [[Row(name="a", n=1), Row(name="b", n=2)], [], [Row(name="c", n=3)]]
    assert joined == [[("a", (1, "x"))], [], [("c", (3, "z"))]]
    assert united == [
        ["('a', 'x')", "('a', 1)", "('b', 2)"],
        ["('a', 'y')"],
        ["('c', 'z')", "('c', 3)"],
    ]


def drop(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    hidden = folder / f".{name}"
    hidden.write_text("".join(json.dumps(row) + "\n" for row in rows))
    hidden.rename(folder / f"{name}.json")


def test_rows_belong_to_the_last_tick_of_their_micro_batch(
    sc: SparkContext, tmp_path: Path
) -> None:
    df = SparkSession(sc).readStream.format("rate-micro-batch").option("rowsPerBatch", 3).load()
    with by_hand(sc) as job:
        seen: list[Any] = []
        rows = job.ssc.dataFrameStream(df.select("value"))
        rows.foreachRDD(lambda rdd: seen.append(sorted(row.value for row in rdd.collect())))
        job.ssc.start()
        job.tick()
        job.tick(3)
    assert [len(batch) for batch in seen] == [3, 0, 0, 3]
    assert [value for batch in seen for value in batch] == [0, 1, 2, 3, 4, 5]


TYPES = """
    select
      timestamp '2026-01-01 00:30:00' as at, timestamp_ntz '2026-07-01 12:00:00.000001' as wall,
      date '2026-01-01' as day, time '12:34:56' as time, interval '1' day as lasted,
      cast(12.340 as decimal(10, 3)) as price, X'00FF' as raw, null as nothing, 1.5D as ratio,
      named_struct('city', 'x', 'zip', 1, 'at', timestamp '2026-01-01 00:30:00') as address,
      map('k', named_struct('a', 1)) as tags, map('k', null) as empty, array(1, null) as numbers,
      array(named_struct('a', map(1, X'01'))) as nested, parse_json('{"a": [1]}') as variant,
      cast(null as struct<a: int>) as missing, 1 as `with.dot`, 1 as twice, 2 as twice
"""


def test_rows_of_a_dataframe_are_what_collect_gives(sc: SparkContext) -> None:
    spark = SparkSession(sc)
    vector = spark.createDataFrame([(Vectors.dense(1, 2),)], ["vector"])
    static = spark.sql(TYPES).crossJoin(vector)
    (right,) = static.collect()
    clock = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    with by_hand(sc) as job:
        seen: list[Any] = []
        rows = job.ssc.dataFrameStream(clock.crossJoin(static).drop("timestamp", "value"))
        rows.map(lambda row: row).foreachRDD(lambda rdd: seen.extend(rdd.collect()))
        job.ssc.start()
        job.tick()
        assert not job.error()
    (row,) = seen
    assert row.__fields__ == right.__fields__
    assert str(row.variant) == str(right.variant) == '{"a":[1]}'
    at = row.__fields__.index("variant")
    assert repr(row[:at] + row[at + 1 :]) == repr(right[:at] + right[at + 1 :])
    assert (row.address.city, row.tags["k"].a, row.nested[0].a) == ("x", 1, {1: b"\x01"})
    assert row[-3:-1] == (1, 2)  # both of one name


def test_bytes_are_a_bytearray_where_the_session_says_so(sc: SparkContext) -> None:
    spark = SparkSession(sc).newSession()
    spark.conf.set("spark.sql.execution.pyspark.binaryAsBytes", "false")
    clock = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    with by_hand(sc) as job:
        rows = job.ssc.dataFrameStream(clock.selectExpr("X'00' as raw"))
        seen = collected(rows.map(lambda row: type(row.raw).__name__))
        job.ssc.start()
        job.tick()
    assert seen == [["bytearray"]]


def test_a_static_dataframe_is_refused_with_the_way_out(sc: SparkContext) -> None:
    with by_hand(sc) as job:
        static = SparkSession(sc).createDataFrame([("a", 1)], SCHEMA)
        with pytest.raises(ValueError, match=r"takes a streaming DataFrame .*use queueStream"):
            job.ssc.dataFrameStream(static)
