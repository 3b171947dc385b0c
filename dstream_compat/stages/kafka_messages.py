"""The small classes of the Kafka API: offsets, places and messages. Workers need them, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Decoder = Callable[[Any], Any]


def utf8_decoder(s: bytes | None) -> str | None:
    """Bytes as text; None stays None.

    >>> utf8_decoder(b"caf\\xc3\\xa9"), utf8_decoder(None)
    ('café', None)
    """
    return None if s is None else s.decode("utf-8")


class OffsetRange:
    """The records of a Kafka partition from ``fromOffset`` up to, not including, ``untilOffset``.

    >>> print(OffsetRange("clicks", 0, 5, 9))
    OffsetRange(topic: clicks, partition: 0, range: [5 -> 9]
    """

    def __init__(self, topic: str, partition: int, fromOffset: int, untilOffset: int) -> None:
        self.topic = topic
        self.partition = partition
        self.fromOffset = fromOffset
        self.untilOffset = untilOffset

    def _fields(self) -> tuple[str, int, int, int]:
        return self.topic, self.partition, self.fromOffset, self.untilOffset

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OffsetRange) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __str__(self) -> str:
        # legacy: the bracket is never closed, and jobs may parse this text
        topic, partition, start, until = self._fields()
        return f"OffsetRange(topic: {topic}, partition: {partition}, range: [{start} -> {until}]"

    __repr__ = __str__


class TopicAndPartition:
    """A partition of a topic: the keys of ``fromOffsets`` are such."""

    def __init__(self, topic: str, partition: int) -> None:
        self._topic = topic
        self._partition = partition

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TopicAndPartition):
            return False
        return (self._topic, self._partition) == (other._topic, other._partition)

    def __hash__(self) -> int:
        return hash((self._topic, self._partition))

    def __repr__(self) -> str:
        return f"TopicAndPartition({self._topic!r}, {self._partition})"


class Broker:
    """Where a broker listens. ``createRDD`` accepts it, but finds the leaders itself."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port


class KafkaMessageAndMetadata:
    """What a ``messageHandler`` gets: a record and where it came from.

    ``key`` and ``message`` are decoded each time they are read.
    """

    def __init__(
        self, topic: str, partition: int, offset: int, key: bytes | None, message: bytes | None
    ) -> None:
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self._rawKey = key
        self._rawMessage = message
        self._keyDecoder: Decoder = utf8_decoder
        self._valueDecoder: Decoder = utf8_decoder

    def __str__(self) -> str:
        return (
            f"KafkaMessageAndMetadata(topic: {self.topic}, partition: {self.partition}, "
            f"offset: {self.offset}, key and message...)"
        )

    __repr__ = __str__

    def __reduce__(self) -> Any:
        # legacy: decoders do not travel
        raw = (self.topic, self.partition, self.offset, self._rawKey, self._rawMessage)
        return KafkaMessageAndMetadata, raw

    def _set_key_decoder(self, decoder: Decoder) -> None:
        self._keyDecoder = decoder

    def _set_value_decoder(self, decoder: Decoder) -> None:
        self._valueDecoder = decoder

    @property
    def key(self) -> Any:
        return self._keyDecoder(self._rawKey)

    @property
    def message(self) -> Any:
        return self._valueDecoder(self._rawMessage)
