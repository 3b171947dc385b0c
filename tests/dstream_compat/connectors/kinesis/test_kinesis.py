"""KinesisUtils against moto's Kinesis: shards, a split, restarts, and the old job's leases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from pyspark import SparkContext, StorageLevel

from dstream_compat import StreamingContext
from dstream_compat.connectors.kinesis.deaggregation import user_records
from dstream_compat.connectors.kinesis.reader import Account, KinesisReceiver
from dstream_compat.input.blocks import MemoryBlockStore
from dstream_compat.input.positions import PositionedSource
from dstream_compat.kinesis import InitialPositionInStream, KinesisUtils, MetricsLevel
from tests.dstream_compat.engine.hand_driven import ByHand, by_hand, collected, setting
from tests.servers.kinesis import kinesis_server
from tests.servers.processes import wait_for

KEYS = {"awsAccessKeyId": "none", "awsSecretKey": "none"}
REGION = "us-east-1"


class Kinesis:
    """moto's server, and a client to fill it."""

    def __init__(self, url: str) -> None:
        self.url = url
        keys = {"aws_access_key_id": "none", "aws_secret_access_key": "none"}
        session = boto3.Session(region_name=REGION, **keys)
        self.client = session.client("kinesis", endpoint_url=url)
        self.dynamodb = session.client("dynamodb", endpoint_url=url)

    def create(self, name: str, shards: int = 1) -> str:
        self.client.create_stream(StreamName=name, ShardCount=shards)
        self.client.get_waiter("stream_exists").wait(StreamName=name)
        return name

    def put(self, stream: str, *values: str | bytes) -> list[tuple[str, str]]:
        """Put records; the shard and sequence number of each."""
        placed = []
        for value in values:
            data = value.encode() if isinstance(value, str) else value
            answer = self.client.put_record(StreamName=stream, Data=data, PartitionKey=repr(value))
            placed.append((answer["ShardId"], answer["SequenceNumber"]))
        return placed

    def split(self, stream: str) -> None:
        shard = self.client.list_shards(StreamName=stream)["Shards"][0]
        middle = int(shard["HashKeyRange"]["EndingHashKey"]) // 2
        self.client.split_shard(
            StreamName=stream, ShardToSplit=shard["ShardId"], NewStartingHashKey=str(middle)
        )

    def stream(self, ssc: StreamingContext, name: str, position: int, **more: Any) -> Any:
        return KinesisUtils.createStream(
            ssc, "app", name, self.url, REGION, position, 10, **KEYS, **more
        )


@pytest.fixture(scope="module")
def kinesis() -> Iterator[Kinesis]:
    with kinesis_server() as url:
        yield Kinesis(url)


def ticked_until(job: ByHand, seen: list[Any], wanted: set[Any]) -> list[Any]:
    def there() -> bool:
        job.tick()
        return wanted <= {element for batch in seen for element in batch}

    wait_for(there, "the records")
    return sorted(element for batch in seen for element in batch)


HORIZON = InitialPositionInStream.TRIM_HORIZON


def test_records_of_all_shards_come_once_also_after_a_split(
    sc: SparkContext, kinesis: Kinesis
) -> None:
    name = kinesis.create("split", shards=2)
    first = [f"before-{i}" for i in range(20)]
    kinesis.put(name, *first)
    with by_hand(sc) as job:
        seen = collected(kinesis.stream(job.ssc, name, HORIZON))
        job.ssc.start()
        ticked_until(job, seen, set(first))
        kinesis.split(name)
        second = [f"after-{i}" for i in range(20)]
        shards = {shard for shard, _ in kinesis.put(name, *second)}
        assert len(shards) == 3
        assert ticked_until(job, seen, {*first, *second}) == sorted([*first, *second])
        assert job.error() == ""


