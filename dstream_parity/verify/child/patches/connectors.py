"""Kafka, Kinesis, MQTT and Flume as Spark 2.4's Python modules had them, fed from the replay."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pyspark import StorageLevel

if TYPE_CHECKING:
    from dstream_parity.verify.child.run import Run

_LEGACY = "pyspark.streaming"
_OURS = "dstream_compat"


def utf8_decoder(s: bytes | None) -> str | None:
    """Text of bytes; None stays None."""
    return None if s is None else s.decode("utf-8")


@dataclass(frozen=True)
class OffsetRange:
    topic: str
    partition: int
    fromOffset: int
    untilOffset: int


@dataclass(frozen=True)
class TopicAndPartition:
    _topic: str
    _partition: int


@dataclass(frozen=True)
class Broker:
    _host: str
    _port: int


class KafkaMessageAndMetadata:
    """What a ``messageHandler`` gets."""

    def __init__(self, topic: str, partition: int, offset: int, key: Any, message: Any) -> None:
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.key = key
        self.message = message


def install(current: Callable[[], Run], ours: bool) -> None:
    """Put the modules where jobs import them from; on our side also under the rewritten names."""
    made = {
        "kafka": _kafka(current),
        "kinesis": _kinesis(current),
        "mqtt": {"MQTTUtils": _mqtt(current)},
        "flume": {"FlumeUtils": _flume(current), "utf8_decoder": utf8_decoder},
    }
    for name, members in made.items():
        packages = [_LEGACY, _OURS] if ours else [_LEGACY]
        for package in packages:
            _put(package, name, members)


def _put(package: str, name: str, members: dict[str, Any]) -> None:
    qualified = f"{package}.{name}"
    stand_in = ModuleType(qualified)
    try:  # where the module exists, everything in it that reads no stream stays
        stand_in.__dict__.update(importlib.import_module(qualified).__dict__)
        kept = {"OffsetRange", "TopicAndPartition", "Broker", "InitialPositionInStream"}
    except ImportError:
        kept = set()
    for member, value in members.items():
        if member not in kept or member not in stand_in.__dict__:
            setattr(stand_in, member, value)
    sys.modules[qualified] = stand_in
    setattr(sys.modules.get(package) or importlib.import_module(package), name, stand_in)


def _kafka(current: Callable[[], Run]) -> dict[str, Any]:
    def pair(
        key_decoder: Any, value_decoder: Any, handler: Any = None, topics: Sequence[str] = ()
    ) -> tuple[Any, Any]:
        numbers = itertools.count()

        def handled(key: Any, value: Any) -> Any:
            if handler is None:
                return key, value
            return handler(KafkaMessageAndMetadata(topics[0], 0, next(numbers), key, value))

        def from_line(line: str) -> Any:
            return handled(key_decoder(None), value_decoder(line.encode("utf-8")))

        def from_element(element: Any) -> Any:
            key, value = None, element
            if isinstance(element, (list, tuple)) and len(element) == 2:
                key, value = element
            return handled(_decoded(key, key_decoder), _decoded(value, value_decoder))

        return from_line, from_element

    class KafkaUtils:
        """Streams of (key, value), from the replay."""

        @staticmethod
        def createStream(
            ssc: Any,
            zkQuorum: str,
            groupId: str,
            topics: dict[str, int],
            kafkaParams: dict[str, Any] | None = None,
            storageLevel: Any = StorageLevel.MEMORY_AND_DISK_2,
            keyDecoder: Any = utf8_decoder,
            valueDecoder: Any = utf8_decoder,
            **more: Any,
        ) -> Any:
            if not isinstance(topics, dict):
                raise TypeError("topics should be dict")
            line, element = pair(keyDecoder, valueDecoder)
            return current().feed(
                ssc, "KafkaUtils.createStream", list(topics), line, from_element=element
            )

        @staticmethod
        def createDirectStream(
            ssc: Any,
            topics: list[str],
            kafkaParams: dict[str, Any],
            fromOffsets: dict[Any, int] | None = None,
            keyDecoder: Any = utf8_decoder,
            valueDecoder: Any = utf8_decoder,
            messageHandler: Any = None,
            **more: Any,
        ) -> Any:
            if not isinstance(topics, list):
                raise TypeError("topics should be list")
            if not isinstance(kafkaParams, dict):
                raise TypeError("kafkaParams should be dict")
            line, element = pair(keyDecoder, valueDecoder, messageHandler, topics)
            return current().feed(
                ssc,
                "KafkaUtils.createDirectStream",
                topics,
                line,
                from_element=element,
                partitions=2,
                topics=topics,
            )

        @staticmethod
        def createRDD(
            sc: Any,
            kafkaParams: dict[str, Any],
            offsetRanges: list[Any],
            leaders: Any = None,
            keyDecoder: Any = utf8_decoder,
            valueDecoder: Any = utf8_decoder,
            messageHandler: Any = None,
            **more: Any,
        ) -> Any:
            if not isinstance(kafkaParams, dict):
                raise TypeError("kafkaParams should be dict")
            if not isinstance(offsetRanges, list):
                raise TypeError("offsetRanges should be list")
            topics = [wanted.topic for wanted in offsetRanges]
            line, element = pair(keyDecoder, valueDecoder, messageHandler, topics)
            return current().feed_rdd(
                sc, "KafkaUtils.createRDD", topics, line, from_element=element
            )

    return {
        "KafkaUtils": KafkaUtils,
        "OffsetRange": OffsetRange,
        "TopicAndPartition": TopicAndPartition,
        "Broker": Broker,
        "KafkaMessageAndMetadata": KafkaMessageAndMetadata,
        "utf8_decoder": utf8_decoder,
    }


def _decoded(value: Any, decoder: Any) -> Any:
    """JSON lines hold what comes out of the decoder; text is what goes in."""
    if value is None:
        return decoder(None)
    return decoder(value.encode("utf-8")) if isinstance(value, str) else value


def _kinesis(current: Callable[[], Run]) -> dict[str, Any]:
    class InitialPositionInStream:
        LATEST, TRIM_HORIZON = (0, 1)

    class MetricsLevel:
        DETAILED, SUMMARY, NONE = (0, 1, 2)

    class KinesisUtils:
        """Streams of decoded records, from the replay."""

        @staticmethod
        def createStream(
            ssc: Any,
            kinesisAppName: str,
            streamName: str,
            endpointUrl: str,
            regionName: str,
            initialPositionInStream: Any,
            checkpointInterval: Any,
            *rest: Any,
            decoder: Any = utf8_decoder,
            **more: Any,
        ) -> Any:
            # Spark 3 put metricsLevel in front: the decoder is the one that can be called.
            given = [item for item in rest if callable(item)]
            decode = given[0] if given else decoder
            return current().feed(
                ssc,
                "KinesisUtils.createStream",
                [streamName],
                lambda line: decode(line.encode("utf-8")),
            )

    return {
        "KinesisUtils": KinesisUtils,
        "InitialPositionInStream": InitialPositionInStream,
        "MetricsLevel": MetricsLevel,
        "StorageLevel": StorageLevel,
        "utf8_decoder": utf8_decoder,
    }


def _mqtt(current: Callable[[], Run]) -> type:
    class MQTTUtils:
        """Streams of messages, from the replay."""

        @staticmethod
        def createStream(
            ssc: Any, brokerUrl: str, topic: str, storageLevel: Any = None, **more: Any
        ) -> Any:
            return current().feed(ssc, "MQTTUtils.createStream", [topic])

        @staticmethod
        def createPairedStream(
            ssc: Any, brokerUrl: str, topics: Sequence[str], storageLevel: Any = None, **more: Any
        ) -> Any:
            first = next(iter(topics))
            return current().feed(
                ssc, "MQTTUtils.createPairedStream", list(topics), lambda line: (first, line)
            )

    return MQTTUtils


def _flume(current: Callable[[], Run]) -> type:
    def event(decoder: Any) -> Callable[[str], Any]:
        return lambda line: ({}, decoder(line.encode("utf-8")))

    class FlumeUtils:
        """Streams of (headers, body), from the replay."""

        @staticmethod
        def createStream(
            ssc: Any,
            hostname: str,
            port: int,
            storageLevel: Any = None,
            enableDecompression: bool = False,
            bodyDecoder: Any = utf8_decoder,
        ) -> Any:
            name = f"{hostname}:{port}"
            return current().feed(ssc, "FlumeUtils.createStream", [name], event(bodyDecoder))

        @staticmethod
        def createPollingStream(
            ssc: Any,
            addresses: Sequence[Any],
            storageLevel: Any = None,
            maxBatchSize: int = 1000,
            parallelism: int = 5,
            bodyDecoder: Any = utf8_decoder,
        ) -> Any:
            names = [f"{host}:{port}" for host, port in addresses]
            return current().feed(ssc, "FlumeUtils.createPollingStream", names, event(bodyDecoder))

    return FlumeUtils
