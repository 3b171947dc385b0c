"""From the bytes of a Kafka record to the element that a job gets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dstream_compat.stages.kafka_messages import Decoder, KafkaMessageAndMetadata, utf8_decoder

Handler = Callable[[KafkaMessageAndMetadata], Any]


def pair_decoder(key: Decoder, value: Decoder) -> Callable[[Any], Any]:
    return lambda pair: (key(pair[0]), value(pair[1]))


def message_decoder(key: Decoder, value: Decoder, handler: Handler) -> Callable[[Any], Any]:
    def handle(raw: Any) -> Any:
        message = KafkaMessageAndMetadata(*raw)
        message._set_key_decoder(key)
        message._set_value_decoder(value)
        return handler(message)

    return handle


def row_decoder(
    key: Decoder, value: Decoder, handler: Handler | None
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """For the rows of ``createRDD``, on executors that may know nothing of this package."""
    if handler is None:
        # the default by value: a reference to it would ask for the package
        key_is_text, value_is_text = key is utf8_decoder, value is utf8_decoder
        decoders = (None if key_is_text else key, None if value_is_text else value)

        def text(raw: Any) -> Any:
            return None if raw is None else raw.decode("utf-8")

        def decode(rows: Any) -> Iterator[Any]:
            of_key, of_value = decoders[0] or text, decoders[1] or text
            for row in rows:
                yield of_key(_plain(row[3])), of_value(_plain(row[4]))

        def _plain(raw: Any) -> Any:
            return None if raw is None else bytes(raw)

        return decode

    from dstream_compat.engine.shipping import on_workers

    return on_workers("handle_messages", key, value, handler)
