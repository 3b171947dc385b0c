"""Where an old job stopped reading: its offsets, wherever it kept them. Independent of Spark."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dstream_compat.connectors.kafka.kafka_source import Positions
from dstream_compat.connectors.kafka.starting import parse_offsets
from dstream_compat.stages.partitions import TopicPartition

_LINE = re.compile(
    r"/consumers/(?P<group>[^/]+)/offsets/(?P<topic>[^/]+)/(?:\d+-)?(?P<partition>\d+)"
    r"\s*[:=\s]\s*(?P<offset>-?\w+)\s*"
)
_PATIENCE = 3  # record.py gives up on a stream after this many failed batches


class Unusable(Exception):
    """The input has no usable offsets; the message is one sentence."""


@dataclass(frozen=True)
class Found:
    """Offsets that an old job left, and what is doubtful about them."""

    positions: Positions
    doubts: Mapping[TopicPartition, str] = field(default_factory=dict)
    batch: int | None = None
    """The time of the batch they come from, in ms, if known."""

    def of(self, topics: Collection[str]) -> Found:
        """Only those of ``topics``; all of them if ``topics`` is empty."""
        if not topics:
            return self
        return Found(
            {key: at for key, at in self.positions.items() if key[0] in topics},
            {key: why for key, why in self.doubts.items() if key[0] in topics},
            self.batch,
        )


@dataclass(frozen=True)
class Checked:
    """A partition's starting point, compared with what the brokers have.

    ``problem`` is empty if a stream that begins there misses nothing.
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


def from_zookeeper(client: Any, group: str, topics: Collection[str] = ()) -> Found:
    """What the 0.8 receiver told ZooKeeper; ``client`` is a started ``kazoo`` client."""
    root = f"/consumers/{group}/offsets"
    if not client.exists(root):
        raise Unusable(f"ZooKeeper has no {root}: check the name of the group")
    values: list[tuple[str, int, str]] = []
    for topic in client.get_children(root):
        if topics and topic not in topics:
            continue
        for number in client.get_children(f"{root}/{topic}"):
            value, _ = client.get(f"{root}/{topic}/{number}")
            try:
                values.append((topic, int(number), str(int(value))))
            except ValueError:
                raise Unusable(f"{root}/{topic}/{number} does not hold an offset") from None
    return _sorted_out(values, root)


def from_dump(text: str, group: str, topics: Collection[str] = ()) -> Found:
    """A text dump: lines ``/consumers/GROUP/offsets/TOPIC/PARTITION:OFFSET`` (as Kafka 0.8's
    ExportZkOffsets writes them), or the table of ConsumerOffsetChecker."""
    values: list[tuple[str, int, str]] = []
    columns: dict[str, int] = {}
    for line in text.splitlines():
        words = line.split()
        if match := _LINE.fullmatch(line.strip()):
            if match["group"] == group:
                values.append((match["topic"], int(match["partition"]), match["offset"]))
        elif {"Group", "Topic", "Pid", "Offset"} <= set(words):
            columns = {word: at for at, word in enumerate(words)}
        elif columns and len(words) > columns["Offset"] and words[columns["Group"]] == group:
            topic, number, offset = (words[columns[name]] for name in ("Topic", "Pid", "Offset"))
            if number.isdigit():
                values.append((topic, int(number), offset))
    kept = [value for value in values if not topics or value[0] in topics]
    return _sorted_out(kept, f"the dump, for the group {group},")


def from_recording(path: str) -> Found:
    """The end of the last batch that ``record.py`` saw of a direct stream."""
    file = os.path.join(path, "recording.json") if os.path.isdir(path) else path
    positions: dict[TopicPartition, int] = {}
    doubts: dict[TopicPartition, str] = {}
    times: set[int] = set()
    try:
        with open(file, encoding="utf-8") as opened:
            about = json.load(opened)
        for stream in about["streams"]:
            batches = {int(time): ranges for time, ranges in stream.get("offsets", {}).items()}
            doubt = "" if "latest" in stream else _ended(stream, batches, about.get("limit"))
            if stream.get("latest"):
                batches[int(stream["latest"][0])] = stream["latest"][1]
            times.update(batches)
            for _, ranges in sorted(batches.items()):
                for topic, partition, _, until in ranges:
                    positions[str(topic), int(partition)] = int(until)
                    if doubt:
                        doubts[str(topic), int(partition)] = doubt
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unusable(f"{file} is not a recording ({type(error).__name__})") from None
    return Found(_some(positions, file), doubts, max(times))


def _ended(stream: Mapping[str, Any], batches: Mapping[int, Any], limit: int | None) -> str:
    """Why the stream of an older recording may have been read further than was written down."""
    if limit is not None and len(batches) >= limit:
        return f"the recording ended at its limit of {limit} batches: the job may have read further"
    # what was written down with a batch says which of those before it had failed
    before = sorted(batches)[-_PATIENCE:-1]
    if len(before) == _PATIENCE - 1 and set(before) <= set(stream.get("failed", ())):
        return "the recording ended with failed batches: the job may have read further"
    return ""


def from_file(path: str) -> Found:
    """A JSON file ``{"topic": {"0": 17}}``."""
    try:
        with open(path, encoding="utf-8") as file:
            return Found(_some(parse_offsets(json.load(file)), path))
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}") from None


def check(
    found: Found,
    there: Iterable[TopicPartition],
    earliest: Mapping[TopicPartition, int],
    latest: Mapping[TopicPartition, int],
) -> list[Checked]:
    """Every partition that exists or should, and what is wrong with its starting point."""
    existing = set(there)
    rows = []
    for key in sorted(existing | set(found.positions) | set(found.doubts)):
        at, first, last = found.positions.get(key), earliest.get(key), latest.get(key)
        problem = found.doubts.get(key, "")
        if key not in existing:
            problem = "the brokers have no such partition"
        elif at is None:
            problem = problem or "no offset: auto.offset.reset would decide"
        elif first is not None and at < first:
            problem = f"expired: {first - at} records were deleted before they were read"
        elif last is not None and at > last:
            problem = "beyond the end: the topic was created again, or this is another cluster"
        rows.append(Checked(*key, at, first, last, problem))
    return rows


def unchecked(found: Found) -> list[Checked]:
    """The same without brokers to ask."""
    keys = sorted(set(found.positions) | set(found.doubts))
    doubts = found.doubts
    return [Checked(*k, found.positions.get(k), None, None, doubts.get(k, "")) for k in keys]


def _sorted_out(values: Iterable[tuple[str, int, str]], where: str) -> Found:
    """Offsets as text: those that are numbers, and the partitions without one."""
    positions: dict[TopicPartition, int] = {}
    doubts: dict[TopicPartition, str] = {}
    for topic, partition, offset in values:
        key = (topic, partition)
        if not offset.isdecimal():  # unknown, -1
            doubts[key] = f"no offset ({offset}): auto.offset.reset would decide"
        elif positions.setdefault(key, int(offset)) != int(offset):
            raise Unusable(f"there are two different offsets for {topic}, partition {partition}")
    return Found(_some(positions, where), doubts)


def _some(found: dict[TopicPartition, int], where: str) -> Positions:
    if not found:
        raise Unusable(f"{where} has no offsets")
    return found
