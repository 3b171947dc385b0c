"""Offsets of old jobs: dumps, files, recordings, and a real ZooKeeper."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from kazoo.client import KazooClient

from dstream_compat.connectors.kafka.handover import (
    Found,
    Unusable,
    check,
    from_dump,
    from_recording,
)
from dstream_compat.connectors.kafka.starting import from_setting, parse_offsets
from dstream_compat.offsets import main
from tests.servers import jars
from tests.servers.maven import NotResolved
from tests.servers.processes import Server, free_port, java
from tests.servers.required import missing

ROOT = Path(__file__).resolve().parents[4]
EXPORTED = """\
/consumers/clicks-job/offsets/clicks/0:120
/consumers/clicks-job/offsets/clicks/1:95
/consumers/another/offsets/clicks/0:7
/consumers/clicks-job/offsets/orders/0-2:3
"""
CHECKED = """\
Group       Topic   Pid  Offset  logSize  Lag  Owner
clicks-job  clicks  0    120     130      10   none
clicks-job  clicks  1    95      95       0    host_1
another     clicks  0    7       130      123  none
"""


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, list(arguments))


def test_both_dumps_of_0_8_are_read() -> None:
    clicks = {("clicks", 0): 120, ("clicks", 1): 95}
    assert from_dump(EXPORTED, "clicks-job") == Found({**clicks, ("orders", 2): 3})
    assert from_dump(EXPORTED, "clicks-job", ["clicks"]) == Found(clicks)
    assert from_dump(CHECKED, "clicks-job") == Found(clicks)


@pytest.mark.parametrize(
    ("dump", "old", "gone"), [(EXPORTED, ":95", "-1"), (CHECKED, "1    95", "unknown")]
)
def test_a_partition_without_an_offset_in_the_dump_needs_attention(
    tmp_path: Path, dump: str, old: str, gone: str
) -> None:
    file, output = tmp_path / "dump", tmp_path / "offsets.json"
    file.write_text(dump.replace(old, old.replace("95", gone)))
    ran = run("dump", str(file), "clicks-job", "--topic", "clicks", "--output", str(output))
    assert ran.exit_code == 1
    said = f"no offset ({gone}): auto.offset.reset would decide"
    assert [line.split(maxsplit=6) for line in ran.output.splitlines()[2:]] == [
        ["clicks", "1", "-", "-", "-", "-", said],
        ["1", "of", "2", "partitions", "need", "attention"],
    ]
    assert not output.exists()


def test_a_dump_without_the_group_or_with_two_offsets_is_refused() -> None:
    with pytest.raises(Unusable, match="for the group nobody, has no offsets"):
        from_dump(EXPORTED, "nobody")
    with pytest.raises(Unusable, match="two different offsets for clicks, partition 0"):
        from_dump(EXPORTED.replace("another", "clicks-job"), "clicks-job")


def test_a_recording_gives_the_end_of_its_last_batch(tmp_path: Path) -> None:
    ranges = {"10000": [["t", 0, 5, 9], ["t", 1, 0, 2]], "9000": [["t", 0, 0, 5], ["t", 1, 0, 0]]}
    streams = [{"name": "clicks", "offsets": ranges}, {"name": "out", "offsets": {}}]
    (tmp_path / "recording.json").write_text(json.dumps({"format": 1, "streams": streams}))
    assert from_recording(str(tmp_path)) == Found({("t", 0): 9, ("t", 1): 2}, batch=10_000)
    ran = run("recording", str(tmp_path), "--output", str(tmp_path / "offsets.json"))
    assert ran.exit_code == 0
    assert "as of the batch of 1970-01-01 00:00:10 UTC" in ran.output
    assert json.loads((tmp_path / "offsets.json").read_text()) == {"t": {"0": 9, "1": 2}}


def recorded(folder: Path, batches: int, **more: Any) -> str:
    """A recording whose batches have ten records each."""
    ranges = {str(1000 * n): [["t", 0, 10 * n, 10 * n + 10]] for n in range(batches)}
    stream = {"name": "clicks", "offsets": ranges, "failed": [], **more}
    about = {"format": 1, "limit": 30, "streams": [stream]}
    (folder / "recording.json").write_text(json.dumps(about))
    return str(folder)


def test_a_recording_knows_the_ranges_behind_its_limit(tmp_path: Path) -> None:
    path = recorded(tmp_path, 30, latest=[95_000, [["t", 0, 950, 960]]])
    assert from_recording(path) == Found({("t", 0): 960}, batch=95_000)


@pytest.mark.parametrize(
    ("batches", "failed", "doubt"),
    [
        (30, [], "the recording ended at its limit of 30 batches: the job may have read further"),
        (9, [6000, 7000], "the recording ended with failed batches: the job may have read further"),
        (29, [], ""),
        (9, [5000, 6000], ""),
        (9, [8000], ""),
    ],
)
def test_an_older_recording_that_may_have_ended_before_its_job_needs_attention(
    tmp_path: Path, batches: int, failed: list[int], doubt: str
) -> None:
    path, output = recorded(tmp_path, batches, failed=failed), tmp_path / "offsets.json"
    assert from_recording(path).doubts == ({("t", 0): doubt} if doubt else {})
    ran = run("recording", path, "--output", str(output))
    assert (ran.exit_code, output.exists()) == ((1, False) if doubt else (0, True))
    assert doubt in ran.output
    assert run("recording", path, "--output", str(output), "--force").exit_code == ran.exit_code
    assert json.loads(output.read_text()) == {"t": {"0": 10 * batches}}


def test_a_file_is_shown_and_a_wrong_one_refused(tmp_path: Path) -> None:
    file = tmp_path / "offsets.json"
    file.write_text('{"clicks": {"0": 17, "1": 3}}')
    ran = run("file", str(file))
    assert ran.exit_code == 0
    assert [line.split() for line in ran.output.splitlines()] == [
        ["topic", "partition", "offset", "earliest", "latest", "waiting"],
        ["clicks", "0", "17", "-", "-", "-"],
        ["clicks", "1", "3", "-", "-", "-"],
    ]
    for wrong in ('{"clicks": 17}', '{"clicks": {"0": -1}}', '{"clicks": {"0": true}}', "[]", "{"):
        file.write_text(wrong)
        ran = run("file", str(file))
        assert ran.exit_code == 2, wrong
        assert len(ran.output.splitlines()) == 1


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    file = tmp_path / "offsets.json"
    file.write_text('{"clicks": {"0": 17}}')
    ran = run("file", str(file), "--topic", "views")
    assert (ran.exit_code, ran.output) == (2, "Error: there are no offsets for views\n")
    file.write_bytes(b"\xff\xfe")
    ran = run("dump", str(file), "g")
    assert (ran.exit_code, ran.output) == (2, "Error: FILE is not a text file\n")
    ran = run("zookeeper", "host:port", "g")
    assert (ran.exit_code, ran.output) == (
        2,
        "Error: QUORUM should be like host:2181 or host1:2181,host2:2181/chroot\n",
    )
    ran = run("group", "g")
    assert ran.exit_code == 2
    assert ran.output == "Error: this needs --brokers and at least one --topic\n"
    assert run("time", "yesterday", "--topic", "t").output == (
        "Error: MOMENT should be like 2026-03-01T12:00:00 or milliseconds\n"
    )


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    file, output = tmp_path / "offsets.json", tmp_path / "no" / "such"
    file.write_text('{"clicks": {"0": 17}}')
    ran = run("file", str(file), "--output", str(output))
    assert ran.exit_code == 2
    assert ran.output.splitlines()[-1] == (
        f"Error: cannot write {output}: No such file or directory"
    )


def test_without_pyspark_the_command_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pyspark.py").write_text("raise ImportError('No module named pyspark')\n")
    ended = subprocess.run(
        [sys.executable, "-m", "dstream_compat.offsets", "file", "x"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [
        "dstream_compat needs pyspark 4.2 or later: pip install 'dstream-migrate[spark]'"
    ]


def test_the_setting_names_a_file_and_only_known_partitions_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "offsets.json"
    file.write_text('{"t": {"0": 5, "1": 6}, "u": {"0": 7}}')
    there = {("t", 0), ("t", 1), ("t", 2)}
    conf = {"spark.dstream_compat.kafka.startingOffsets": str(file)}.get
    assert from_setting(conf, there) == {("t", 0): 5, ("t", 1): 6}
    assert from_setting({}.get, there) == {}
    monkeypatch.setenv("DSTREAM_KAFKA_OFFSETS", str(tmp_path / "absent"))
    with pytest.raises(
        ValueError, match=r"cannot read .*startingOffsets or DSTREAM_KAFKA_OFFSETS\)"
    ):
        from_setting({}.get, there)


def test_the_check_finds_gaps_expired_and_impossible_offsets() -> None:
    there = {("t", 0), ("t", 1), ("t", 2), ("t", 3)}
    positions = parse_offsets({"t": {"0": 5, "1": 1, "2": 99, "9": 1}})
    rows = check(Found(positions), there, dict.fromkeys(there, 3), dict.fromkeys(there, 10))
    problems = {row.partition: row.problem for row in rows}
    assert problems[0] == ""
    assert problems[1].startswith("expired: 2 records")
    assert problems[2].startswith("beyond the end")
    assert problems[3].startswith("no offset")
    assert problems[9] == "the brokers have no such partition"
    assert [row.waiting for row in rows] == [5, 9, 0, None, None]


@pytest.fixture(scope="module")
def zookeeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("zookeeper")
    port = free_port()
    configuration = folder / "zoo.cfg"
    configuration.write_text(
        f"dataDir={folder}/data\nclientPort={port}\nclientPortAddress=127.0.0.1\n"
        "admin.enableServer=false\n"
    )
    try:
        found = jars.broker()  # Kafka's own copy of ZooKeeper
    except NotResolved as reason:
        missing(f"ZooKeeper's jars cannot be had from Maven Central: {reason}")
    main_class = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
    server = Server(java(found, main_class, str(configuration)), port, folder / "log")
    server.start()
    yield server
    server.stop(kill=True)


def test_a_zookeeper_is_read(zookeeper: Server, tmp_path: Path) -> None:
    quorum = f"127.0.0.1:{zookeeper.port}"
    client = KazooClient(hosts=quorum)
    client.start(timeout=30)
    for group, topic, partition, offset in (
        ("clicks-job", "clicks", 0, b"120"),
        ("clicks-job", "clicks", 1, b"95"),
        ("clicks-job", "orders", 0, b"3"),
        ("broken", "clicks", 0, b"not a number"),
    ):
        client.create(f"/consumers/{group}/offsets/{topic}/{partition}", offset, makepath=True)
    client.stop()
    output = tmp_path / "offsets.json"
    ran = run("zookeeper", quorum, "clicks-job", "--topic", "clicks", "--output", str(output))
    assert ran.exit_code == 0, ran.output
    assert json.loads(output.read_text()) == {"clicks": {"0": 120, "1": 95}}
    nobody = run("zookeeper", quorum, "nobody")
    assert nobody.exit_code == 2
    assert "ZooKeeper has no /consumers/nobody/offsets" in nobody.output
    assert "does not hold an offset" in run("zookeeper", quorum, "broken").output
