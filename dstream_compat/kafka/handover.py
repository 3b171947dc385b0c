"""Where an old job stopped reading: its offsets, wherever it kept them. Knows no Spark."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dstream_compat.kafka.starting import parse_offsets
from dstream_compat.sources.blocks import TopicPartition
from dstream_compat.sources.kafka import Positions

_LINE = re.compile(
    r"/consumers/(?P<group>[^/]+)/offsets/(?P<topic>[^/]+)/(?:\d+-)?(?P<partition>\d+)"
    r"\s*[:=\s]\s*(?P<offset>\d+)\s*"
)


class Unusable(Exception):
    """What was given holds no offsets, in one sentence."""


@dataclass(frozen=True)
class Checked:
    """A partition's starting point, held against what the brokers have.

    ``problem`` is empty where the stream can begin there and miss nothing.
    """

    topic: str
    partition: int
    offset: int | None
    earliest: int | None
    latest: int | None
    problem: str = ""

    @property
    def waiting(self) -> int | None:
        """How many records wait to be read."""
        if self.offset is None or self.latest is None:
            return None
        return max(0, self.latest - self.offset)


def from_zookeeper(client: Any, group: str, topics: Collection[str] = ()) -> Positions:
    """What the 0.8 receiver told ZooKeeper; ``client`` is a started ``kazoo`` client."""
    root = f"/consumers/{group}/offsets"
    if not client.exists(root):
        raise Unusable(f"ZooKeeper has no {root}: is the name of the group right?")
    found: dict[TopicPartition, int] = {}
    for topic in client.get_children(root):
        if topics and topic not in topics:
            continue
        for number in client.get_children(f"{root}/{topic}"):
            value, _ = client.get(f"{root}/{topic}/{number}")
            try:
                found[topic, int(number)] = int(value)
            except ValueError:
                raise Unusable(f"{root}/{topic}/{number} holds no offset") from None
    return _some(found, root)


def from_dump(text: str, group: str, topics: Collection[str] = ()) -> Positions:
    """A text dump: lines ``/consumers/GROUP/offsets/TOPIC/PARTITION:OFFSET`` (as Kafka 0.8's
    ExportZkOffsets writes them), or the table of ConsumerOffsetChecker."""
    found: dict[TopicPartition, int] = {}
    columns: dict[str, int] = {}
    for line in text.splitlines():
        words = line.split()
        if match := _LINE.fullmatch(line.strip()):
            if match["group"] == group:
                _add(found, match["topic"], int(match["partition"]), int(match["offset"]))
        elif {"Group", "Topic", "Pid", "Offset"} <= set(words):
            columns = {word: at for at, word in enumerate(words)}
        elif columns and len(words) > columns["Offset"] and words[columns["Group"]] == group:
            row = [words[columns[name]] for name in ("Topic", "Pid", "Offset")]
            if row[1].isdigit() and row[2].isdigit():
                _add(found, row[0], int(row[1]), int(row[2]))
    kept = {key: at for key, at in found.items() if not topics or key[0] in topics}
    return _some(kept, f"the dump, for the group {group},")


def from_recording(path: str) -> Positions:
    """The end of the last batch that ``record.py`` recorded of a direct stream."""
    file = os.path.join(path, "recording.json") if os.path.isdir(path) else path
    found: dict[TopicPartition, int] = {}
    try:
        with open(file, encoding="utf-8") as opened:
            streams = json.load(opened)["streams"]
        for stream in streams:
            for _, ranges in sorted(stream.get("offsets", {}).items(), key=lambda at: int(at[0])):
                for topic, partition, _, until in ranges:
                    found[str(topic), int(partition)] = int(until)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unusable(f"{file} is no recording ({type(error).__name__})") from None
    return _some(found, file)


def from_file(path: str) -> Positions:
    """A JSON file ``{"topic": {"0": 17}}``."""
    try:
        with open(path, encoding="utf-8") as file:
            return _some(parse_offsets(json.load(file)), path)
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}") from None


def check(
    positions: Positions,
    there: Iterable[TopicPartition],
    earliest: Mapping[TopicPartition, int],
    latest: Mapping[TopicPartition, int],
) -> list[Checked]:
    """Every partition there is or should be, and what is wrong with its starting point."""
    existing = set(there)
    rows = []
    for key in sorted(existing | set(positions)):
        at, first, last = positions.get(key), earliest.get(key), latest.get(key)
        problem = ""
        if key not in existing:
            problem = "the brokers have no such partition"
        elif at is None:
            problem = "no offset: it would be read as auto.offset.reset says"
        elif first is not None and at < first:
            problem = f"expired: {first - at} records were deleted before they were read"
        elif last is not None and at > last:
            problem = "beyond the end: the topic was made anew, or this is another cluster"
        rows.append(Checked(*key, at, first, last, problem))
    return rows


def _add(found: dict[TopicPartition, int], topic: str, partition: int, offset: int) -> None:
    if found.setdefault((topic, partition), offset) != offset:
        raise Unusable(f"there are two different offsets for {topic}, partition {partition}")


def _some(found: dict[TopicPartition, int], where: str) -> Positions:
    if not found:
        raise Unusable(f"{where} has no offsets")
    return found
