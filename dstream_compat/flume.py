"""``pyspark.streaming.flume``: the names only. Flume was retired in 2024."""

from __future__ import annotations

from typing import Any, NoReturn

from dstream_compat.graph.nodes import call_site
from dstream_compat.stages.kafka_messages import utf8_decoder

__all__ = ["FlumeUtils", "SourceIsGone", "utf8_decoder"]


class SourceIsGone(NotImplementedError):
    """The source of this stream no longer exists."""


def _refuse(name: str) -> NoReturn:
    raise SourceIsGone(
        f"{call_site(f'FlumeUtils.{name}')}: Apache Flume is retired, and Spark 3 removed its "
        "connector. Let the agent write to Kafka (its Kafka sink) and use "
        "KafkaUtils.createDirectStream. Or write a short Receiver that connects to where the data "
        "is now, and pass it to ssc.receiverStream: docs/sources.md shows one under 'Sources that "
        "are gone'."
    )


class FlumeUtils:
    """Made streams of Flume events. A job can still import it; each call raises an error."""

    @staticmethod
    def createStream(*arguments: Any, **named: Any) -> NoReturn:
        _refuse("createStream")

    @staticmethod
    def createPollingStream(*arguments: Any, **named: Any) -> NoReturn:
        _refuse("createPollingStream")
