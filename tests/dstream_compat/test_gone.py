"""Sources that nothing feeds any more say so when they are called."""

from __future__ import annotations

from importlib import import_module

import pytest

from dstream_compat.gone import SourceIsGone


@pytest.mark.parametrize(
    ("module", "utils", "call", "instead"),
    [
        ("flume", "FlumeUtils", "createStream", "its Kafka sink"),
        ("flume", "FlumeUtils", "createPollingStream", "its Kafka sink"),
        ("twitter", "TwitterUtils", "createStream", "a JSON text per line"),
        ("zeromq", "ZeroMQUtils", "createStream", "pyzmq"),
        ("amqp", "AMQPUtils", "createStream", "pika"),
    ],
)
def test_a_source_that_is_gone_names_what_to_do_instead(
    module: str, utils: str, call: str, instead: str
) -> None:
    made = getattr(import_module(f"dstream_compat.{module}"), utils)
    with pytest.raises(SourceIsGone) as error:
        getattr(made, call)(None, "localhost", 9999)
    text = str(error.value)
    assert text.startswith(f"{utils}.{call} at test_gone.py:")
    assert instead in text
    assert "ssc.receiverStream" in text