def test_latest_begins_when_the_job_does(sc: SparkContext, kinesis: Kinesis) -> None:
    name = kinesis.create("latest")
    kinesis.put(name, "old")
    with by_hand(sc) as job:
        latest = InitialPositionInStream.LATEST
        stream = kinesis.stream(job.ssc, name, latest, decoder=bytes.upper)
        seen = collected(stream)
        job.ssc.start()
        engine = job.ssc._engine
        assert engine is not None
        source: Any = engine.parts.sources[0]
        wait_for(lambda: bool(source._since or source._logged), "the first look at the shards")
        kinesis.put(name, "new")
        assert ticked_until(job, seen, {b"NEW"}) == [b"NEW"]


def test_a_restored_job_reads_every_record_once(
    sc: SparkContext, kinesis: Kinesis, tmp_path: Path
) -> None:
    name = kinesis.create("restored", shards=2)
    output = tmp_path / "output"
    output.mkdir()

    def written() -> list[str]:
        return sorted(file.read_text() for file in output.iterdir())

    def first_run(job: ByHand) -> None:
        path = str(output)

        def write(time: Any, rdd: Any) -> None:
            for number, element in enumerate(rdd.collect()):
                Path(path, f"{time.timestamp()}-{number}").write_text(element)

        kinesis.stream(job.ssc, name, HORIZON).foreachRDD(write)

    kinesis.put(name, "1", "2", "3")
    with by_hand(sc) as job:
        job.ssc.checkpoint(str(tmp_path / "checkpoint"))
        first_run(job)
        job.ssc.start()
        wait_for(lambda: job.tick() or len(written()) == 3, "the first records")
        # stored, and in no batch when the job stops
        engine = job.ssc._engine
        assert engine is not None
        source: Any = engine.parts.sources[0]
        kinesis.put(name, "4")
        wait_for(lambda: not source.drained(), "the fourth record")
    kinesis.put(name, "5")
    with by_hand(sc) as job:
        job.ssc = StreamingContext.getOrCreate(str(tmp_path / "checkpoint"), _never)
        job.ssc.start()
        wait_for(lambda: job.tick() or len(written()) >= 5, "the others")
        job.tick()
    assert written() == ["1", "2", "3", "4", "5"]


def _never() -> StreamingContext:
    raise AssertionError("the setup function was called")


def test_a_job_begins_behind_given_sequence_numbers(
    sc: SparkContext, kinesis: Kinesis, tmp_path: Path
) -> None:
    name = kinesis.create("given")
    placed = kinesis.put(name, "read already", "read already, too", "new")
    file = tmp_path / "positions.json"
    file.write_text(json.dumps(dict([placed[1]])))
    with (
        setting(sc, spark__dstream_compat__kinesis__startingPositions=str(file)),
        by_hand(sc) as job,
    ):
        seen = collected(kinesis.stream(job.ssc, name, HORIZON))
        job.ssc.start()
        assert ticked_until(job, seen, {"new"}) == ["new"]


def test_parents_without_a_position_were_read_where_their_children_have_one(
    sc: SparkContext, kinesis: Kinesis, tmp_path: Path
) -> None:
    name = kinesis.create("children")
    kinesis.put(name, "of the parent, read already")
    kinesis.split(name)
    placed = dict(reversed(kinesis.put(name, *(f"read {i}" for i in range(8)))))
    assert len(placed) == 2  # a number of each child: the first that it got
    file = tmp_path / "positions.json"
    file.write_text(json.dumps(placed))
    with (
        setting(sc, spark__dstream_compat__kinesis__startingPositions=str(file)),
        by_hand(sc) as job,
    ):
        seen = collected(kinesis.stream(job.ssc, name, HORIZON))
        job.ssc.start()
        kinesis.put(name, "new")
        came = ticked_until(job, seen, {"new"})
    assert not any("parent" in value for value in came)


