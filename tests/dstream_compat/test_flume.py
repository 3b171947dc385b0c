"""Flume can be imported; using it says why it is gone and what to do instead."""

from __future__ import annotations

import pytest

from dstream_compat.flume import FlumeUtils, SourceIsGone


@pytest.mark.parametrize("call", ["createStream", "createPollingStream"])
def test_a_source_that_is_gone_names_what_to_do_instead(call: str) -> None:
    with pytest.raises(SourceIsGone) as error:
        getattr(FlumeUtils, call)(None, "localhost", 9999)
    text = str(error.value)
    assert text.startswith(f"FlumeUtils.{call} at test_flume.py:")
    assert "its Kafka sink" in text
    assert "ssc.receiverStream" in text
