"""KinesisUtils on a Kinesis source of Spark's: found by itself, and restored from a checkpoint.

The source here is a stand-in: it reads lines of a file, and is asked as Amazon's is.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader

from dstream_compat import StreamingContext
from dstream_compat.connectors.kinesis import spark_sources as kinesis_sources
from dstream_compat.kinesis import InitialPositionInStream, KinesisUtils
from tests.dstream_compat.engine.hand_driven import by_hand, collected, setting
from tests.servers.processes import wait_for

AMAZON = "org.apache.spark.sql.connector.kinesis.KinesisV2TableProvider"
HORIZON = InitialPositionInStream.TRIM_HORIZON
LATEST = InitialPositionInStream.LATEST
LONG = 30.0  # seconds: such a source takes its time


class StandIn(DataSource):
    """Lines of the file that is named where the endpoint should be."""

    @classmethod
    def name(cls) -> str:
        return "aws-kinesis"

    def schema(self) -> str:
        return "data binary, streamName string"

    def simpleStreamReader(self, schema: Any) -> SimpleDataSourceStreamReader:
        path, stream = self.options["kinesis.endpointUrl"], self.options["kinesis.streamName"]
        assert self.options["kinesis.failOnDataLoss"] == "true"
        assert self.options["kinesis.startingPosition"] == "TRIM_HORIZON"

        class Reader(SimpleDataSourceStreamReader):
            def initialOffset(self) -> dict[str, int]:
                return {"at": 0}

            def read(self, start: dict[str, int]) -> Any:
                with open(path, "rb") as file:
                    lines = file.read().splitlines()
                rows = [(line, stream) for line in lines[start["at"] :]]
                return iter(rows), {"at": len(lines)}

            def readBetweenOffsets(self, start: dict[str, int], end: dict[str, int]) -> Any:
                return iter(list(self.read(start)[0])[: end["at"] - start["at"]])

        return Reader()


@pytest.fixture
def on_class_path(sc: SparkContext, monkeypatch: pytest.MonkeyPatch) -> None:
    SparkSession(sc).dataSource.register(StandIn)
    known = {"aws-kinesis": AMAZON}
    monkeypatch.setattr(kinesis_sources, "source_class", lambda sc, name: known.get(name))


def add(path: Path, *lines: str) -> str:
    with open(path, "a") as file:
        file.writelines(f"{line}\n" for line in lines)
    return str(path)


def stream(ssc: StreamingContext, path: str, position: int = HORIZON, **more: Any) -> Any:
    return KinesisUtils.createStream(ssc, "app", "clicks", path, "us-east-1", position, 10, **more)


def test_the_jvm_is_asked_which_sources_there_are(sc: SparkContext) -> None:
    assert kinesis_sources.source_class(sc, "rate") is not None
    assert kinesis_sources.source_class(sc, "aws-kinesis") is None
    assert kinesis_sources._found(sc) is None


def test_every_known_source_is_told_by_its_class() -> None:
    told = {
        AMAZON: "kinesis.streamName",
        "org.apache.spark.sql.kinesis.KinesisSourceProvider": "streamName",
        "com.databricks.sql.kinesis.Provider": "streamName",
    }
    for provider, name in told.items():
        dialect = kinesis_sources._dialect(provider)
        assert dialect is not None
        assert dialect.names["stream"] == name
    assert kinesis_sources._dialect("org.example.KinesisProvider") is None


def test_a_source_on_the_class_path_is_found_and_restored(
    sc: SparkContext, on_class_path: None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "dstream_compat")
    path = add(tmp_path / "shard", "1", "2")
    output = tmp_path / "output"
    output.mkdir()
    checkpoint, target = str(tmp_path / "checkpoint"), str(output)

    def setup() -> StreamingContext:
        ssc = StreamingContext(sc, LONG)
        ssc.checkpoint(checkpoint)

        def write(time: Any, rdd: Any) -> None:
            Path(target, str(time.timestamp())).write_text("".join(rdd.collect()))

        counted = stream(ssc, path).map(lambda data: (data, 1))
        counted.map(lambda pair: pair[0]).foreachRDD(write)
        counted.updateStateByKey(lambda new, old: sum(new) + (old or 0)).foreachRDD(
            lambda rdd: Path(target, "state").write_text(repr(sorted(rdd.collect())))
        )
        return ssc

    def written() -> str:
        batches = sorted(file for file in output.iterdir() if file.name != "state")
        return "".join(file.read_text() for file in batches)

    with by_hand(sc, LONG) as job:
        job.ssc = StreamingContext.getOrCreate(checkpoint, setup)
        job.ssc.start()
        wait_for(lambda: job.tick() or len(written()) >= 2, "the first records")
        assert "reading with the Spark source aws-kinesis" in caplog.text
        assert "spark.dstream_compat.kinesis.format=receiver" in caplog.text
    add(tmp_path / "shard", "3")  # while nobody reads
    with by_hand(sc, LONG) as job:
        job.ssc = StreamingContext.getOrCreate(checkpoint, _never)
        job.ssc.start()
        wait_for(lambda: job.tick() or len(written()) >= 3, "the others")
        job.tick()
    assert written() == "123"
    assert (output / "state").read_text() == "[('1', 1), ('2', 1), ('3', 1)]"
    # a rebuilt job would read all of it once more
    with by_hand(sc, LONG) as job:
        job.ssc = StreamingContext.getOrCreate(checkpoint, setup, rebuild=True)
        with pytest.raises(Exception, match="would start over in a rebuilt job"):
            job.ssc.start()


def _never() -> StreamingContext:
    raise AssertionError("the setup function was called")


def test_rows_behind_a_transform_reach_the_state(
    sc: SparkContext, on_class_path: None, tmp_path: Path
) -> None:
    path = add(tmp_path / "shard", "a")
    with by_hand(sc, LONG) as job:
        job.ssc.checkpoint(str(tmp_path / "checkpoint"))
        pairs = stream(job.ssc, path).transform(lambda rdd: rdd.map(lambda data: (data, 1)))
        seen = collected(pairs.updateStateByKey(lambda new, old: sum(new) + (old or 0)))
        job.ssc.start()
        for _ in range(4):  # new rows at every tick, whatever micro-batch takes them
            job.tick()
            add(tmp_path / "shard", "a")
        job.tick()
        job.tick()
        assert seen[-1] == [("a", 5)]


@pytest.mark.parametrize(
    ("why", "interval", "position", "named", "conf"),
    [
        ("from LATEST", LONG, LATEST, {}, {}),
        ("too long for this batch interval", 2.0, HORIZON, {}, {}),
        ("does not support stsExternalId", LONG, HORIZON, {"stsExternalId": "x"}, {}),
        (
            "keys or a role",
            LONG,
            HORIZON,
            {"stsAssumeRoleArn": "x", "awsAccessKeyId": "k", "awsSecretKey": "s"},
            {},
        ),
        (
            "rate limits work with receivers only",
            LONG,
            HORIZON,
            {},
            {"spark__streaming__receiver__maxRate": "9"},
        ),
        ("two tasks must not read it at once", LONG, HORIZON, {}, {"spark__speculation": "true"}),
    ],
)
def test_where_something_would_be_lost_a_receiver_reads(
    sc: SparkContext,
    on_class_path: None,
    caplog: pytest.LogCaptureFixture,
    why: str,
    interval: float,
    position: int,
    named: dict[str, str],
    conf: dict[str, str],
) -> None:
    caplog.set_level(logging.INFO, "dstream_compat")
    with by_hand(sc, interval) as job, setting(sc, **conf):
        stream(job.ssc, "http://127.0.0.1:1", position, **named)
        assert type(job.ssc._inputs[0].spec).__name__ == "ReceiverSpec"
    assert "reading with a receiver" in caplog.text
    assert why in caplog.text


def test_the_setting_switches_it_off_or_names_a_source(
    sc: SparkContext, on_class_path: None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "dstream_compat")

    def kind(**conf: str) -> str:
        settings = {f"spark__dstream_compat__kinesis__{k}": v for k, v in conf.items()}
        with by_hand(sc) as job, setting(sc, **settings):
            stream(job.ssc, str(tmp_path))
            return type(job.ssc._inputs[0].spec).__name__

    assert kind(format="receiver") == "ReceiverSpec"
    assert kind(format="aws-kinesis") == "SparkSourceSpec"
    assert "as configured, but it may read for 10 s per batch" in caplog.text
    with pytest.raises(ValueError, match="startingPositions works with the receiver only"):
        kind(format="aws-kinesis", startingPositions="dynamodb")


def test_options_of_a_source_can_be_set_and_keys_are_not_shown(
    sc: SparkContext, on_class_path: None
) -> None:
    option = {"spark.dstream_compat.kinesis.option.kinesis.consumerType": "SubscribeToShard"}
    values = {key.replace(".", "__"): value for key, value in option.items()}
    with by_hand(sc, LONG) as job, setting(sc, **values):
        stream(job.ssc, "https://kinesis", awsAccessKeyId="k", awsSecretKey="hidden")
        spec = job.ssc._inputs[0].spec
    assert spec.options == {
        "kinesis.failOnDataLoss": "true",
        "kinesis.maxFetchTimePerShardSec": "10",
        "kinesis.streamName": "clicks",
        "kinesis.endpointUrl": "https://kinesis",
        "kinesis.region": "us-east-1",
        "kinesis.kinesisRegion": "us-east-1",
        "kinesis.startingPosition": "TRIM_HORIZON",
        "kinesis.awsAccessKeyId": "k",
        "kinesis.awsSecretKey": "hidden",
        "kinesis.consumerType": "SubscribeToShard",
    }
    assert "hidden" not in repr(spec)
