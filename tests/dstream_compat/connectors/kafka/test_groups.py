"""createStream, createRDD and consumer groups, against a real broker."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark import SparkContext

from dstream_compat.connectors.kafka.kafka_source import KafkaSource
from dstream_compat.kafka import (
    Broker,
    KafkaMessageAndMetadata,
    KafkaUtils,
    OffsetRange,
    TopicAndPartition,
)
from dstream_compat.offsets import main as offsets
from dstream_compat.stages.partitions import Batch, KafkaRange
from tests.dstream_compat.connectors.kafka.conftest import Topics
from tests.dstream_compat.engine.hand_driven import by_hand, collected, setting
from tests.servers import jars
from tests.servers.processes import wait_for

ROOT = Path(__file__).resolve().parents[4]
ZOOKEEPER = "nobody-asks:2181"


def values(stream: Any) -> list[Any]:
    return collected(stream.map(lambda pair: pair[1]))


def test_the_brokers_of_createStream_come_from_the_environment_or_the_configuration(
    sc: SparkContext, topics: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = topics.create()
    topics.send(topic, (None, "x"))
    old = {"auto.offset.reset": "smallest"}
    with by_hand(sc) as job, setting(sc, spark__dstream_compat__kafka__brokers=topics.address):
        one = values(KafkaUtils.createStream(job.ssc, ZOOKEEPER, "conf", {topic: 1}, dict(old)))
        monkeypatch.setenv("DSTREAM_KAFKA_BROKERS", topics.address)
        two = values(KafkaUtils.createStream(job.ssc, ZOOKEEPER, "env", {topic: 1}, dict(old)))
        job.ssc.start()
        job.tick()
        assert one == two == [["x"]]


def test_without_brokers_the_error_says_what_to_set(sc: SparkContext) -> None:
    with by_hand(sc) as job, pytest.raises(ValueError, match="names a ZooKeeper") as error:
        KafkaUtils.createStream(job.ssc, ZOOKEEPER, "group", {"topic": 1})
    text = str(error.value)
    assert "createStream at test_groups.py:" in text
    assert "DSTREAM_KAFKA_BROKERS=host:9092" in text
    assert "--conf spark.dstream_compat.kafka.brokers=host:9092" in text
    assert ZOOKEEPER not in text


def test_streams_of_one_group_share_the_partitions(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create(partitions=4)
    with by_hand(sc) as job:
        streams = [
            KafkaUtils.createStream(job.ssc, ZOOKEEPER, "shared", {topic: threads}, topics.params)
            for threads in (1, 2)
        ]
        other = values(
            KafkaUtils.createStream(job.ssc, ZOOKEEPER, "another", {topic: 1}, topics.params)
        )
        parts = [values(stream) for stream in streams]
        together = values(job.ssc.union(*streams))
        job.ssc.start()
        for number in range(4):
            topics.send(topic, (None, str(number)), partition=number)
        job.tick()
        assert together == other == [["0", "1", "2", "3"]]
        assert parts == [[["0", "3"]], [["1", "2"]]]


def test_a_group_goes_on_where_it_was_also_without_a_checkpoint(
    sc: SparkContext, topics: Topics
) -> None:
    topic = topics.create(partitions=2)

    def run(*sent: str) -> list[Any]:
        with by_hand(sc) as job:
            seen = values(
                KafkaUtils.createStream(job.ssc, ZOOKEEPER, "goes-on", {topic: 1}, topics.params)
            )
            job.ssc.start()
            for value in sent:
                topics.send(topic, (None, value), partition=0)
            job.tick()
            job.tick()
        return seen

    assert run("1", "2") == [["1", "2"], []]
    topics.send(topic, (None, "3"), partition=1)
    assert run() == [["3"], []]
    wait_for(lambda: topics.committed("goes-on")[topic, 1] == 1, "the commit")
    assert topics.committed("goes-on") == {(topic, 0): 2, (topic, 1): 1}


def test_a_group_whose_offset_has_expired_begins_where_the_reset_says(
    sc: SparkContext, topics: Topics, caplog: pytest.LogCaptureFixture
) -> None:
    topic = topics.create()
    topics.send(topic, *((None, str(i)) for i in range(5)))
    topics.delete_records(topic, 0, 3)
    with by_hand(sc) as job:
        seen = []
        for reset in ("smallest", "largest"):
            topics.commit(f"expired-{reset}", topic, [1])
            params = {**topics.params, "auto.offset.reset": reset}
            group = f"expired-{reset}"
            stream = KafkaUtils.createStream(job.ssc, ZOOKEEPER, group, {topic: 1}, params)
            seen.append(values(stream))
        job.ssc.start()
        topics.send(topic, (None, "5"))
        job.tick()
        assert seen == [[["3", "4", "5"]], [["5"]]]
        assert job.error() == ""
    told = [record.getMessage() for record in caplog.records if "expired-" in record.getMessage()]
    assert told[0] == (
        f"the group expired-smallest has read {topic}, partition 0, up to offset 1, but Kafka no "
        "longer has offsets before 3: the stream begins at 3 (auto.offset.reset)"
    )
    assert len(told) == 2


def test_a_moved_group_begins_at_the_file_and_then_where_it_was(
    sc: SparkContext, topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create(partitions=2)
    for number in range(2):
        topics.send(topic, *((None, f"{number}.{i}") for i in range(3)), partition=number)
    file = tmp_path / "offsets.json"
    file.write_text(json.dumps({topic: {"0": 1, "1": 2}}))

    def run() -> list[Any]:
        with (
            setting(sc, spark__dstream_compat__kafka__startingOffsets=str(file)),
            by_hand(sc) as job,
        ):
            stream = KafkaUtils.createStream(job.ssc, ZOOKEEPER, "moved", {topic: 1}, topics.params)
            seen = values(stream)
            job.ssc.start()
            job.tick()
            job.tick()
        wait_for(lambda: topics.committed("moved").get((topic, 1), 0) >= 3, "the commit")
        return seen

    assert run() == [["0.1", "0.2", "1.2"], []]
    topics.send(topic, (None, "0.3"), partition=0)
    assert run() == [["0.3"], []]  # with the setting left in place
    topics.commit("moved", topic, [1, 1])  # behind the file: the file counts
    file.write_text(json.dumps({topic: {"0": 3, "1": 2}}))
    assert run() == [["0.3", "1.2"], []]


def test_a_commit_that_is_refused_is_said_once(
    sc: SparkContext, topics: Topics, caplog: pytest.LogCaptureFixture
) -> None:
    topic = topics.create()
    member = active_member(sc, topics, "taken", topic)
    try:
        with by_hand(sc) as job:
            stream = KafkaUtils.createStream(job.ssc, ZOOKEEPER, "taken", {topic: 1}, topics.params)
            values(stream)
            job.ssc.start()
            for _ in range(3):
                job.tick()
    finally:
        member.close()
    told = [record.getMessage() for record in caplog.records if "taken" in record.getMessage()]
    assert len(told) == 1
    assert told[0].startswith("Kafka rejected the offsets of the group taken (UnknownMember")


def active_member(sc: SparkContext, topics: Topics, group: str, topic: str) -> Any:
    """Another consumer of a group, which has its partitions."""
    jvm: Any = sc._jvm
    properties = jvm.java.util.Properties()
    for key, value in {"bootstrap.servers": topics.address, "group.id": group}.items():
        properties.setProperty(key, value)
    parser = jvm.org.apache.kafka.common.serialization.ByteArrayDeserializer
    member = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(properties, parser(), parser())
    names = jvm.java.util.ArrayList()
    names.add(topic)
    member.subscribe(names)

    def joined() -> bool:
        member.poll(jvm.java.time.Duration.ofMillis(100))
        return not member.assignment().isEmpty()

    wait_for(joined, "the member's partitions")
    return member


def test_the_rate_of_receivers_is_a_limit_on_each_stream_of_a_group(
    sc: SparkContext, topics: Topics
) -> None:
    topic = topics.create(partitions=3)
    for number in range(3):
        topics.send(topic, *((None, str(i)) for i in range(5)), partition=number)
    with setting(sc, spark__streaming__receiver__maxRate="4"), by_hand(sc) as job:
        params = {**topics.params, "auto.offset.reset": "smallest"}
        counts = [
            collected(
                KafkaUtils.createStream(job.ssc, ZOOKEEPER, "slow", {topic: 1}, params).count()
            )
            for _ in range(2)
        ]
        direct = collected(KafkaUtils.createDirectStream(job.ssc, [topic], params).count())
        job.ssc.start()
        job.tick(3)
    assert counts == [[[4], [4], [2]], [[4], [1], [0]]]
    assert direct == [[15], [0], [0]]


def test_a_group_is_told_when_the_last_phase_of_a_batch_is_over(
    sc: SparkContext, topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """State behind a transform is a second phase, whose outputs run after those of the first."""
    topic = topics.create()
    events: list[Any] = []

    def told(self: KafkaSource, batch: Batch) -> None:
        events.append([part.until for part in batch.partitions if isinstance(part, KafkaRange)])

    monkeypatch.setattr(KafkaSource, "processed", told)
    with by_hand(sc) as job:
        job.ssc.checkpoint(str(tmp_path))
        stream = KafkaUtils.createStream(job.ssc, ZOOKEEPER, "phases", {topic: 1}, topics.params)
        pairs = stream.map(lambda pair: (pair[1], 1)).transform(lambda rdd: rdd)
        counts = pairs.updateStateByKey(lambda new, old: sum(new) + (old or 0))
        seen = collected(counts)
        job.ssc.start()
        for _ in range(2):
            topics.send(topic, (None, "x"))
            job.tick()
            events.append("output")
    assert seen == [[("x", 1)], [("x", 2)]]
    # it may be told the same more than once
    assert [event for event, _ in groupby(events)] == ["output", [1], "output", [2]]


def test_auto_commit_false_commits_nothing(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create()
    with by_hand(sc) as job:
        params = {**topics.params, "auto.commit.enable": "false"}
        seen = values(KafkaUtils.createStream(job.ssc, ZOOKEEPER, "silent", {topic: 1}, params))
        job.ssc.start()
        topics.send(topic, (None, "x"))
        job.tick(2)
    assert seen == [["x"], []]
    assert topics.committed("silent") == {}


def test_a_topic_that_does_not_exist_yet_is_waited_for(
    sc: SparkContext, topics: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dstream_compat.connectors.kafka.kafka_source._LOOK_AGAIN", 0.0)
    with by_hand(sc) as job:
        seen = values(
            KafkaUtils.createStream(job.ssc, ZOOKEEPER, "early", {"comes-later": 1}, topics.params)
        )
        job.ssc.start()
        job.tick()
        topics.create(name="comes-later")
        topics.send("comes-later", (None, "x"))
        job.tick()
        assert seen == [[], ["x"]]


def test_a_direct_stream_tells_a_group_where_it_is_asked_to(
    sc: SparkContext, topics: Topics
) -> None:
    topic = topics.create()
    with setting(sc, spark__dstream_compat__kafka__commitOffsets="true"), by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(
            job.ssc, [topic], {**topics.params, "group.id": "monitored"}
        )
        collected(stream)
        job.ssc.start()
        topics.send(topic, (None, "x"), (None, "y"))
        job.tick()
        job.tick()
        wait_for(lambda: topics.committed("monitored") == {(topic, 0): 2}, "the commit")


def test_a_direct_stream_begins_where_the_file_of_offsets_says(
    sc: SparkContext, topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create(partitions=2)
    for number in range(2):
        topics.send(topic, *((None, f"{number}.{i}") for i in range(3)), partition=number)
    file = tmp_path / "offsets.json"
    file.write_text(json.dumps({topic: {"0": 2}, "another": {"0": 7}}))
    with (
        setting(sc, spark__dstream_compat__kafka__startingOffsets=str(file)),
        by_hand(sc) as job,
    ):
        params = {**topics.params, "auto.offset.reset": "smallest"}
        seen = values(KafkaUtils.createDirectStream(job.ssc, [topic], params))
        job.ssc.start()
        job.tick()
        assert seen == [["0.2", "1.0", "1.1", "1.2"]]


def test_what_is_wrong_is_said_when_the_stream_is_made(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create()
    with by_hand(sc) as job:

        def direct(names: Any, params: Any, begin: Any = None) -> str:
            with pytest.raises(Exception) as error:  # noqa: PT011  texts are compared below
                KafkaUtils.createDirectStream(job.ssc, names, params, begin)
            return str(error.value)

        assert direct(topic, topics.params) == "topics should be list"
        assert direct([topic], None) == "kafkaParams should be dict"
        assert "Must specify metadata.broker.list or bootstrap.servers" in direct([topic], {})
        assert "have no topic no-such-topic" in direct(["no-such-topic"], topics.params)
        other = {TopicAndPartition("other", 0): 1}
        wrong = direct([topic], topics.params, other)
        assert f"The specified topics: {topic} do not equal to the topic from offsets" in wrong
        absent = direct([topic], topics.params, {TopicAndPartition(topic, 7): 1})
        assert f"fromOffsets names partitions that do not exist: {topic} 7" in absent
        typing_error = direct([topic], {**topics.params, "auto.ofset.reset": "smallest"})
        assert "'auto.ofset.reset' is not a setting of a Kafka consumer" in typing_error
        refused = direct([topic], {**topics.params, "fetch.message.max.bytes": "plenty"})
        assert refused  # by the client
        nobody = direct([topic], {"bootstrap.servers": "127.0.0.1:1"})
        assert "the brokers at 127.0.0.1:1 do not answer" in nobody
        nowhere = direct([topic], {"bootstrap.servers": "no-such-host.invalid:9092"})
        assert nowhere.startswith("createDirectStream at test_groups.py:")
        assert "No resolvable bootstrap urls" in nowhere
        module = "org.apache.kafka.common.security.plain.PlainLoginModule"
        login = f'{module} required username="u" password="pw-1";'
        sasl = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
        strange = direct([topic], {**topics.params, **sasl, "sasl.jaas.config": login})
        assert "client mechanism PLAIN" in strange  # the broker has no such thing: it was asked
        assert "pw-1" not in strange


def test_createStream_checks_values_without_asking_the_brokers(sc: SparkContext) -> None:
    params = {"bootstrap.servers": "127.0.0.1:1", "fetch.message.max.bytes": "plenty"}
    with by_hand(sc) as job, pytest.raises(ValueError, match="accept the value of") as error:
        KafkaUtils.createStream(job.ssc, ZOOKEEPER, "g", {"topic": 1}, params)
    assert str(error.value).startswith("createStream at test_groups.py:")
    assert str(error.value).endswith("max.partition.fetch.bytes")


def test_createRDD_reads_its_ranges_a_partition_for_each(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create(partitions=2)
    for number in range(2):
        topics.send(topic, *(("k", f"{number}.{i}") for i in range(4)), partition=number)
    ranges = [
        OffsetRange(topic, 1, 1, 3),
        OffsetRange(topic, 0, 2, 2),
        OffsetRange(topic, 1, 3, 4),
    ]
    leaders = {TopicAndPartition(topic, 0): Broker("ignored", 1)}
    rdd = KafkaUtils.createRDD(sc, topics.params, ranges, leaders)
    assert rdd.glom().collect() == [[("k", "1.1"), ("k", "1.2")], [], [("k", "1.3")]]
    assert rdd.offsetRanges() == ranges  # type: ignore[attr-defined]
    handled = KafkaUtils.createRDD(
        sc,
        topics.params,
        ranges[:1],
        keyDecoder=bytes.upper,
        messageHandler=lambda m: (m.topic, m.partition, m.offset, m.key, m.message),
    )
    assert handled.collect() == [(topic, 1, 1, b"K", "1.1"), (topic, 1, 2, b"K", "1.2")]
    with pytest.raises(Exception, match="Offsets not available on leader"):
        KafkaUtils.createRDD(sc, topics.params, [OffsetRange(topic, 0, 3, 9)])
    with pytest.raises(TypeError, match="offsetRanges should be list"):
        KafkaUtils.createRDD(sc, topics.params, ranges[0])  # type: ignore[arg-type]


def test_whole_messages_can_be_elements(sc: SparkContext, topics: Topics) -> None:
    topic = topics.create()
    with by_hand(sc) as job:
        stream = KafkaUtils.createDirectStream(
            job.ssc, [topic], topics.params, messageHandler=lambda message: message
        )
        seen: list[Any] = []
        stream.foreachRDD(lambda rdd: seen.extend(rdd.collect()))
        job.ssc.start()
        topics.send(topic, ("k", "v"))
        job.tick()
    assert isinstance(seen[0], KafkaMessageAndMetadata)
    assert (seen[0].topic, seen[0].offset, seen[0].key, seen[0].message) == (topic, 0, "k", "v")


def test_slices_of_a_stream_are_read_again(sc: SparkContext, topics: Topics) -> None:
    from datetime import datetime, timezone

    topic = topics.create(partitions=2)
    with by_hand(sc) as job:
        job.ssc.remember(60)
        stream = KafkaUtils.createDirectStream(job.ssc, [topic], topics.params)
        mapped = stream.map(lambda pair: pair[1])
        collected(mapped)
        job.ssc.start()
        for value in ("a", "b"):
            topics.send(topic, (None, value), partition=1)
            job.tick()
        begin, end = (datetime.fromtimestamp(s, timezone.utc) for s in (1, 2))
        assert [rdd.collect() for rdd in mapped.slice(begin, end)] == [["a"], ["b"]]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(offsets, list(arguments))


def test_the_command_checks_offsets_against_the_brokers(
    sc: SparkContext, topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create(partitions=4)
    for number in range(3):
        topics.send(topic, *((None, str(i)) for i in range(5)), partition=number)
    topics.delete_records(topic, 1, 3)
    dump = tmp_path / "dump"
    dump.write_text(
        "".join(f"/consumers/g/offsets/{topic}/{p}:{o}\n" for p, o in ((0, 2), (1, 1), (2, 9)))
    )
    output = tmp_path / "offsets.json"
    common = ("--brokers", topics.address, "--output", str(output))
    ran = run("dump", str(dump), "g", *common)
    assert ran.exit_code == 1, ran.output
    lines = [line.split(maxsplit=6) for line in ran.output.splitlines()[1:5]]
    assert lines == [
        [topic, "0", "2", "0", "5", "3"],
        [topic, "1", "1", "3", "5", "4", "expired: 2 records were deleted before they were read"],
        [topic, "2", "9", "0", "5", "0", lines[2][6]],
        [topic, "3", "-", "0", "0", "-", "no offset: auto.offset.reset would decide"],
    ]
    assert "beyond the end" in lines[2][6]
    assert "3 of 4 partitions need attention" in ran.output
    assert not output.exists()

    dump.write_text("".join(f"/consumers/g/offsets/{topic}/{p}:{p + 3}\n" for p in range(3)))
    assert run("dump", str(dump), "g", *common, "--force").exit_code == 1
    assert json.loads(output.read_text()) == {topic: {"0": 3, "1": 4, "2": 5}}


def test_the_command_reads_groups_and_times(
    sc: SparkContext, topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create()
    topics.send(topic, (None, "1"), (None, "2"))
    topics.commit("told", topic, [1])
    output = tmp_path / "offsets.json"
    common = ("--brokers", topics.address, "--topic", topic, "--output", str(output))
    ran = run("group", "told", *common)
    assert ran.exit_code == 0, ran.output
    assert json.loads(output.read_text()) == {topic: {"0": 1}}
    assert run("time", "2020-01-01T00:00:00", *common).exit_code == 0
    assert json.loads(output.read_text()) == {topic: {"0": 0}}
    assert run("time", "2120-01-01T00:00:00Z", *common).exit_code == 0
    assert json.loads(output.read_text()) == {topic: {"0": 2}}
    absent = run("time", "0", "--brokers", topics.address, "--topic", "no-such-topic")
    assert (absent.exit_code, absent.output.strip()) == (
        2,
        "Error: the brokers have no topic no-such-topic",
    )
    nothing = run("group", "unheard-of", *common)
    assert nothing.exit_code == 2
    assert (
        nothing.output.strip() == "Error: the group has not committed any offsets for these topics"
    )


def test_the_command_brings_its_own_spark_with_the_jars_it_is_given(
    topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create()
    topics.send(topic, (None, "1"), (None, "2"))
    topics.commit("apart", topic, [1])
    command = [sys.executable, "-m", "dstream_compat.offsets", "group", "apart", "--topic", topic]
    options = ["--brokers", topics.address, "--jars", ",".join(jars.connector())]
    output = tmp_path / "offsets.json"
    ended = subprocess.run(
        [*command, *options, "--output", str(output)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert ended.stdout.splitlines()[1].split() == [topic, "0", "1", "0", "2", "1"]
    assert json.loads(output.read_text()) == {topic: {"0": 1}}
