"""Stand-ins of the connectors take the arguments that the real ones take."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from dstream_compat.stages.kafka_messages import KafkaMessageAndMetadata, OffsetRange
from dstream_parity.verify.child.patches import connectors


class Recorder:
    """A run that notes what it is to feed."""

    def __init__(self) -> None:
        self.fed: list[Any] = []

    def feed(self, ssc: Any, kind: str, names: list[Any], from_line: Any = str, **more: Any) -> Any:
        self.fed = [kind, names, from_line("1"), *([more["from_element"]] if more else [])]

    feed_rdd = feed


@pytest.fixture
def run() -> Recorder:
    return Recorder()


def test_a_message_has_what_the_real_one_has_and_travels_decoded(run: Recorder) -> None:
    utils = connectors._kafka(lambda: run)["KafkaUtils"]  # type: ignore[arg-type, return-value]
    utils.createDirectStream(
        None, ["clicks"], {}, None, valueDecoder=int, messageHandler=lambda message: message
    )
    _, _, first, from_element = run.fed
    assert isinstance(first, KafkaMessageAndMetadata)
    assert str(first).startswith("KafkaMessageAndMetadata(topic: clicks, partition: 0, offset: 0,")
    assert (first.key, first.message) == (None, 1)
    again = pickle.loads(pickle.dumps(from_element(["user", {"n": 2}])))
    assert (again.offset, again.key, again.message) == (1, "user", {"n": 2})


def test_the_wrong_container_is_refused_in_the_words_of_spark(run: Recorder) -> None:
    utils = connectors._kafka(lambda: run)["KafkaUtils"]  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match="topics should be dict"):
        utils.createStream(None, "zookeeper", "group", ["clicks"])
    with pytest.raises(TypeError, match="kafkaParams should be dict"):
        utils.createStream(None, "zookeeper", "group", {"clicks": 1}, [])
    with pytest.raises(TypeError, match="topics should be list"):
        utils.createDirectStream(None, "clicks", {})
    with pytest.raises(TypeError, match="offsetRanges should be list"):
        utils.createRDD(None, {}, OffsetRange("clicks", 0, 0, 1))
    with pytest.raises(TypeError, match="missing a required argument: 'kafkaParams'"):
        utils.createDirectStream(None, ["clicks"])


@pytest.mark.parametrize("of_spark_3", [(), (1,)])
def test_kinesis_finds_its_decoder_in_calls_for_any_spark(
    run: Recorder, of_spark_3: tuple[int, ...]
) -> None:
    utils = connectors._kinesis(lambda: run)["KinesisUtils"]  # type: ignore[arg-type, return-value]
    stream = (None, "app", "shards", "url", "region", 0, 2)
    utils.createStream(*stream, *of_spark_3, "storage", None, None, int)
    assert run.fed == ["KinesisUtils.createStream", ["shards"], 1]
