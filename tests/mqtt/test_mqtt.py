"""MQTTUtils against a real Mosquitto: quality of service 1, and a broker that restarts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from pyspark import SparkContext

from dstream_compat import StreamingContext
from dstream_compat.mqtt import MQTTUtils
from tests.engine.hand_driven import ByHand, by_hand, collected
from tests.servers.mosquitto import Mosquitto, NotInstalled
from tests.servers.processes import wait_for
from tests.servers.required import missing


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    try:
        broker = Mosquitto(tmp_path_factory.mktemp("mosquitto"))
    except NotInstalled:
        missing("mosquitto is not installed (apt-get install mosquitto)")
    broker.start()
    yield broker
    broker.stop()


def publish(broker: Mosquitto, topic: str, *payloads: str | bytes, retain: bool = False) -> None:
    """Publish with quality of service 1; the broker has them when this returns."""
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    for payload in payloads:
        client.publish(topic, payload, qos=1, retain=retain).wait_for_publish(30)
    client.disconnect()
    client.loop_stop()


class Watch:
    """Hears when a subscription stands: a retained message comes with it."""

    def __init__(self, broker: Mosquitto, topic: str) -> None:
        publish(broker, topic, "hello", retain=True)


def ticked_until(job: ByHand, seen: list[Any], wanted: set[str]) -> list[str]:
    """Tick until all of ``wanted`` was seen; returns all that was."""

    def there() -> bool:
        job.tick()
        return wanted <= {element for batch in seen for element in batch}

    wait_for(there, "the messages")
    return [element for batch in seen for element in batch]


def test_messages_are_text_and_come_once(sc: SparkContext, broker: Mosquitto) -> None:
    Watch(broker, "one/sensor")
    with by_hand(sc) as job:
        seen = collected(MQTTUtils.createStream(job.ssc, broker.url, "one/#"))
        job.ssc.start()
        ticked_until(job, seen, {"hello"})
        publish(broker, "one/sensor", "1", "caf\u00e9", b"\xff", "")
        publish(broker, "another", "not for us")
        everything = ticked_until(job, seen, {"1", "caf\u00e9", "\ufffd", ""})
        assert sorted(everything) == sorted(["hello", "1", "caf\u00e9", "\ufffd", ""])
        assert job.error() == ""


def test_a_broker_that_restarts_costs_no_message(
    sc: SparkContext, broker: Mosquitto, tmp_path: Path
) -> None:
    Watch(broker, "two")
    with by_hand(sc) as job:
        job.ssc.checkpoint(str(tmp_path))
        seen = collected(MQTTUtils.createStream(job.ssc, broker.url, "two"))
        job.ssc.start()
        ticked_until(job, seen, {"hello"})
        broker.stop()
        broker.start()
        # the session is the broker's to keep: it is there before the receiver is back
        publish(broker, "two", *(str(i) for i in range(200)))
        everything = ticked_until(job, seen, {str(i) for i in range(200)})
        # one may come twice where its acknowledgement was lost with the connection
        assert set(everything) == {"hello", *(str(i) for i in range(200))}
        assert job.error() == ""


def test_what_comes_while_a_recoverable_job_is_away_comes_later(
    sc: SparkContext, broker: Mosquitto, tmp_path: Path
) -> None:
    Watch(broker, "three")
    output = tmp_path / "output"
    output.mkdir()

    def build(job: ByHand) -> None:
        stream = MQTTUtils.createStream(job.ssc, broker.url, "three")
        path = str(output)

        def write(time: Any, rdd: Any) -> None:
            for number, element in enumerate(rdd.collect()):
                Path(path, f"{time.timestamp()}-{number}").write_text(element)

        stream.foreachRDD(write)

    def written() -> list[str]:
        return [file.read_text() for file in output.iterdir()]

    with by_hand(sc) as job:
        job.ssc.checkpoint(str(tmp_path / "checkpoint"))
        build(job)
        job.ssc.start()
        wait_for(lambda: job.tick() or "hello" in written(), "the first message")
    publish(broker, "three", "while away")
    with by_hand(sc) as job:
        job.ssc = StreamingContext.getOrCreate(str(tmp_path / "checkpoint"), _never)
        job.ssc.start()
        wait_for(lambda: job.tick() or "while away" in written(), "the message")
    assert written().count("while away") == 1


def _never() -> StreamingContext:
    raise AssertionError("the setup function was called")


def test_a_broker_that_is_not_there_yet_is_tried_again(
    sc: SparkContext, tmp_path: Path, broker: Mosquitto
) -> None:
    late = Mosquitto(tmp_path)
    sc._conf.set("spark.streaming.receiverRestartDelay", "100ms")  # type: ignore[union-attr]
    try:
        with by_hand(sc) as job:
            seen = collected(MQTTUtils.createStream(job.ssc, late.url, "late"))
            job.ssc.start()
            job.tick()
            late.start()
            stop = threading.Event()

            def keep_publishing() -> None:
                while not stop.wait(0.1):
                    publish(late, "late", "x")

            thread = threading.Thread(target=keep_publishing, daemon=True)
            thread.start()
            ticked_until(job, seen, {"x"})
            stop.set()
            thread.join()
    finally:
        late.stop()
        sc._conf.set("spark.streaming.receiverRestartDelay", "2000ms")  # type: ignore[union-attr]


def test_a_url_that_is_none_is_refused_in_one_sentence(sc: SparkContext) -> None:
    with by_hand(sc) as job:
        for url in ("localhost", "http://host:80", "tcp://:1883", "tcp://host:port"):
            with pytest.raises(
                ValueError, match=r"createStream at test_mqtt\.py:.*tcp://host:1883"
            ):
                MQTTUtils.createStream(job.ssc, url, "topic")
