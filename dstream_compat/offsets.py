"""``python -m dstream_compat.offsets``: where a migrated Kafka job must begin.

Reads the offsets that the old job left, checks them against the brokers, and writes the file for
``spark.dstream_compat.kafka.startingOffsets``.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import click

from dstream_compat.base.requirements import check_pyspark

try:
    check_pyspark()  # the next lines need it
except ImportError as missing:
    if __name__ != "__main__":
        raise
    print(missing, file=sys.stderr)
    sys.exit(2)

from dstream_compat.connectors.kafka import handover
from dstream_compat.connectors.kafka.handover import Checked, Found, Unusable
from dstream_compat.connectors.kafka.kafka_source import Unreachable
from dstream_compat.connectors.kafka.starting import dump_offsets

if TYPE_CHECKING:
    from dstream_compat.connectors.kafka.admin import KafkaAdmin


class _Refused(click.ClickException):
    """Bad input: one sentence, exit code 2."""

    exit_code = 2


def _checked(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that all commands share."""
    options = (
        click.option(
            "--brokers", metavar="HOST:PORT", help="check the offsets against these Kafka brokers"
        ),
        click.option("--topic", "topics", multiple=True, help="only this topic; repeatable"),
        click.option(
            "--output", type=click.Path(dir_okay=False), help="write the offsets to this file"
        ),
        click.option("--force", is_flag=True, help="write them even if the check found problems"),
        click.option(
            "--param",
            "params",
            multiple=True,
            metavar="NAME=VALUE",
            help="a Kafka client setting, such as security.protocol=SSL; repeatable",
        ),
        click.option(
            "--jars",
            metavar="A.JAR,B.JAR",
            help="the jars of Spark's Kafka connector, if Maven cannot provide them",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.group()
def main() -> None:
    """Find where a migrated Kafka job must begin: read the old job's offsets and check them.

    Without --brokers, the offsets are shown but not compared. Exit code 1: there are problems.
    """


@main.command("zookeeper")
@click.argument("quorum")
@click.argument("group")
@_checked
def from_zookeeper(quorum: str, group: str, **common: Any) -> None:
    """Offsets of createStream's GROUP, from the ZooKeeper at QUORUM."""
    try:
        from kazoo.client import KazooClient
        from kazoo.exceptions import KazooException
        from kazoo.handlers.threading import KazooTimeoutError
    except ImportError:
        help_ = 'pip install "dstream-migrate[spark,zookeeper]"'
        raise _Refused(f"kazoo is not installed: {help_}") from None
    logging.getLogger("kazoo").setLevel(logging.CRITICAL)  # one sentence of ours will do
    try:
        client = KazooClient(hosts=quorum, timeout=10.0)
    except ValueError:
        raise _Refused("QUORUM should be like host:2181 or host1:2181,host2:2181/chroot") from None
    try:
        client.start(timeout=15)
    except KazooTimeoutError:
        raise _Refused("ZooKeeper does not answer") from None

    def read(_: KafkaAdmin | None) -> Found:
        try:
            return handover.from_zookeeper(client, group, common["topics"])
        except KazooException as error:
            raise Unusable(f"cannot read ZooKeeper ({type(error).__name__})") from None

    try:
        _finish(read, **common)
    finally:
        client.stop()
        client.close()


@main.command("dump")
@click.argument("file", type=click.File())
@click.argument("group")
@_checked
def from_dump(file: Any, group: str, **common: Any) -> None:
    """Offsets of GROUP, from a text FILE: ExportZkOffsets, or ConsumerOffsetChecker's table."""

    def read(_: KafkaAdmin | None) -> Found:
        try:
            text = file.read()
        except UnicodeDecodeError:
            raise Unusable("FILE is not a text file") from None
        return handover.from_dump(text, group, common["topics"])

    _finish(read, **common)


@main.command("recording")
@click.argument("path", type=click.Path(exists=True))
@_checked
def from_recording(path: str, **common: Any) -> None:
    """Offsets of a direct stream, from a recording that record.py made of the old job."""
    _finish(lambda _: handover.from_recording(path), **common)


@main.command("file")
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
@_checked
def from_file(path: str, **common: Any) -> None:
    """Offsets from a JSON file like {"topic": {"0": 17}}, such as your own table of offsets."""
    _finish(lambda _: handover.from_file(path), **common)


@main.command("group")
@click.argument("group")
@_checked
def from_group(group: str, **common: Any) -> None:
    """Offsets that a consumer GROUP has committed to Kafka. Needs --brokers and --topic."""

    def read(admin: KafkaAdmin | None) -> Found:
        partitions = _partitions(admin, common["topics"])
        assert admin is not None
        committed = admin.committed(group, partitions)
        if not committed:
            raise Unusable("the group has not committed any offsets for these topics")
        return Found(committed)

    _finish(read, **common)


@main.command("time")
@click.argument("moment")
@_checked
def from_time(moment: str, **common: Any) -> None:
    """Offsets of the first records from MOMENT on: ISO time (UTC by default) or milliseconds.

    Needs --brokers and --topic.
    """
    time_ms = _milliseconds(moment)

    def read(admin: KafkaAdmin | None) -> Found:
        partitions = _partitions(admin, common["topics"])
        assert admin is not None
        return Found(admin.at_time(partitions, time_ms))

    _finish(read, **common)


def _milliseconds(moment: str) -> int:
    if moment.isdigit():
        return int(moment)
    try:
        parsed = datetime.fromisoformat(moment.replace("Z", "+00:00"))
    except ValueError:
        raise _Refused("MOMENT should be like 2026-03-01T12:00:00 or milliseconds") from None
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=timezone.utc)
    return round(parsed.timestamp() * 1000)


def _partitions(admin: KafkaAdmin | None, topics: Sequence[str]) -> Collection[tuple[str, int]]:
    if admin is None or not topics:
        raise Unusable("this needs --brokers and at least one --topic")
    there = admin.partitions(topics)
    missing = set(topics) - {topic for topic, _ in there}
    if missing:
        raise Unusable(f"the brokers have no topic {', '.join(sorted(missing))}")
    return there


def _finish(
    read: Callable[[Any], Found],
    brokers: str | None,
    topics: Sequence[str],
    output: str | None,
    force: bool,
    params: Sequence[str],
    jars: str | None,
) -> None:
    """Read, check, print, write."""
    admin = None
    try:
        admin = None if brokers is None else _connect(brokers, params, jars)
        found = read(admin).of(topics)
        if not found.positions:
            raise Unusable(f"there are no offsets for {', '.join(topics)}")
        rows = _rows(found, {*topics, *(topic for topic, _ in found.positions)}, admin)
    except (Unusable, Unreachable, ValueError, RuntimeError) as error:
        raise _Refused(str(error)) from None
    finally:
        if admin is not None:
            admin.close()
    _print(rows)
    if found.batch is not None:
        moment = datetime.fromtimestamp(found.batch // 1000, timezone.utc)
        click.echo(f"as of the batch of {moment:%Y-%m-%d %H:%M:%S} UTC", err=True)
    problems = sum(bool(row.problem) for row in rows)
    if output is not None and (force or not problems):
        try:
            _write(output, json.dumps(dump_offsets(found.positions), indent=2) + "\n")
        except OSError as error:
            raise _Refused(f"cannot write {output}: {error.strerror}") from None
        click.echo(f"written: {output}")
    if problems:
        click.echo(f"{problems} of {len(rows)} partitions need attention", err=True)
        click.get_current_context().exit(1)


def _rows(found: Found, topics: Collection[str], admin: KafkaAdmin | None) -> list[Checked]:
    if admin is None:
        return handover.unchecked(found)
    there = admin.partitions(topics)
    return handover.check(found, there, admin.earliest(there), admin.latest(there))


def _connect(brokers: str, params: Sequence[str], jars: str | None) -> KafkaAdmin:
    from pyspark import SparkConf, SparkContext

    from dstream_compat.connectors.kafka.admin import KafkaAdmin, consumer_settings
    from dstream_compat.connectors.kafka.jars import add_connector, coordinate
    from dstream_compat.connectors.kafka.params import read_params

    given: dict[str, str] = {"bootstrap.servers": brokers}
    for each in params:
        name, sign, value = each.partition("=")
        if not sign:
            raise Unusable("--param should be NAME=VALUE")
        given[name] = value
    conf = SparkConf().setMaster("local[1]").setAppName("offsets").set("spark.ui.enabled", "false")
    conf = conf.set("spark.jars", jars) if jars else add_connector(conf)
    try:
        sc = SparkContext.getOrCreate(conf)
    except RuntimeError:  # Spark itself has said why, at length
        raise Unusable(
            "Spark did not start with its Kafka connector. If Maven cannot provide it "
            f"({coordinate()}), pass its jars with --jars a.jar,b.jar"
        ) from None
    consumer = read_params(given, lambda key: None, lambda: consumer_settings(sc), "--param")
    return KafkaAdmin(sc, consumer)


def _print(rows: Sequence[Checked]) -> None:
    table = [("topic", "partition", "offset", "earliest", "latest", "waiting", "")]
    for row in rows:
        numbers = (row.partition, row.offset, row.earliest, row.latest, row.waiting)
        shown = ["-" if number is None else str(number) for number in numbers]
        table.append((row.topic, *shown, row.problem))  # type: ignore[arg-type]
    widths = [max(len(line[at]) for line in table) for at in range(6)]
    for line in table:
        cells = [line[0].ljust(widths[0])]
        cells += [line[at].rjust(widths[at]) for at in range(1, 6)]
        click.echo("  ".join([*cells, line[6]]).rstrip())


def _write(path: str, text: str) -> None:
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".tmp", path)


if __name__ == "__main__":
    main(prog_name="python -m dstream_compat.offsets")
