"""Where a Kafka stream begins if nothing has been logged yet."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Collection, Mapping
from typing import Any

from dstream_compat.connectors.kafka.kafka_source import Offsets, Positions
from dstream_compat.stages.partitions import TopicPartition

logger = logging.getLogger(__name__)

OFFSETS_CONF = "spark.dstream_compat.kafka.startingOffsets"
OFFSETS_ENV = "DSTREAM_KAFKA_OFFSETS"


def from_reset(
    offsets: Offsets, reset: str, partitions: Collection[TopicPartition]
) -> dict[TopicPartition, int]:
    """What ``auto.offset.reset`` says: the first offsets that exist, or the next ones."""
    if not partitions:
        return {}
    return dict(offsets.earliest(partitions) if reset == "earliest" else offsets.latest(partitions))


def from_setting(
    conf: Callable[[str], str | None], partitions: Collection[TopicPartition]
) -> dict[TopicPartition, int]:
    """The starting points of those of ``partitions`` that the file in the setting names."""
    path = os.environ.get(OFFSETS_ENV) or conf(OFFSETS_CONF)
    if not path:
        return {}
    try:
        with open(path, encoding="utf-8") as file:
            named = parse_offsets(json.load(file))
    except (OSError, ValueError) as error:
        raise ValueError(
            f"cannot read the file of Kafka's starting offsets ({OFFSETS_CONF} or {OFFSETS_ENV}): "
            f"{error}"
        ) from None
    absent = sorted(set(partitions) - set(named))
    for topic, number in absent:
        logger.warning(
            "the file of Kafka's starting offsets has none for %s, partition %s: its group or "
            "auto.offset.reset decides where it begins",
            *(topic, number),
        )
    return {key: at for key, at in named.items() if key in partitions}


def parse_offsets(content: Any) -> dict[TopicPartition, int]:
    """``{topic: {partition: offset}}``, as Spark's connector writes it.

    >>> parse_offsets({"clicks": {"0": 17}})
    {('clicks', 0): 17}
    """
    if not isinstance(content, Mapping):
        raise ValueError('offsets should look like {"topic": {"0": 17}}')
    found: dict[TopicPartition, int] = {}
    for topic, parts in content.items():
        if not isinstance(parts, Mapping):
            raise ValueError('offsets should look like {"topic": {"0": 17}}')
        for number, offset in parts.items():
            if isinstance(offset, bool) or not isinstance(offset, int) or offset < 0:
                raise ValueError(f"{topic}, partition {number}: an offset should be 0 or more")
            found[str(topic), int(number)] = offset
    return found


def dump_offsets(positions: Positions) -> dict[str, dict[str, int]]:
    """The inverse of :func:`parse_offsets`."""
    nested: dict[str, dict[str, int]] = {}
    for (topic, number), offset in sorted(positions.items()):
        nested.setdefault(topic, {})[str(number)] = offset
    return nested
