"""Kafka, Kinesis, MQTT and Flume as Spark 2.4's Python modules had them, fed from the replay."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import itertools
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pyspark import StorageLevel

from dstream_compat import kafka, kinesis, mqtt
from dstream_compat.connectors.kafka.params import should_be
from dstream_compat.stages.kafka_messages import KafkaMessageAndMetadata, utf8_decoder

if TYPE_CHECKING:
    from dstream_parity.verify.child.run import Run

_LEGACY = "pyspark.streaming"
_OURS = "dstream_compat"


class ReplayedMessage(KafkaMessageAndMetadata):
    """What a ``messageHandler`` gets: here it is called before its batch is fed, so the key and
    the message are decoded already, and stay so when they travel."""

    def __init__(self, topic: str, partition: int, offset: int, key: Any, message: Any) -> None:
        super().__init__(topic, partition, offset, key, message)
        self._set_key_decoder(_same)
        self._set_value_decoder(_same)

    def __reduce__(self) -> Any:
        parts = (self.topic, self.partition, self.offset, self._rawKey, self._rawMessage)
        return ReplayedMessage, parts


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
    with contextlib.suppress(ImportError):  # what is in a module that exists stays
        stand_in.__dict__.update(importlib.import_module(qualified).__dict__)
    stand_in.__dict__.update(members)
    sys.modules[qualified] = stand_in
    setattr(sys.modules.get(package) or importlib.import_module(package), name, stand_in)


def _arguments(method: Callable[..., Any], *given: Any, **named: Any) -> dict[str, Any]:
    """The arguments of a call as the method that is replaced would get them."""
    bound = inspect.signature(method).bind(*given, **named)
    bound.apply_defaults()
    return bound.arguments


def _kafka(current: Callable[[], Run]) -> dict[str, Any]:
    class KafkaUtils:
        """Streams of (key, value), from the replay."""

        @staticmethod
        def createStream(*given: Any, **named: Any) -> Any:
            call = _arguments(kafka.KafkaUtils.createStream, *given, **named)
            params = call["kafkaParams"]
            should_be(dict, topics=call["topics"], kafkaParams={} if params is None else params)
            line, element = _messages(call)
            return current().feed(
                call["ssc"],
                "KafkaUtils.createStream",
                list(call["topics"]),
                line,
                from_element=element,
            )

        @staticmethod
        def createDirectStream(*given: Any, **named: Any) -> Any:
            call = _arguments(kafka.KafkaUtils.createDirectStream, *given, **named)
            should_be(list, topics=call["topics"])
            should_be(dict, kafkaParams=call["kafkaParams"])
            line, element = _messages(call, call["topics"])
            return current().feed(
                call["ssc"],
                "KafkaUtils.createDirectStream",
                call["topics"],
                line,
                from_element=element,
                partitions=2,
                topics=call["topics"],
            )

        @staticmethod
        def createRDD(*given: Any, **named: Any) -> Any:
            call = _arguments(kafka.KafkaUtils.createRDD, *given, **named)
            should_be(dict, kafkaParams=call["kafkaParams"])
            should_be(list, offsetRanges=call["offsetRanges"])
            topics = [wanted.topic for wanted in call["offsetRanges"]]
            line, element = _messages(call, topics)
            return current().feed_rdd(
                call["sc"], "KafkaUtils.createRDD", topics, line, from_element=element
            )

    return {
        "KafkaUtils": KafkaUtils,
        "OffsetRange": kafka.OffsetRange,
        "TopicAndPartition": kafka.TopicAndPartition,
        "Broker": kafka.Broker,
        "KafkaMessageAndMetadata": KafkaMessageAndMetadata,
        "utf8_decoder": utf8_decoder,
    }


def _messages(
    call: dict[str, Any], topics: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[Any], Any]]:
    """What makes a record of a line of text, and of an element of JSON lines."""
    decode_key, decode_value = call["keyDecoder"], call["valueDecoder"]
    handler = call.get("messageHandler")
    numbers = itertools.count()

    def handled(key: Any, value: Any) -> Any:
        if handler is None:
            return key, value
        return handler(ReplayedMessage(topics[0], 0, next(numbers), key, value))

    def from_line(line: str) -> Any:
        return handled(decode_key(None), decode_value(line.encode("utf-8")))

    def from_element(element: Any) -> Any:
        key, value = None, element
        if isinstance(element, (list, tuple)) and len(element) == 2:
            key, value = element
        return handled(_decoded(key, decode_key), _decoded(value, decode_value))

    return from_line, from_element


def _decoded(value: Any, decoder: Any) -> Any:
    """JSON lines hold what comes out of the decoder; text is what goes in."""
    if value is None:
        return decoder(None)
    return decoder(value.encode("utf-8")) if isinstance(value, str) else value


def _same(value: Any) -> Any:
    return value


def _kinesis(current: Callable[[], Run]) -> dict[str, Any]:
    class KinesisUtils:
        """Streams of decoded records, from the replay."""

        @staticmethod
        @kinesis.of_any_spark
        def createStream(*given: Any, **named: Any) -> Any:
            call = _arguments(kinesis.KinesisUtils.createStream, *given, **named)
            decode = call["decoder"]
            return current().feed(
                call["ssc"],
                "KinesisUtils.createStream",
                [call["streamName"]],
                lambda line: decode(line.encode("utf-8")),
            )

    return {
        "KinesisUtils": KinesisUtils,
        "InitialPositionInStream": kinesis.InitialPositionInStream,
        "MetricsLevel": kinesis.MetricsLevel,
        "StorageLevel": StorageLevel,
        "utf8_decoder": utf8_decoder,
    }


def _mqtt(current: Callable[[], Run]) -> type:
    class MQTTUtils:
        """Streams of messages, from the replay."""

        @staticmethod
        def createStream(*given: Any, **named: Any) -> Any:
            call = _arguments(mqtt.MQTTUtils.createStream, *given, **named)
            return current().feed(call["ssc"], "MQTTUtils.createStream", [call["topic"]])

        @staticmethod
        def createPairedStream(
            ssc: Any, brokerUrl: str, topics: Sequence[str], storageLevel: Any = None
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