def test_a_job_begins_where_the_old_ones_leases_say(sc: SparkContext, kinesis: Kinesis) -> None:
    name = kinesis.create("leases")
    placed = kinesis.put(name, "read already", "new")
    kinesis.dynamodb.create_table(
        TableName="app",
        KeySchema=[{"AttributeName": "leaseKey", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "leaseKey", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    shard, number = placed[0]
    kinesis.dynamodb.put_item(
        TableName="app", Item={"leaseKey": {"S": shard}, "checkpoint": {"S": number}}
    )
    leases = setting(sc, spark__dstream_compat__kinesis__startingPositions="dynamodb")
    with leases, by_hand(sc) as job:
        seen = collected(kinesis.stream(job.ssc, name, HORIZON))
        job.ssc.start()
        assert ticked_until(job, seen, {"new"}) == ["new"]


def _packed(*values: bytes) -> bytes:
    """As Amazon's producer library packs small records."""

    def field(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    message = field(1, b"key")
    for value in values:
        message += field(3, b"\x08\x00" + field(3, value))
    return b"\xf3\x89\x9a\xc2" + message + hashlib.md5(message).digest()


def test_packed_records_are_taken_apart(sc: SparkContext, kinesis: Kinesis) -> None:
    name = kinesis.create("packed")
    kinesis.put(name, _packed(b"a", b"b"), "c")
    with by_hand(sc) as job:
        seen = collected(kinesis.stream(job.ssc, name, HORIZON))
        job.ssc.start()
        assert ticked_until(job, seen, {"a", "b", "c"}) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "data",
    [b"", b"plain", b"\xf3\x89\x9a\xc2", b"\xf3\x89\x9a\xc2" + b"x" * 40],
    ids=["empty", "plain", "magic alone", "wrong sum"],
)
def test_what_is_not_packed_stays_as_it_is(data: bytes) -> None:
    assert user_records(data) == [data]


def test_arguments_may_stand_in_the_order_of_spark_2_or_3(
    sc: SparkContext, kinesis: Kinesis
) -> None:
    name = kinesis.create("orders")
    kinesis.put(name, "x")
    first = ("app", name, kinesis.url, REGION, HORIZON, 10)
    last = (StorageLevel.MEMORY_ONLY, "none", "none", bytes.upper)
    with by_hand(sc) as job:
        of_2 = KinesisUtils.createStream(job.ssc, *first, *last)
        of_3 = KinesisUtils.createStream(job.ssc, *first, MetricsLevel.NONE, *last)
        named = KinesisUtils.createStream(
            job.ssc, *first, metricsLevel=MetricsLevel.SUMMARY, **KEYS, decoder=bytes.upper
        )
        seen = collected(of_2.union(of_3).union(named))
        job.ssc.start()
        wait_for(lambda: job.tick() or sum(map(len, seen)) >= 3, "the record, three times")
        assert sorted(element for batch in seen for element in batch) == [b"X", b"X", b"X"]


def test_a_stop_in_the_midst_of_a_shard_marks_nothing_as_read_that_was_not_stored() -> None:
    receiver = KinesisReceiver(Account("", REGION), "any", True, {})
    told: list[dict[str, str]] = []

    class Stopping(PositionedSource):
        def note(self, positions: dict[str, str]) -> None:
            told.append(positions)

    source = Stopping(receiver, 0, store=MemoryBlockStore(), on_event=lambda name, facts: None)
    assert receiver._stored("shard", ["1", "1", "2"], [b"a", b"b", b"c"])
    assert receiver.positions == {"shard": "2"}
    source._finished.set()  # while the rate limit has it wait
    assert not receiver._stored("shard", ["3"], [b"d"])
    assert receiver.positions == {"shard": "2"}
    assert told == []


def test_wrong_arguments_are_one_sentence(
    sc: SparkContext, kinesis: Kinesis, tmp_path: Path
) -> None:
    with by_hand(sc) as job:
        with pytest.raises(ValueError, match="should be LATEST or TRIM_HORIZON"):
            kinesis.stream(job.ssc, "any", 7)
        absent = str(tmp_path / "absent.json")
        with (
            setting(sc, spark__dstream_compat__kinesis__startingPositions=absent),
            pytest.raises(
                ValueError, match=r"cannot read the file of .*startingPositions: .*No such file"
            ),
        ):
            kinesis.stream(job.ssc, "any", HORIZON)
